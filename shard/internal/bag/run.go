// This file adds runs of items to a document at once.

package bag

import (
	"slices"

	"anchorage/shard/documents"
)

// AddRun is Add for several items; counts are between 1 and MaxCount.
func (b *Builder) AddRun(codes, counts []int32) error {
	n := len(b.items)
	if n-b.start+len(codes) > maxDocumentItems { // unless some of them are the same
		for i, code := range codes {
			if err := b.Add(code, counts[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if n+len(codes) > cap(b.items) && n >= reserveEvery {
		if err := b.reserve(); err != nil {
			return err
		}
	}
	items := slices.Grow(b.items, len(codes))[:n+len(codes)]
	sums := slices.Grow(b.counts, len(codes))[:n+len(codes)]
	last, start := b.last, int32(b.start)
	for i, code := range codes {
		if at := last[code]; at >= start {
			sum := int64(sums[at]) + int64(counts[i])
			if sum > documents.MaxCount {
				return b.tooMany(code)
			}
			sums[at] = int32(sum)
			continue
		}
		last[code] = int32(n)
		items[n], sums[n] = code, counts[i]
		n++
	}
	b.items, b.counts = items[:n], sums[:n]
	return nil
}
