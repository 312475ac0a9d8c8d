// This file finds what users may have meant by the name of an item that a model does not have.

package model

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"anchorage/internal/toplist"
)

// UnknownItemError reports an item that the model does not have.
type UnknownItemError struct {
	ID          string
	Suggestions []string // items with similar names, at most 3, the most likely first; may be empty
}

// Error names the item and the suggestions.
func (e *UnknownItemError) Error() string {
	text := fmt.Sprintf("the model has no item %.80q", e.ID)
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
	return 0, &UnknownItemError{ID: id, Suggestions: m.suggest(id)}
}

// The limits of suggestions: long names are not compared, since that takes time with the square of the length.
const (
	suggested        = 3
	longestSuggested = 64
)

// suggest returns the items whose names differ from id by the fewest letters, in upper or lower case, if at most one in
// three does; and if there are none, those that contain it. Among equals those of most documents come first.
func (m *Model) suggest(id string) []string {
	wanted := strings.ToLower(id)
	length := utf8.RuneCountInString(wanted)
	if length > longestSuggested {
		return nil
	}
	most := max(length/3, 1)
	near := toplist.New(suggested)
	documents := float64(cmp.Or(m.Manifest.Corpus.Documents, 1)) + 1
	for i := range m.Vocabulary.Len() {
		name := m.Vocabulary.ID(i)
		if n := utf8.RuneCountInString(name); n < length-most || n > length+most {
			continue
		}
		if distance := levenshtein.ComputeDistance(wanted, strings.ToLower(name)); distance <= most {
			near.Offer(i, float64(m.DocumentFrequency[i])/documents-float64(distance))
		}
	}
	var names []string
	for _, e := range near.Sorted() {
		names = append(names, m.Vocabulary.ID(e.Item))
	}
	if names == nil && id != "" {
		for _, found := range m.Search(id, suggested) {
			names = append(names, found.ID)
		}
	}
	return names
}
