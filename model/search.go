// This file finds items by their names.

package model

import (
	"cmp"
	"slices"
	"strings"
)

// Found is an item that a search found.
type Found struct {
	ID        string `json:"item"`
	Documents int64  `json:"documents"` // that contain the item, among those that the model was learned from
}

// Search returns at most n items whose ids contain text, whatever the case: first the item with that id, then those
// that begin with text, then the others. Among equals those of most documents come first. An empty text finds the items
// of most documents. Search looks at every id, about 10⁷ a second.
func (m *Model) Search(text string, n int) []Found {
	type hit struct{ item, rank int }
	var hits []hit
	low := strings.ToLower(text)
	for i := range m.Vocabulary.Len() {
		id := m.Vocabulary.ID(i)
		at := strings.Index(strings.ToLower(id), low)
		switch {
		case id == text:
			hits = append(hits, hit{i, 0})
		case at >= 0 && len(id) == len(text):
			hits = append(hits, hit{i, 1})
		case at == 0:
			hits = append(hits, hit{i, 2})
		case at > 0:
			hits = append(hits, hit{i, 3})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(m.DocumentFrequency[b.item], m.DocumentFrequency[a.item]),
			cmp.Compare(a.item, b.item))
	})
	found := make([]Found, max(min(n, len(hits)), 0))
	for i := range found {
		item := hits[i].item
		found[i] = Found{m.Vocabulary.ID(item), m.DocumentFrequency[item]}
	}
	return found
}
