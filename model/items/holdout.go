// This file draws baskets and divides them into what is given and what is held out.

package items

import (
	"cmp"
	"context"
	"slices"

	"anchorage/corpus"
	"anchorage/internal/random"
)

// Basket is a document's set of items, divided for a test: Held are to be found, given Given.
type Basket struct {
	Given, Held []int32
}

// Split is a way to divide baskets.
type Split int

// The ways to divide baskets.
const (
	HeldOutHalf Split = iota // half of the items, rounded down, are held out
	LeaveOneOut              // one item is held out
)

// String returns the name of the split.
func (s Split) String() string { return [...]string{"half", "one"}[s] }

// Sample is a set of whole baskets drawn from documents.
type Sample struct {
	Baskets [][]int32
	numbers []uint64 // of the documents
}

// Draw draws at most size documents at random, and at most one of share, each equally likely, among those with from 2
// to longest distinct items. The sample is in the order of the documents. The error is that of the pass.
func Draw(ctx context.Context, pass corpus.Pass, size, share, longest int, seed uint64) (*Sample, error) {
	type drawn struct {
		value, number uint64
		items         []int32
	}
	var kept []drawn
	column, number := random.ColumnOf(seed, random.BasketSample, 0), uint64(0)
	byValue := func(a, b drawn) int { return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.number, b.number)) }
	prune := func() {
		slices.SortFunc(kept, byValue)
		clear(kept[min(size, len(kept)):])
		kept = kept[:min(size, len(kept))]
	}
	limit := ^uint64(0) // greatest value that can still be among the least
	err := pass(ctx, func(docs *corpus.Documents) error {
		for m := range docs.Documents() {
			items, _ := docs.Row(m)
			value := column.At(number)
			if len(items) >= 2 && len(items) <= longest && value <= limit {
				kept = append(kept, drawn{value, number, slices.Clone(items)})
			}
			number++
			if len(kept) >= 2*size+64 {
				prune()
				limit = kept[len(kept)-1].value
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	size = min(size, int(number)/share)
	prune()
	slices.SortFunc(kept, func(a, b drawn) int { return cmp.Compare(a.number, b.number) })
	s := &Sample{}
	for _, d := range kept {
		s.Baskets, s.numbers = append(s.Baskets, d.items), append(s.numbers, d.number)
	}
	return s, nil
}

// Divide divides the baskets at random.
func (s *Sample) Divide(split Split, seed uint64) []Basket {
	baskets := make([]Basket, len(s.Baskets))
	for x, items := range s.Baskets {
		order := random.Order(len(items), seed, random.BasketHalf,
			func(at int) uint64 { return s.numbers[x]<<16 + uint64(at) }, uint64(split))
		held := 1
		if split == HeldOutHalf {
			held = len(items) / 2
		}
		for at, place := range order {
			if at < held {
				baskets[x].Held = append(baskets[x].Held, items[place])
			} else {
				baskets[x].Given = append(baskets[x].Given, items[place])
			}
		}
		slices.Sort(baskets[x].Held)
		slices.Sort(baskets[x].Given)
	}
	return baskets
}

// Renumber gives the items of the baskets other numbers, and leaves out those that have none.
func (s *Sample) Renumber(of func(item int32) (int32, bool)) {
	for x, basket := range s.Baskets {
		var kept []int32
		for _, i := range basket {
			if number, known := of(i); known {
				kept = append(kept, number)
			}
		}
		slices.Sort(kept)
		s.Baskets[x] = kept
	}
}

// Without returns a pass over the documents that are not in the sample, which must have been drawn from the same pass.
func (s *Sample) Without(pass corpus.Pass) corpus.Pass {
	in := map[uint64]bool{}
	for _, number := range s.numbers {
		in[number] = true
	}
	return func(ctx context.Context, fn func(*corpus.Documents) error) error {
		number := uint64(0)
		return pass(ctx, func(docs *corpus.Documents) error {
			var left corpus.Documents
			for m := range docs.Documents() {
				if !in[number] {
					left.Append(docs.Row(m))
				}
				number++
			}
			return fn(&left)
		})
	}
}
