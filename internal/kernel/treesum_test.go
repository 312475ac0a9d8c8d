package kernel

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"anchorage/internal/collective"
)

func TestTreeSum(t *testing.T) {
	for _, leaves := range []int{0, 1, 2, 3, 7, 8, 37, 256} {
		random := rand.New(rand.NewPCG(1, uint64(leaves)))
		values := make([]float64, leaves)
		for i := range values {
			values[i] = random.NormFloat64()
		}
		want := tree(values)
		for _, ranks := range []int{1, 2, 3, 4, 5, 8} {
			err := collective.Together(t.Context(), ranks, func(ctx context.Context) error {
				c := collective.From(ctx)
				sum := NewTreeSum(leaves, 2)
				first, last := c.Rank()*leaves/c.Size(), (c.Rank()+1)*leaves/c.Size()
				for i := first; i < last; i++ {
					if i%2 == 0 {
						sum.Add(i, []float64{values[i], 1})
						continue
					}
					leaf := sum.Vector()
					if leaf[0] != 0 || leaf[1] != 0 {
						return fmt.Errorf("a new vector is %v", leaf)
					}
					leaf[0], leaf[1] = values[i], 1
					sum.Put(i, leaf)
				}
				if len(sum.nodes) != nodesOf(first, last) {
					return fmt.Errorf("leaves %d to %d in %d nodes, not %d", first, last, len(sum.nodes), nodesOf(first, last))
				}
				total, err := sum.Total(ctx, c.Layout())
				if err != nil || total[0] != want || total[1] != float64(leaves) {
					return fmt.Errorf("%d leaves: %v, want %v: %v", leaves, total, want, err)
				}
				return nil
			})
			if err != nil {
				t.Errorf("%d ranks: %v", ranks, err)
			}
		}
	}
}

// tree adds values as TreeSum says, recursively: aligned halves, and what is left from the last range to the first.
func tree(values []float64) float64 {
	n := len(values)
	switch {
	case n == 0:
		return 0
	case n == 1:
		return values[0]
	}
	half := 1
	for 2*half < n {
		half *= 2
	}
	return tree(values[:half]) + tree(values[half:])
}

// nodesOf returns how many vectors a rank with the leaves [first, last) holds at the end: the fewest aligned ranges that
// make up its own.
func nodesOf(first, last int) int {
	count := 0
	for first < last {
		level := bits.Len(uint(last-first)) - 1
		if first > 0 {
			level = min(level, bits.TrailingZeros(uint(first)))
		}
		first += 1 << level
		count++
	}
	return count
}
