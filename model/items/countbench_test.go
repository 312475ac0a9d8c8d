// This file measures the counting of pairs of very many items, and their inverse.

package items

import (
	"context"
	"slices"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/process"
	"anchorage/internal/random"
)

// manyBaskets is a pass over 10⁶ baskets of about 20 of 10⁶ items, 2·10⁷ entries, the frequencies of which fall as a
// power. It draws them again each time.
func manyBaskets(ctx context.Context, fn func(*corpus.Documents) error) error {
	const documents, batch, size, n = 1_000_000, 10_000, 20, 1_000_000
	ones := slices.Repeat([]int32{1}, size)
	for first := 0; first < documents; first += batch {
		var docs corpus.Documents
		for m := first; m < first+batch; m++ {
			items := make([]int32, size)
			for x := range items {
				u := float64(random.At(1, random.Test, uint64(m), uint64(x))>>11) / (1 << 53)
				items[x] = int32(n * u * u * u)
			}
			slices.Sort(items)
			items = slices.Compact(items)
			docs.Append(items, ones[:len(items)])
		}
		if err := fn(&docs); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// BenchmarkCount counts the pairs of 10⁶ items, 50 neighbours each.
func BenchmarkCount(b *testing.B) {
	for range b.N {
		begin := process.CPUSeconds()
		p, err := Count(b.Context(), manyBaskets, 1_000_000, Options{Neighbours: 50, Workers: 2})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(process.CPUSeconds()-begin, "cpu-s/op")
		b.ReportMetric(float64(len(p.Others)), "pairs/op")
	}
}

// BenchmarkInvert inverts the neighbourhoods of 10⁶ items, 200 neighbours each: once, where items MODEL learn does it
// twice.
func BenchmarkInvert(b *testing.B) {
	p, err := Count(b.Context(), manyBaskets, 1_000_000, Options{Workers: 2})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		begin := process.CPUSeconds()
		if err := p.Invert(b.Context(), 2); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(process.CPUSeconds()-begin, "cpu-s/op")
		b.ReportMetric(float64(len(p.Others)), "pairs/op")
	}
}
