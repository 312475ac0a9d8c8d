package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// drawCollapsed returns a document's entries, responsibilities that sum to 1, and a, for the given shape. The last
// values of every row are padding.
func drawCollapsed(rng *rand.Rand, n, width int) (counts, table, gamma, a, least []float32) {
	table, gamma = make([]float32, n*width), make([]float32, n*width)
	least, a = make([]float32, width), make([]float32, width)
	for k := range width - 3 {
		least[k] = 0.01 + rng.Float32()
		a[k] = least[k]
	}
	for i := range n {
		counts = append(counts, float32(1+rng.IntN(4)))
		for k := range width - 3 {
			table[i*width+k] = rng.Float32() * rng.Float32()
			gamma[i*width+k] = 1 / float32(width-3)
			a[k] += counts[i] * gamma[i*width+k]
		}
	}
	return counts, table, gamma, a, least
}

// checkCollapsed holds the kernels in use against the definitions, in double precision.
func checkCollapsed(t *testing.T, name string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 2))
	for _, width := range []int{16, 32, 48, 112} {
		for _, n := range []int{0, 1, 2, 7, 30} {
			t.Run(fmt.Sprintf("%s/%dx%d", name, n, width), func(t *testing.T) {
				counts, table, gamma, a, least := drawCollapsed(rng, n, width)
				wantA, wantGamma, wantChange := make([]float64, width), make([]float64, n*width), 0.0
				for k := range a {
					wantA[k] = float64(a[k])
				}
				var before []float64 // a when the pair began
				for i := range n {
					if i%2 == 0 {
						before = slices.Clone(wantA)
					}
					u, norm := make([]float64, width), 0.0
					for k := range u {
						u[k] = max(before[k]-float64(gamma[i*width+k]), float64(least[k])) * float64(table[i*width+k])
						norm += u[k]
					}
					for k := range u {
						wantGamma[i*width+k] = u[k] / norm
						d := u[k]/norm - float64(gamma[i*width+k])
						wantA[k] += float64(counts[i]) * d
						wantChange += float64(counts[i]) * math.Abs(d)
					}
				}
				change := Collapsed(counts, table, gamma, a, least, make([]float32, 2*width))
				near(t, "change", []float32{change}, []float64{wantChange})
				near(t, "gamma", gamma, wantGamma)
				near(t, "a", a, wantA)

				out, wantOut := slices.Clone(least), make([]float64, width)
				Respond(counts, table, gamma, a, out)
				for k := range least {
					wantOut[k] = float64(least[k])
				}
				for i := range n {
					norm := 0.0
					for k := range a {
						wantGamma[i*width+k] = float64(table[i*width+k]) * float64(a[k])
						norm += wantGamma[i*width+k]
					}
					for k := range a {
						wantGamma[i*width+k] /= norm
						wantOut[k] += float64(counts[i]) * wantGamma[i*width+k]
					}
				}
				near(t, "responsibilities", gamma, wantGamma)
				near(t, "their sum", out, wantOut)

				dots, wantDots := make([]float32, n), make([]float64, n)
				RowDots(dots, table, a)
				for i := range n {
					for k := range width {
						wantDots[i] += float64(table[i*width+k]) * float64(a[k])
					}
				}
				near(t, "dots", dots, wantDots)
			})
		}
	}
}

func near(t *testing.T, what string, got []float32, want []float64) {
	t.Helper()
	for i, w := range want {
		if !(math.Abs(float64(got[i])-w) <= 1e-5*(1+math.Abs(w))) {
			t.Fatalf("%s: value %d is %v, want %v", what, i, got[i], w)
		}
	}
}

func TestCollapsed(t *testing.T) {
	checkCollapsed(t, "default")
	before := assembly
	defer func() { assembly = before }()
	assembly = functions{}
	checkCollapsed(t, "go")
}

// BenchmarkCollapsed goes through 30 entries of 100 topics.
func BenchmarkCollapsed(b *testing.B) {
	counts, table, gamma, a, least := drawCollapsed(rand.New(rand.NewPCG(1, 5)), 30, 112)
	scratch := make([]float32, 224)
	b.Run("kernel", func(b *testing.B) {
		for b.Loop() {
			Collapsed(counts, table, gamma, a, least, scratch)
		}
	})
	b.Run("go", func(b *testing.B) {
		before := assembly.collapsed
		defer func() { assembly.collapsed = before }()
		assembly.collapsed = nil
		for b.Loop() {
			Collapsed(counts, table, gamma, a, least, scratch)
		}
	})
}
