// This file divides shards among ranks that read them together.

package shard

import "sort"

// Run returns the shards [first, last) of all that a rank reads, of the given number of ranks. The runs of the ranks
// follow each other, so that the order of ranks is the order of documents; Task.Shards, whose tasks know nothing of
// each other, deals shards without regard to their order. The largest run has as few bytes as runs can have. Every rank
// has a shard if there are enough. All depends only on the sizes of the shards.
func Run(all []Shard, rank, ranks int) (first, last int) {
	most := leastBound(all, ranks)
	for r := 0; ; r++ {
		first, last = last, runEnd(all, last, ranks-r-1, most)
		if r == rank {
			return first, last
		}
	}
}

// runEnd returns the end of the run from first: it has as many shards as have no more than most bytes together, but
// leaves one for each of the ranks after it.
func runEnd(all []Shard, first, after int, most int64) int {
	bytes, last := int64(0), first
	for last < len(all) && (last == first || bytes+all[last].Size <= most && len(all)-last > after) {
		bytes += all[last].Size
		last++
	}
	return last
}

// leastBound returns the fewest bytes to which the runs of the given number of ranks can be kept.
func leastBound(all []Shard, ranks int) int64 {
	low, high := int64(0), int64(0) // the bound is at least low, and at most high
	for _, s := range all {
		low, high = max(low, s.Size), high+s.Size
	}
	return low + int64(sort.Search(int(high-low), func(more int) bool { return runs(all, low+int64(more)) <= ranks }))
}

// runs returns how many runs of no more than most bytes the shards make.
func runs(all []Shard, most int64) int {
	count, bytes := 0, int64(0)
	for i, s := range all {
		if i == 0 || bytes+s.Size > most {
			count, bytes = count+1, 0
		}
		bytes += s.Size
	}
	return count
}
