// Package toplist keeps the best few of many scored items.
//
// Items are ordered by decreasing score; of equal scores the smaller item comes first. What a list holds depends on the
// items and scores, not on the order in which they were offered, so that lists of parts can be merged.
package toplist

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
)

// Entry is an item and its score.
type Entry struct {
	Item  int
	Score float64
}

// compare is negative where e comes before other.
func (e Entry) compare(other Entry) int {
	return cmp.Or(cmp.Compare(other.Score, e.Score), cmp.Compare(e.Item, other.Item))
}

// before reports whether e comes before other.
func (e Entry) before(other Entry) bool {
	return e.Score > other.Score || e.Score == other.Score && e.Item < other.Item
}

// List keeps the best items offered to it, at most as many as New was told. One goroutine may use it at a time.
type List struct {
	limit int
	heap  entries
}

// New returns an empty list of at most limit items.
func New(limit int) List { return List{limit: max(limit, 0)} }

// Offer adds an item if it is among the best so far, in place of the last. Items whose score is NaN are never added. No
// item may be offered twice.
func (l *List) Offer(item int, score float64) {
	e := Entry{item, score}
	switch {
	case score != score:
	case len(l.heap) < l.limit:
		l.heap = append(l.heap, e)
		heap.Fix(&l.heap, len(l.heap)-1)
	case l.limit > 0 && e.before(l.heap[0]):
		l.heap[0] = e
		heap.Fix(&l.heap, 0)
	}
}

// entries implements heap.Interface; the last in the order is on top.
type entries []Entry

func (e entries) Len() int           { return len(e) }
func (e entries) Less(i, j int) bool { return e[j].before(e[i]) }
func (e entries) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *entries) Push(any)          { panic("toplist: Offer appends") }
func (e *entries) Pop() any          { panic("toplist: entries only make room for better ones") }

// Floor returns the score below which no item is added: that of the last in a full list, and −∞ before.
func (l *List) Floor() float64 {
	if len(l.heap) == 0 || len(l.heap) < l.limit {
		return math.Inf(-1)
	}
	return l.heap[0].Score
}

// Merge offers what another list holds.
func (l *List) Merge(other *List) {
	for _, e := range other.heap {
		l.Offer(e.Item, e.Score)
	}
}

// Sorted returns what the list holds, the best first.
func (l *List) Sorted() []Entry {
	sorted := slices.Clone(l.heap)
	slices.SortFunc(sorted, Entry.compare)
	return sorted
}

// Order returns the places of values by decreasing value, of equal ones the first; NaN come last.
func Order[T cmp.Ordered](values []T) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(values[b], values[a]), cmp.Compare(a, b)) })
	return order
}
