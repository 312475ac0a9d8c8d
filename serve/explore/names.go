// This file finds items by parts of their names, among millions.

package explore

import (
	"bytes"
	"slices"
	"sort"

	"anchorage/internal/safetext"
	"anchorage/internal/toplist"
	"anchorage/model"
)

// boundary is between names. No valid text has this byte.
const boundary = 0xff

// names are the names of all items in small letters, one after the other, those of most documents first. So a search is
// one pass over text, and finds items in the order in which they are shown.
type names struct {
	text   []byte
	starts []int64          // of each name, and the end
	items  []int32          // whose names they are
	exact  map[string]int32 // the items of names that are no ids; −1 of a name that several have
}

func newNames(m *model.Model) *names {
	n := m.Vocabulary.Len()
	x := &names{items: make([]int32, n), starts: make([]int64, 0, n+1), exact: make(map[string]int32)}
	for at, i := range toplist.Order(m.DocumentFrequency) {
		x.items[at] = int32(i)
		x.starts = append(x.starts, int64(len(x.text)))
		text := m.Name(i)
		if own := m.OwnName(i); own != "" {
			if _, twice := x.exact[own]; twice {
				x.exact[own] = -1
			} else {
				x.exact[own] = int32(i)
			}
			text += "\n" + m.Vocabulary.ID(i)
		}
		x.text = append(append(x.text, safetext.Low(text)...), boundary)
	}
	x.starts = append(x.starts, int64(len(x.text)))
	return x
}

// search returns the items whose names contain text, in any case and form of accents: first those with that name, then
// those that begin with it, then the others. Within each kind, items of most documents come first. An empty text finds
// all.
func (x *names) search(text string) []int32 {
	if text == "" {
		return x.items
	}
	var same, begin, inside []int32
	low := []byte(safetext.Low(text))
	for at, row := int64(0), 0; ; {
		hit := bytes.Index(x.text[at:], low)
		if hit < 0 {
			break
		}
		at += int64(hit)
		row += sort.Search(len(x.items)-row, func(i int) bool { return x.starts[row+i+1] > at })
		item, end := x.items[row], x.starts[row+1]
		switch {
		case at > x.starts[row]:
			inside = append(inside, item)
		case at+int64(len(low)) == end-1:
			same = append(same, item)
		default:
			begin = append(begin, item)
		}
		at = end // a name counts once
	}
	return slices.Concat(same, begin, inside)
}
