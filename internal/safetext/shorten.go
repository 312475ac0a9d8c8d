// This file measures and shortens names. Widths are in cells of a terminal, of which an East Asian character or an
// emoji takes two.

package safetext

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Ellipsis is where something is left out.
const Ellipsis = "…"

// Width returns the width of s.
func Width(s string) int { return displaywidth.String(s) }

// Head returns the longest beginning of s, in whole characters as people see them, that fits into a width.
func Head(s string, width int) string { return displaywidth.TruncateString(s, max(width, 0), "") }

// tail returns the longest end of s that fits into a width.
func tail(s string, width int) string {
	over := Width(s) - width
	for characters := displaywidth.StringGraphemes(s); over > 0 && characters.Next(); {
		over -= characters.Width()
		s = s[len(characters.Value()):]
	}
	return s
}

// Shorten returns s if it fits into a width. Otherwise it leaves out the middle: at blanks if that leaves enough of s,
// else anywhere.
func Shorten(s string, width int) string {
	if Width(s) <= width {
		return s
	}
	room := width - Width(Ellipsis)
	if room < 2 {
		return Head(Ellipsis, width)
	}
	if text := shortenWords(s, room); 4*Width(text) >= 3*room {
		return text
	}
	first := strings.TrimRight(Head(s, (room+1)/2), " ")
	return first + Ellipsis + strings.TrimLeft(tail(s, room-Width(first)), " ")
}

// shortenWords keeps whole words at the beginning and at the end of s, of a width of at most room in all; "" if there
// are none.
func shortenWords(s string, room int) string {
	words := strings.Fields(s)
	if len(words) < 3 {
		return ""
	}
	first, last := words[0], words[len(words)-1]
	words = words[1 : len(words)-1]
	if Width(first)+Width(last) > room {
		return ""
	}
	for atEnd := true; len(words) > 0; { // products differ at the end: it grows first
		next, longer := words[len(words)-1]+" "+last, first+" "+words[0]
		switch {
		case Width(first)+Width(next) <= room && (atEnd || Width(longer)+Width(last) > room):
			last, words = next, words[:len(words)-1]
		case Width(longer)+Width(last) <= room:
			first, words = longer, words[1:]
		default:
			return first + Ellipsis + last
		}
		atEnd = !atEnd
	}
	return first + Ellipsis + last
}
