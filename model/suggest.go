// This file finds what users may have meant by the name of an item that a model does not have.

package model

import (
	"cmp"
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
	"golang.org/x/text/unicode/norm"

	"anchorage/corpus"
	"anchorage/internal/toplist"
)

// UnknownItemError reports an item that the model does not have.
type UnknownItemError struct {
	ID          string
	Suggestions []string // items with similar names, at most 3, the most likely first; may be empty
	Same        string   // the only item whose name differs in case and accents only; empty without one
	LeftOut     string   // why the model leaves the item out, although it was read; empty for another
}

// Error names the item and the suggestions.
func (e *UnknownItemError) Error() string {
	text := fmt.Sprintf("the model has no item %.80q", e.ID)
	if e.LeftOut != "" {
		return text + ": left out: " + e.LeftOut
	}
	for i, id := range e.Suggestions {
		switch {
		case i == 0:
			text += ": did you mean "
		case i == len(e.Suggestions)-1:
			text += " or "
		default:
			text += ", "
		}
		text += fmt.Sprintf("%.80q", id)
	}
	if len(e.Suggestions) > 0 {
		text += "?"
	}
	return text
}

// Index returns the number of an item. The error is an *UnknownItemError.
func (m *Model) Index(id string) (int, error) {
	if i, known := m.Vocabulary.Lookup([]byte(id)); known {
		return int(i), nil
	}
	return 0, m.unknown(id, nil)
}

// unknown returns the error of an item that neither the model nor folded has; folded may be nil.
func (m *Model) unknown(id string, folded *corpus.Vocabulary) error {
	e := &UnknownItemError{ID: id, Suggestions: m.suggest(id, folded)}
	wanted, same := plainName(id), 0
	for _, name := range m.names(folded) {
		if plainName(name) == wanted {
			e.Same = name
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

// suggest returns the items whose names differ from id by the fewest letters, in upper or lower case, if at most one in
// three does; and if there are none, those that contain it. Among equals those of most documents come first.
// folded are further items; it may be nil.
func (m *Model) suggest(id string, folded *corpus.Vocabulary) []string {
	wanted := strings.ToLower(id)
	length := utf8.RuneCountInString(wanted)
	if length > longestSuggested {
		return nil
	}
	most := max(length/3, 1)
	near := toplist.New(suggested)
	documents := float64(cmp.Or(m.Manifest.Corpus.Documents, 1)) + 1
	for i, name := range m.names(folded) {
		if n := utf8.RuneCountInString(name); n < length-most || n > length+most {
			continue
		}
		if distance := levenshtein.ComputeDistance(wanted, strings.ToLower(name)); distance <= most {
			near.Offer(i, float64(m.documents(i, folded))/documents-float64(distance))
		}
	}
	var names []string
	for _, e := range near.Sorted() {
		names = append(names, m.nameOf(e.Item, folded))
	}
	if names == nil && id != "" {
		for _, found := range m.search(id, suggested, folded) {
			names = append(names, found.ID)
		}
	}
	return names
}

// names yields the ids of the items and, behind them, of those that were folded in, which may be nil.
func (m *Model) names(folded *corpus.Vocabulary) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		all := m.Vocabulary.Len()
		if folded != nil {
			all += folded.Len()
		}
		for i := range all {
			if !yield(i, m.nameOf(i, folded)) {
				return
			}
		}
	}
}

// nameOf returns the id of an item by its number in names.
func (m *Model) nameOf(i int, folded *corpus.Vocabulary) string {
	if n := m.Vocabulary.Len(); i >= n {
		return folded.ID(i - n)
	}
	return m.Vocabulary.ID(i)
}

// documents returns the number of documents of an item by its number in names.
func (m *Model) documents(i int, folded *corpus.Vocabulary) int64 {
	if n := m.Vocabulary.Len(); i >= n {
		return folded.DocumentFrequency[i-n]
	}
	return m.DocumentFrequency[i]
}
