package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// TestExpAgainstMath compares with the standard library over the whole range, and beyond both ends of it.
func TestExpAgainstMath(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	x := []float64{0, math.Copysign(0, -1), 1, -1, 709, -690, 1e-300, -1e-17}
	for len(x) < 8000 {
		x = append(x, rng.Float64()*1399-690)
	}
	got := make([]float64, len(x))
	Exp(got, x)
	for i, v := range x {
		if want := math.Exp(v); math.Abs(got[i]-want) > 4e-16*want {
			t.Fatalf("exp(%v) is %v, want %v", v, got[i], want)
		}
	}
	ends := []float64{-709, -1e300, math.Inf(-1), 710, 1e300, math.Inf(1), math.NaN(), 0}
	Exp(ends, ends)
	for i, want := range []float64{-690, -690, -690, 709, 709, 709} {
		if want = math.Exp(want); math.Abs(ends[i]-want) > 4e-16*want {
			t.Errorf("beyond the ends, value %d is %v, want %v", i, ends[i], want)
		}
	}
	if !math.IsNaN(ends[6]) || ends[7] != 1 {
		t.Errorf("exp of NaN and 0 is %v", ends[6:])
	}
}

// exactDigamma is ψ to a rounding or two, by forty steps of the recurrence and the asymptotic series from there.
func exactDigamma(x float64) float64 {
	const steps = 40
	y := x + steps
	sum := math.Log(y) - 1/(2*y) - 1/(12*y*y) + 1/(120*math.Pow(y, 4)) - 1/(252*math.Pow(y, 6)) + 1/(240*math.Pow(y, 8))
	rest := 0.0
	for i := steps - 1; i >= 0; i-- {
		rest += 1 / (x + float64(i))
	}
	return sum - rest
}

// TestDigammaAgainstGonum compares with gonum, whose digamma is good to 10⁻¹⁰, and with a slow and exact one, over 40
// orders of magnitude, near zero and at the root.
func TestDigammaAgainstGonum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x := []float64{1, 2, 0.5, 1e-4, 1.4616321449683623, 8, 7.999999, 1e30}
	for len(x) < 8000 {
		x = append(x, math.Exp(rng.Float64()*90-25))
	}
	got := make([]float64, len(x))
	ExpDigamma(got, x)
	for i, v := range x {
		want := mathext.Digamma(v)
		if off := math.Abs(Digamma(v) - want); off > 2e-10*math.Max(math.Abs(want), 1) {
			t.Fatalf("ψ(%v) is %v, and gonum's %v", v, Digamma(v), want)
		}
		want = exactDigamma(v)
		if one := Digamma(v); math.Abs(one-want) > 1e-15*math.Max(math.Abs(want), 4) {
			t.Fatalf("ψ(%v) is %v, want %v", v, one, want)
		}
		if want < leastExponent+10 {
			if got[i] > 1e-294 || got[i] <= 0 {
				t.Fatalf("exp(ψ(%v)) is %v, want next to nothing, but not zero", v, got[i])
			}
			continue
		}
		if off := math.Abs(math.Log(got[i]) - want); off > 1e-15*math.Max(math.Abs(want), 4) {
			t.Fatalf("exp(ψ(%v)) is %v, its logarithm %v, want %v", v, got[i], math.Log(got[i]), want)
		}
	}
	// Known values: ψ(1) = −γ, ψ(½) = −γ − 2 ln 2.
	const gamma = 0.57721566490153286
	for v, want := range map[float64]float64{1: -gamma, 0.5: -gamma - 2*math.Ln2, 2: 1 - gamma} {
		if got := Digamma(v); math.Abs(got-want) > 1e-15 {
			t.Errorf("ψ(%v) is %v, want %v", v, got, want)
		}
	}
	if !math.IsInf(Digamma(0), -1) {
		t.Errorf("ψ(0) is %v, want -Inf", Digamma(0))
	}
	special := []float64{0, math.NaN(), 1, 1, 1, 1, 1, 1}
	ExpDigamma(special, special)
	if special[0] > 1e-298 || special[0] <= 0 || !math.IsNaN(special[1]) {
		t.Errorf("exp(ψ) of 0 and NaN is %v", special[:2])
	}
}

// picked draws a table and rows of it.
func picked(rng *rand.Rand, n, rows, width int) (at []int32, weights, table []float64) {
	table = make([]float64, rows*width)
	for i := range table {
		table[i] = rng.Float64()
	}
	for range n {
		at, weights = append(at, int32(rng.IntN(rows))), append(weights, 1+rng.Float64())
	}
	return at, weights, table
}

func TestMixtureAgainstNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for _, n := range []int{0, 1, 2, 17} {
		for _, width := range []int{8, 16, 24, 32, 40, 104, 152} {
			rows, counts, table := picked(rng, n, 9, width)
			x := make([]float64, width)
			for j := range x {
				x[j] = rng.Float64()
			}
			norms, out, want := make([]float64, n), make([]float64, width), make([]float64, width)
			for j := range out {
				out[j], want[j] = float64(j), float64(j)
			}
			Mixture(rows, counts, table, x, norms, out)
			for i, r := range rows {
				norm := 0.0
				for j := range x {
					norm += table[int(r)*width+j] * x[j]
				}
				if math.Abs(norms[i]-norm) > 1e-13*norm {
					t.Fatalf("n %d width %d: norm %d is %v, want %v", n, width, i, norms[i], norm)
				}
				for j := range want {
					want[j] += counts[i] / norm * table[int(r)*width+j]
				}
			}
			for j := range want {
				if math.Abs(out[j]-want[j]) > 1e-13*(1+want[j]) {
					t.Fatalf("n %d width %d: value %d is %v, want %v", n, width, j, out[j], want[j])
				}
			}
		}
	}
}

func TestCombineAgainstNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for _, n := range []int{0, 1, 2, 17} {
		for _, width := range []int{8, 16, 24, 32, 40, 104, 152} {
			rows, weights, table := picked(rng, n, 9, width)
			out, want := make([]float64, width), make([]float64, width)
			for j := range out {
				out[j], want[j] = float64(j), float64(j)
			}
			Combine(rows, weights, table, out)
			for i, r := range rows {
				for j := range want {
					want[j] += weights[i] * table[int(r)*width+j]
				}
			}
			for j := range want {
				if math.Abs(out[j]-want[j]) > 1e-13*(1+want[j]) {
					t.Fatalf("n %d width %d: value %d is %v, want %v", n, width, j, out[j], want[j])
				}
			}
		}
	}
}

// TestPickedRowsAreChecked wants a panic where assembly would read outside of a table.
func TestPickedRowsAreChecked(t *testing.T) {
	eight := make([]float64, 8)
	for name, call := range map[string]func(){
		"row":      func() { Combine([]int32{1}, []float64{1}, eight, eight) },
		"negative": func() { Combine([]int32{-1}, []float64{1}, eight, eight) },
		"weights":  func() { Combine([]int32{0}, nil, eight, eight) },
		"width":    func() { Combine([]int32{0}, []float64{1}, eight, eight[:7]) },
		"norms":    func() { Mixture([]int32{0}, []float64{1}, eight, eight, nil, eight) },
		"length":   func() { Exp(eight[:7], eight[:7]) },
		"lengths":  func() { ExpDigamma(eight, eight[:0]) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}

// The measurement that the assembly rests on: the same functions by the standard library and gonum.
func BenchmarkExpDigamma(b *testing.B) {
	x, dst := make([]float64, 104), make([]float64, 104)
	for i := range x {
		x[i] = 0.01 + float64(i)/3
	}
	b.Run("kernel", func(b *testing.B) {
		for b.Loop() {
			ExpDigamma(dst, x)
		}
	})
	b.Run("gonum", func(b *testing.B) {
		for b.Loop() {
			for i, v := range x {
				dst[i] = math.Exp(mathext.Digamma(v))
			}
		}
	})
}

func BenchmarkExp(b *testing.B) {
	x, dst := make([]float64, 104), make([]float64, 104)
	for i := range x {
		x[i] = -float64(i) / 3
	}
	b.Run("kernel", func(b *testing.B) {
		for b.Loop() {
			Exp(dst, x)
		}
	})
	b.Run("math", func(b *testing.B) {
		for b.Loop() {
			for i, v := range x {
				dst[i] = math.Exp(v)
			}
		}
	})
}

// BenchmarkMixture takes the responsibilities of 100 topics for 30 entries.
func BenchmarkMixture(b *testing.B) {
	rows, counts, table := picked(rand.New(rand.NewPCG(1, 5)), 30, 5000, 104)
	x, norms, out := make([]float64, 104), make([]float64, 30), make([]float64, 104)
	for i := range x {
		x[i] = 1
	}
	b.Run("kernel", func(b *testing.B) {
		for b.Loop() {
			Mixture(rows, counts, table, x, norms, out)
		}
	})
	b.Run("go", func(b *testing.B) {
		before := assembly.mixture
		defer func() { assembly.mixture = before }()
		assembly.mixture = nil
		for b.Loop() {
			Mixture(rows, counts, table, x, norms, out)
		}
	})
}
