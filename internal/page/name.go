// This file makes names from data fit for a page.

package page

import (
	"unicode/utf8"

	"anchorage/internal/safetext"
)

// NameLength is the number of characters to which names from data are cut.
const NameLength = 60

// Name returns a name from data as a page shows it: what has no shape, or would turn the direction of what follows, as
// an escape, and cut to NameLength characters.
func Name(s string) string { return Cut(s, NameLength) }

// Cut is Name with another length. The text ends with … if anything is missing.
func Cut(s string, most int) string {
	if len(s) > 4*(most+1) {
		s = s[:4*(most+1)] // more than that many characters, whatever their length
	}
	s = safetext.Text(s)
	if s == "" {
		return "(empty)"
	}
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	count := 0
	for i := range s {
		if count == most-1 {
			return s[:i] + "…"
		}
		count++
	}
	return s
}
