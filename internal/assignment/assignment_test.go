package assignment

import (
	"math"
	"math/rand/v2"
	"testing"
)

// cheapest returns the least cost over all assignments.
func cheapest(cost []float64, n, row int, taken []bool) float64 {
	if row == n {
		return 0
	}
	best := math.Inf(1)
	for c := range n {
		if !taken[c] {
			taken[c] = true
			best = min(best, cost[row*n+c]+cheapest(cost, n, row+1, taken))
			taken[c] = false
		}
	}
	return best
}

func TestLeastAgainstAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 7 {
		for trial := range 200 {
			cost := make([]float64, n*n)
			for i := range cost {
				if cost[i] = rng.NormFloat64(); trial%2 == 0 {
					cost[i] = float64(rng.IntN(4)) // many ties
				}
			}
			assigned := Least(cost, n)
			sum := 0.0
			taken := make([]bool, n)
			for r, c := range assigned {
				if taken[c] {
					t.Fatalf("column %d is assigned twice: %v", c, assigned)
				}
				taken[c] = true
				sum += cost[r*n+c]
			}
			if want := cheapest(cost, n, 0, make([]bool, n)); math.Abs(sum-want) > 1e-12*float64(n) {
				t.Errorf("%v: the assignment %v costs %v, and %v is possible", cost, assigned, sum, want)
			}
		}
	}
}

// BenchmarkLeast pairs 1,000 topics: nearly equal ones in another order, unrelated ones, and ones that are mostly too
// far apart, whose costs tie.
func BenchmarkLeast(b *testing.B) {
	const n = 1000
	rng := rand.New(rand.NewPCG(3, 4))
	order := rng.Perm(n)
	for name, draw := range map[string]func(r, c int) float64{
		"permuted": func(r, c int) float64 {
			return map[bool]float64{true: 0.1, false: 0.5}[order[r] == c] + 0.1*rng.Float64()
		},
		"unrelated": func(_, _ int) float64 { return rng.Float64() },
		"capped":    func(_, _ int) float64 { return min(0.395+rng.Float64(), 0.4) },
	} {
		cost := make([]float64, n*n)
		for i := range cost {
			cost[i] = draw(i/n, i%n)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Least(cost, n)
			}
		})
	}
}
