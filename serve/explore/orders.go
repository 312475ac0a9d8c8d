// This file orders items.

package explore

import (
	"cmp"
	"slices"
	"sync"

	"anchorage/model"
)

// sortings are the orders in which found items are listed, by name. Each compares two items. byMatch, the usual order,
// is that of the search.
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

// orders has the place of every item in the orders of sortings. Each is made when it is first asked for.
type orders struct {
	mu     sync.Mutex
	places map[string][]int32
}

// sorted returns found in the order of a name that sortings has.
func (o *orders) sorted(m *model.Model, name string, found []int32) []int32 {
	o.mu.Lock()
	defer o.mu.Unlock()
	places := o.places[name]
	if places == nil {
		items := make([]int32, m.Vocabulary.Len())
		for i := range items {
			items[i] = int32(i)
		}
		slices.SortStableFunc(items, func(a, b int32) int { return sortings[name](m, a, b) })
		places = make([]int32, len(items))
		for at, i := range items {
			places[i] = int32(at)
		}
		if o.places == nil {
			o.places = make(map[string][]int32)
		}
		o.places[name] = places
	}
	list := slices.Clone(found)
	slices.SortFunc(list, func(a, b int32) int { return cmp.Compare(places[a], places[b]) })
	return list
}
