// This file gives items names that formats of plain text can hold.

package export

import (
	"fmt"
	"strings"
	"unicode"

	"anchorage/corpus"
)

// ItemError reports two items that have the same name in a format: white space, which separates the values there, is
// replaced by _.
type ItemError struct {
	Format Format
	Items  [2]string
	Name   string
}

// Error names the items.
func (e *ItemError) Error() string {
	return fmt.Sprintf("%s cannot tell the items %q and %q apart: both are %q there", e.Format, e.Items[0], e.Items[1],
		e.Name)
}

// words returns the ids of all items with _ in place of white space and of control characters.
func words(v *corpus.Vocabulary, to Format) ([]string, error) {
	names := make([]string, v.Len())
	changed := map[string]int{}
	for i := range names {
		id := v.ID(i)
		names[i] = strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) || unicode.IsControl(r) {
				return '_'
			}
			return r
		}, id)
		if names[i] == id {
			continue
		}
		other, known := v.Lookup([]byte(names[i]))
		if before, twice := changed[names[i]]; twice {
			other, known = int32(before), true
		}
		if known {
			return nil, &ItemError{to, [2]string{v.ID(int(other)), id}, names[i]}
		}
		changed[names[i]] = i
	}
	return names, nil
}
