// This file sorts the entries of documents by item, so that each row of a result has one owner.

package sketch

import (
	"context"
	"math/bits"
	"slices"

	"anchorage/corpus"
	"anchorage/internal/kernel"
)

// entry is an item that occurs count times in a document.
type entry struct {
	item     int32
	document int32 // number in the chunk, from 0
	count    int32
}

// entries are those of some documents, sorted by item and, for each item, in the order of the documents.
type entries struct {
	sorted []entry
	spare  []entry
	heads  [][]int32 // for every part of the entries and every digit, where the next one goes
}

// mostDigitBits bounds the digits that entries are sorted by, so that the cache lines written to at a time, one for
// each value of a digit, fit into the nearest cache.
const mostDigitBits = 11

// sort sorts the entries of documents [first, last) by item, leaving out documents of weight 0: a radix sort from the
// lowest digit, which keeps the order of equal items. Items is N. In each round, the workers count and move the entries
// of one part each.
func (s *entries) sort(ctx context.Context, docs *corpus.Documents, first, last int, weights []float64,
	items, workers int) error {
	parts := max(min(kernel.Workers(workers), last-first), 1)
	width := bits.Len(uint(max(items-1, 1)))
	rounds := (width + mostDigitBits - 1) / mostDigitBits
	digit := (width + rounds - 1) / rounds
	for len(s.heads) < parts {
		s.heads = append(s.heads, nil)
	}
	for part := range parts {
		s.heads[part] = slices.Grow(s.heads[part][:0], 1<<digit)[:1<<digit]
	}
	each := func(fn func(heads []int32, part int)) error {
		return kernel.Parallel(ctx, workers, parts, func(part int) error {
			fn(s.heads[part], part)
			return nil
		})
	}
	mask := int32(1)<<digit - 1
	// The first round reads the documents themselves.
	weighing := func(part int, fn func(d int, items, counts []int32)) {
		for d := first + part*(last-first)/parts; d < first+(part+1)*(last-first)/parts; d++ {
			if weights[d-first] != 0 {
				items, counts := docs.Row(d)
				fn(d-first, items, counts)
			}
		}
	}
	err := each(func(heads []int32, part int) {
		clear(heads)
		weighing(part, func(_ int, items, _ []int32) {
			for _, item := range items {
				heads[item&mask]++
			}
		})
	})
	if err != nil {
		return err
	}
	n := s.place(parts)
	s.sorted, s.spare = slices.Grow(s.sorted[:0], n)[:n], slices.Grow(s.spare[:0], n)[:n]
	err = each(func(heads []int32, part int) {
		weighing(part, func(d int, items, counts []int32) {
			for t, item := range items {
				at := &heads[item&mask]
				s.sorted[*at] = entry{item, int32(d), counts[t]}
				*at++
			}
		})
	})
	for round := 1; round < rounds && err == nil; round++ {
		err = s.round(each, parts, round*digit, mask)
	}
	return err
}

// round sorts the entries by the digit that begins at bit shift.
func (s *entries) round(each func(func(heads []int32, part int)) error, parts, shift int, mask int32) error {
	n := len(s.sorted)
	err := each(func(heads []int32, part int) {
		clear(heads)
		for _, e := range s.sorted[part*n/parts : (part+1)*n/parts] {
			heads[e.item>>shift&mask]++
		}
	})
	if err != nil {
		return err
	}
	s.place(parts)
	err = each(func(heads []int32, part int) {
		for _, e := range s.sorted[part*n/parts : (part+1)*n/parts] {
			at := &heads[e.item>>shift&mask]
			s.spare[*at] = e
			*at++
		}
	})
	s.sorted, s.spare = s.spare, s.sorted
	return err
}

// place turns the counts of the digits in every part into places, and returns the sum of the counts. Entries come in
// the order of their digits, and those with the same digit part after part.
func (s *entries) place(parts int) int {
	at := int32(0)
	for digit := range s.heads[0] {
		for _, heads := range s.heads[:parts] {
			heads[digit], at = at, at+heads[digit]
		}
	}
	return int(at)
}

// byRange calls fn with ranges of the sorted entries, of about equal length, each with all entries of its items.
func (s *entries) byRange(ctx context.Context, workers int, fn func(part []entry) error) error {
	n := len(s.sorted)
	ranges := 1
	if w := kernel.Workers(workers); w > 1 {
		ranges = 8 * w
	}
	// start returns where the first item begins at or after the r-th part of the entries.
	start := func(r int) int {
		at := r * n / ranges
		for at > 0 && at < n && s.sorted[at].item == s.sorted[at-1].item {
			at++
		}
		return at
	}
	return kernel.Parallel(ctx, workers, ranges, func(r int) error { return fn(s.sorted[start(r):start(r+1)]) })
}
