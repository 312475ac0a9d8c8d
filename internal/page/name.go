// This file makes names from data fit for a page.

package page

import (
	"strings"
	"unicode/utf8"

	"anchorage/internal/safetext"
)

// NameLength is the width to which names from data are shortened.
const NameLength = 60

// Name returns a name from data as a page shows it: what has no shape, or would turn the direction of what follows, as
// an escape, and shortened to a width of NameLength, so that both ends can be read.
func Name(s string) string { return Short(s, NameLength) }

// Short is Name with another width.
func Short(s string, width int) string {
	if most := 8 * NameLength; len(s) > 2*most { // far more than is shown
		s = strings.ToValidUTF8(s[:most], "") + strings.ToValidUTF8(s[len(s)-most:], "")
	}
	return safetext.Shorten(Cut(s, 20*NameLength), width)
}

// Cut returns a text from data, its first characters. It ends with … if anything is missing.
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
