package rowsort

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestSort sorts rows of every length around the change of method, with narrow and wide indices.
func TestSort(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 5))
	var scratch []uint64
	for n := range 2*insertionRow + 3 {
		for _, step := range []int32{1, 1000, math.MaxInt32 / int32(n+1)} {
			items, counts := make([]int32, n), make([]int32, n)
			for at, i := range random.Perm(n) {
				items[at], counts[at] = int32(i)*step, math.MaxInt32-int32(i)
			}
			scratch = Sort(items, counts, scratch)
			for i := range n {
				if items[i] != int32(i)*step || counts[i] != math.MaxInt32-int32(i) {
					t.Fatalf("%d entries: entry %d is (%d, %d)", n, i, items[i], counts[i])
				}
			}
		}
	}
}

func BenchmarkSort(b *testing.B) {
	for _, n := range []int{6, 12, 24, 32, 48, 64, 128, 1024} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			random := rand.New(rand.NewPCG(1, 7))
			rows := 1 << 17 / n // many, lest the processor learn by heart how they compare
			var all []int32
			for range rows * n {
				all = append(all, random.Int32N(500000))
			}
			items, counts := make([]int32, len(all)), make([]int32, len(all))
			var scratch []uint64
			for b.Loop() {
				copy(items, all)
				for r := range rows {
					scratch = Sort(items[r*n:(r+1)*n], counts[r*n:(r+1)*n], scratch)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N*len(all)), "ns/entry")
		})
	}
}
