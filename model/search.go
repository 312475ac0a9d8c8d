// This file finds items by their names.

package model

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"anchorage/corpus"
	"anchorage/internal/safetext"
)

// Found is an item that a search found.
type Found struct {
	ID        string `json:"item"`
	Name      string `json:"name,omitempty"`   // where it has one beside its id
	Documents int64  `json:"documents"`        // that contain the item, among those that the model was learned from
	Folded    bool   `json:"folded,omitempty"` // it shaped no topics; see FoldRecord
}

// Search returns at most n items whose ids or names contain text, in any case and form of accents: first the item with
// that id, then those that begin with text, then the others. Among equals those of most documents come first. An empty
// text finds the items of most documents. Items that were folded in are found, too, which the first call reads. Search
// looks at every id, about 10⁷ a second.
func (m *Model) Search(ctx context.Context, text string, n int) ([]Found, error) {
	folded, err := m.Folded(ctx)
	if err != nil {
		return nil, err
	}
	return m.search(text, n, folded), nil
}

// search is Search among the items and those that were folded in, which may be nil.
func (m *Model) search(text string, n int, folded *corpus.Vocabulary) []Found {
	type hit struct{ item, rank int }
	var hits []hit
	low := safetext.Low(text)
	for i, id := range m.names(folded) {
		at, rank := strings.Index(safetext.Low(id), low), 3
		switch {
		case at < 0:
			continue
		case id == text:
			rank = 0
		case len(id) == len(text):
			rank = 1
		case at == 0:
			rank = 2
		}
		if last := len(hits) - 1; last >= 0 && hits[last].item == i { // by its id already
			hits[last].rank = min(hits[last].rank, rank)
			continue
		}
		hits = append(hits, hit{i, rank})
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(m.documents(b.item, folded), m.documents(a.item, folded)),
			cmp.Compare(a.item, b.item))
	})
	found := make([]Found, max(min(n, len(hits)), 0))
	for i := range found {
		item := hits[i].item
		v, at := m.vocabularyOf(item, folded)
		found[i] = Found{v.ID(at), v.OwnName(at), m.documents(item, folded), item >= m.Vocabulary.Len()}
	}
	return found
}
