// This file finds items by their names, and what users may have meant by the name of an item that a model does not
// have.

package model

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
	"golang.org/x/text/unicode/norm"

	"anchorage/corpus"
	"anchorage/internal/safetext"
	"anchorage/internal/toplist"
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

// UnknownItemError reports an item that the model does not have.
type UnknownItemError struct {
	ID          string
	Suggestions []string // items with similar names, at most 3, the most likely first; may be empty
	Same        string   // the only item whose name differs in case and accents only; empty without one
	LeftOut     string   // why the model leaves the item out, although it was read; empty for another
	Codes       []string // the ids of several items of which ID is the name, at most listedCodes
}

// Error names the item and the suggestions.
func (e *UnknownItemError) Error() string {
	if len(e.Codes) > 0 {
		return fmt.Sprintf("%.80q is the name of several items: give one of %s", e.ID, quoteAll(e.Codes))
	}
	text := fmt.Sprintf("the model has no item %.80q", e.ID)
	if e.LeftOut != "" {
		return text + ": left out: " + e.LeftOut
	}
	if len(e.Suggestions) > 0 {
		text += ": did you mean " + quoteAll(e.Suggestions) + "?"
	}
	return text
}

// quoteAll lists names: "a", "b" or "c".
func quoteAll(names []string) string {
	var quoted []string
	for _, name := range names {
		quoted = append(quoted, fmt.Sprintf("%.80q", name))
	}
	return safetext.List(quoted, "or")
}

// Index returns the number of an item, of which text is the id or a name that no other item has. The error is an
// *UnknownItemError.
func (m *Model) Index(text string) (int, error) {
	i, err := m.numberOf(text, nil)
	if err == nil && i < 0 {
		err = m.unknown(text, nil)
	}
	return max(i, 0), err
}

// listedCodes is how many items of the same name an error lists.
const listedCodes = 10

// numberOf returns the number in names of the item with the given id, or else with the given name; -1 without one. The
// error is an *UnknownItemError if several items have the name.
func (m *Model) numberOf(text string, folded *corpus.Vocabulary) (int, error) {
	if i, known := m.Vocabulary.Lookup([]byte(text)); known {
		return int(i), nil
	}
	found := -1
	var codes []string
	for at, v := range []*corpus.Vocabulary{m.Vocabulary, folded} {
		if v == nil {
			continue
		}
		if i, known := v.Lookup([]byte(text)); known {
			return at*m.Vocabulary.Len() + int(i), nil
		}
		for i, name := range v.Names {
			if name == text {
				found = at*m.Vocabulary.Len() + i
				codes = append(codes, v.ID(i))
			}
		}
	}
	if len(codes) > 1 {
		return -1, &UnknownItemError{ID: text, Codes: codes[:min(len(codes), listedCodes)]}
	}
	return found, nil
}

// unknown returns the error of an item that neither the model nor folded has; folded may be nil.
func (m *Model) unknown(id string, folded *corpus.Vocabulary) error {
	e := &UnknownItemError{ID: id, Suggestions: m.suggest(id, folded)}
	wanted, same, last := plainName(id), 0, -1
	for i, name := range m.names(folded) {
		if i != last && plainName(name) == wanted {
			e.Same, last = name, i
			same++
		}
	}
	if same > 1 {
		e.Same = ""
	}
	return e
}

// plainName returns a name in lower case, without accents.
func plainName(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(name)))
}

// The limits of suggestions: long names are not compared, since that takes time with the square of the length.
const (
	suggested        = 3
	longestSuggested = 64
)

// suggest returns the items whose names, or a word of them, differ from id by the fewest letters, in any case and form
// of accents, if at most one in three does; and if there are none, those that contain it. A whole name counts more than
// a word. Among equals those of most documents come first. folded are further items; it may be nil.
func (m *Model) suggest(id string, folded *corpus.Vocabulary) []string {
	wanted := safetext.Low(id)
	length := utf8.RuneCountInString(wanted)
	if length > longestSuggested {
		return nil
	}
	most := max(length/3, 1)
	near := toplist.New(suggested)
	documents := float64(cmp.Or(m.Manifest.Corpus.Documents, 1)) + 1
	for i, name := range m.names(folded) {
		low := safetext.Low(name)
		best := float64(away(wanted, low, length, most))
		for word := range strings.FieldsFuncSeq(low, apart) {
			best = min(best, float64(away(wanted, word, length, most))+ofWord)
		}
		if best <= float64(most)+ofWord {
			near.Offer(i, float64(m.documents(i, folded))/documents/2-best)
		}
	}
	var names []string
	for _, e := range near.Sorted() {
		v, i := m.vocabularyOf(e.Item, folded)
		if name := v.Name(i); slices.Contains(names, name) {
			names = append(names, v.ID(i))
		} else {
			names = append(names, name)
		}
	}
	if names == nil && id != "" {
		for _, found := range m.search(id, suggested, folded) {
			names = append(names, cmp.Or(found.Name, found.ID))
		}
	}
	return names
}

// ofWord is how much farther a word of a name counts than a whole name, in letters.
const ofWord = 0.5

// apart reports whether a character is between the words of a name.
func apart(r rune) bool { return strings.ContainsRune(" -_/,.()", r) }

// away returns how many letters of a name differ from those of a wanted one of a length, or more than most.
func away(wanted, name string, length, most int) int {
	if n := utf8.RuneCountInString(name); n < length-most || n > length+most {
		return most + 1
	}
	distance := levenshtein.ComputeDistance(wanted, name)
	if distance == 2 && swapped([]rune(wanted), []rune(name)) {
		return 1
	}
	return distance
}

// swapped reports whether b is a with two neighbouring letters in the other order, given that they differ in two.
func swapped(a, b []rune) bool {
	i := 0
	for i < min(len(a), len(b))-1 && a[i] == b[i] {
		i++
	}
	return i+1 < min(len(a), len(b)) && a[i] == b[i+1] && a[i+1] == b[i] && slices.Equal(a[i+2:], b[i+2:])
}

// names yields the ids and the other names of the items and, behind them, of those that were folded in, which may be
// nil.
func (m *Model) names(folded *corpus.Vocabulary) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		all := m.Vocabulary.Len()
		if folded != nil {
			all += folded.Len()
		}
		for n := range all {
			v, i := m.vocabularyOf(n, folded)
			if !yield(n, v.ID(i)) || i < len(v.Names) && v.Names[i] != "" && !yield(n, v.Names[i]) {
				return
			}
		}
	}
}

// vocabularyOf returns where an item is, by its number in names.
func (m *Model) vocabularyOf(i int, folded *corpus.Vocabulary) (*corpus.Vocabulary, int) {
	if n := m.Vocabulary.Len(); i >= n {
		return folded, i - n
	}
	return m.Vocabulary, i
}

// documents returns the number of documents of an item by its number in names.
func (m *Model) documents(i int, folded *corpus.Vocabulary) int64 {
	if n := m.Vocabulary.Len(); i >= n {
		return folded.DocumentFrequency[i-n]
	}
	return m.DocumentFrequency[i]
}
