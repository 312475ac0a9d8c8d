package kernel

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// rounded is a sum as CombineRounded defines it, in plain arithmetic.
func rounded(rows []int32, weights, table, out []float64, shift float64) []float64 {
	sums := slices.Clone(out)
	for i, r := range rows {
		for j := range sums {
			sums[j] += math.FMA(weights[i], table[int(r)*len(out)+j], shift) - shift
		}
	}
	return sums
}

// TestCombineRounded checks the bits against the definition, in any order and in several calls, and the sum against an
// exact one.
func TestCombineRounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	for _, n := range []int{0, 1, 2, 17, 300} {
		for _, width := range []int{8, 16, 24, 32, 40, 104, 152, 264} {
			rows, weights, table := picked(rng, n, 9, width)
			greatest := 0.0
			for i, r := range rows {
				weights[i] *= math.Exp2(float64(rng.IntN(40) - 39))
				for j := range width {
					table[int(r)*width+j] = math.Copysign(table[int(r)*width+j], rng.NormFloat64())
				}
			}
			for i, r := range rows {
				greatest += weights[i] * GreatestMagnitude(table[int(r)*width:][:width])
			}
			_, exponent := math.Frexp(greatest)
			shift, unit := math.Ldexp(6, exponent), math.Ldexp(1, exponent-50)
			want := rounded(rows, weights, table, make([]float64, width), shift)
			for trial := range 4 {
				got := make([]float64, width)
				cut := 0
				if n > 0 && trial > 0 {
					cut = rng.IntN(n)
					rng.Shuffle(n, func(i, j int) {
						rows[i], rows[j], weights[i], weights[j] = rows[j], rows[i],
							weights[j], weights[i]
					})
				}
				CombineRounded(rows[cut:], weights[cut:], table, len(got), got, shift)
				CombineRounded(rows[:cut], weights[:cut], table, len(got), got, shift)
				for j := range got {
					if math.Float64bits(got[j]) != math.Float64bits(want[j]) {
						t.Fatalf("n %d width %d trial %d: value %d is %v, want %v", n, width, trial, j, got[j], want[j])
					}
				}
			}
			for j := range want {
				exact := new(big.Float).SetPrec(300)
				for i, r := range rows {
					product := new(big.Float).SetPrec(120).Mul(big.NewFloat(weights[i]), big.NewFloat(table[int(r)*width+j]))
					exact.Add(exact, product)
				}
				off, _ := exact.Sub(exact, big.NewFloat(want[j])).Float64()
				if math.Abs(off) > float64(n)*unit/2 {
					t.Fatalf("n %d width %d: value %d is off by %v of %v", n, width, j, off, unit)
				}
			}
		}
	}
}

// TestCombineRoundedSingles wants the bits of a table of double precision with the same values, for rows that are as
// far apart as they are wide and for some that are farther, in one call and in two.
func TestCombineRoundedSingles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	for _, n := range []int{0, 1, 2, 17, 300} {
		for _, width := range []int{8, 16, 24, 40, 88, 96, 104, 136, 144, 152, 264, 400} {
			for _, more := range []int{0, 8} {
				rows, weights, table := picked(rng, n, 9, width)
				apart := width + more
				narrow := make([]float32, 9*apart)
				for i := range narrow {
					narrow[i] = float32(math.NaN()) // what is between rows is not read
				}
				for i, v := range table {
					v = math.Copysign(v, rng.NormFloat64())
					narrow[i/width*apart+i%width] = float32(v)
					table[i] = float64(float32(v))
				}
				shift := math.Ldexp(6, 12)
				want, got := rounded(rows, weights, table, make([]float64, width), shift), make([]float64, width)
				CombineRounded(rows[n/2:], weights[n/2:], narrow, apart, got, shift)
				CombineRounded(rows[:n/2], weights[:n/2], narrow, apart, got, shift)
				for j := range got {
					if math.Float64bits(got[j]) != math.Float64bits(want[j]) {
						t.Fatalf("n %d, width %d of %d: value %d is %v, want %v", n, width, apart, j, got[j], want[j])
					}
				}
			}
		}
	}
}

func TestGreatestMagnitude(t *testing.T) {
	if got := GreatestMagnitude([]float64{0, -3, math.Copysign(0, -1), 2}); got != 3 {
		t.Error(got)
	}
	if got := GreatestMagnitude([]float64{math.Inf(-1), math.NaN(), 2}); !math.IsNaN(got) {
		t.Error(got)
	}
	if got := GreatestMagnitude(nil); got != 0 {
		t.Error(got)
	}
}

func BenchmarkCombine(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 6))
	const documents = 8192
	for _, width := range []int{64, 128, 216} {
		_, _, table := picked(rng, 1, documents, width)
		for _, n := range []int{1, 2, 16, 256} {
			rows, weights, out := make([]int32, n), make([]float64, n), make([]float64, width)
			for i := range weights {
				weights[i] = 1
			}
			for name, fn := range map[string]func(){
				"plain":   func() { Combine(rows, weights, table, out) },
				"rounded": func() { CombineRounded(rows, weights, table, width, out, 6) },
			} {
				b.Run(fmt.Sprintf("L=%d/n=%d/%s", width, n, name), func(b *testing.B) {
					next := uint32(0)
					for b.Loop() {
						for i := range rows {
							next = next*1664525 + 1013904223
							rows[i] = int32(next >> 19 % documents)
						}
						clear(out)
						fn()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
				})
			}
		}
	}
}
