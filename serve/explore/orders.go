// This file orders items.

package explore

import (
	"cmp"
	"slices"
	"sync"

	"anchorage/internal/toplist"
	"anchorage/model"
)

// sortings are the orders in which found items are listed, by name. Each compares two items. byMatch, the usual order, is that of the search.
var sortings = map[string]func(m *model.Model, a, b int32) int{
	"documents": func(m *model.Model, a, b int32) int {
		return cmp.Compare(m.DocumentFrequency[b], m.DocumentFrequency[a])
	},
	"tokens": func(m *model.Model, a, b int32) int { return cmp.Compare(m.TermFrequency[b], m.TermFrequency[a]) },
	"name": func(m *model.Model, a, b int32) int {
		return cmp.Compare(m.Vocabulary.ID(int(a)), m.Vocabulary.ID(int(b)))
	},
	"reliability": func(m *model.Model, a, b int32) int {
		return cmp.Compare(m.ReliabilityOf(int(b)), m.ReliabilityOf(int(a)))
	},
}

const byMatch = "match"

// orders are all items in the orders of sortings. Each is made when it is first asked for.
type orders struct {
	mu   sync.Mutex
	made map[string][]int32
}

func (o *orders) get(m *model.Model, name string) []int32 {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.made == nil {
		o.made = make(map[string][]int32)
	}
	if o.made[name] == nil {
		items := make([]int32, m.Vocabulary.Len())
		for i := range items {
			items[i] = int32(i)
		}
		compare := sortings[name]
		slices.SortStableFunc(items, func(a, b int32) int { return compare(m, a, b) })
		o.made[name] = items
	}
	return o.made[name]
}

// sorted returns found in the order of a name that sortings has.
func (o *orders) sorted(m *model.Model, name string, found []int32) []int32 {
	all := o.get(m, name)
	if len(found) == len(all) {
		return all
	}
	in := make([]bool, len(all))
	for _, i := range found {
		in[i] = true
	}
	list := make([]int32, 0, len(found))
	for _, i := range all {
		if in[i] {
			list = append(list, i)
		}
	}
	return list
}

// leading returns the count items of the greatest score, the greatest first, among those whose score is above 0.
func leading(m *model.Model, count int, score func(i int) float64) []toplist.Entry {
	best := toplist.New(count)
	for i := range m.Vocabulary.Len() {
		if v := score(i); v > 0 {
			best.Offer(i, v)
		}
	}
	return best.Sorted()
}
