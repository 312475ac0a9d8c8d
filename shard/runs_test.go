package shard

import (
	"math/rand/v2"
	"testing"
)

// TestRun compares runs with all ways to divide a few shards: they follow each other, no rank goes without while there
// are shards, and the largest is as small as it can be.
func TestRun(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		all := make([]Shard, random.IntN(8))
		for i := range all {
			all[i].Size = random.Int64N(10) * random.Int64N(10) // some are empty
		}
		for ranks := 1; ranks <= 5; ranks++ {
			next, most := 0, int64(0)
			for rank := range ranks {
				first, last := Run(all, rank, ranks)
				if first != next || last < first || first == last && next < len(all) {
					t.Fatalf("%d shards, %d ranks: rank %d has shards %d to %d after %d", len(all), ranks, rank, first, last, next)
				}
				most, next = max(most, size(all[first:last])), last
			}
			if want := leastOfAll(all, ranks); next != len(all) || most != want {
				t.Errorf("%d of %d shards, %d ranks: the largest run has %d bytes, not %d", next, len(all), ranks, most, want)
			}
			if ranks <= len(all) {
				if first, last := Run(all, ranks-1, ranks); first == last {
					t.Errorf("%d shards: the last of %d ranks has none", len(all), ranks)
				}
			}
		}
	}
}

func size(shards []Shard) (bytes int64) {
	for _, s := range shards {
		bytes += s.Size
	}
	return bytes
}

// leastOfAll tries every end of the first run.
func leastOfAll(all []Shard, ranks int) int64 {
	if ranks == 1 {
		return size(all)
	}
	best := size(all)
	for first := range len(all) + 1 {
		best = min(best, max(size(all[:first]), leastOfAll(all[first:], ranks-1)))
	}
	return best
}
