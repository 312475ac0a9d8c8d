// This file measures and shortens names. Widths are in cells of a terminal, of which an East Asian character or an
// emoji takes two.

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

const ellipsis = "…"

// textWidth returns the width of s.
func textWidth(s string) int { return displaywidth.String(s) }

// head returns the longest beginning of s, in whole characters as people see them, that fits into a width.
func head(s string, width int) string { return displaywidth.TruncateString(s, max(width, 0), "") }

// tail returns the longest end of s that fits into a width.
func tail(s string, width int) string {
	over := textWidth(s) - width
	for characters := displaywidth.StringGraphemes(s); over > 0 && characters.Next(); {
		over -= characters.Width()
		s = s[len(characters.Value()):]
	}
	return s
}

// shorten returns s if it fits into a width. Otherwise it leaves out the middle: at blanks if that leaves enough of s,
// else anywhere.
func shorten(s string, width int) string {
	if textWidth(s) <= width {
		return s
	}
	room := width - textWidth(ellipsis)
	if room < 2 {
		return head(ellipsis, width)
	}
	if text := shortenWords(s, room); 4*textWidth(text) >= 3*room {
		return text
	}
	return cutMiddle(s, width, (room+1)/2)
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
	if textWidth(first)+textWidth(last) > room {
		return ""
	}
	for atEnd := true; len(words) > 0; { // products differ at the end: it grows first
		next, longer := words[len(words)-1]+" "+last, first+" "+words[0]
		switch {
		case textWidth(first)+textWidth(next) <= room && (atEnd || textWidth(longer)+textWidth(last) > room):
			last, words = next, words[:len(words)-1]
		case textWidth(longer)+textWidth(last) <= room:
			first, words = longer, words[1:]
		default:
			return first + ellipsis + last
		}
		atEnd = !atEnd
	}
	return first + ellipsis + last
}

// shortenAll shortens names to a width so that different names stay different, and returns them by name. Names that
// would look alike are shown without the words that all of them share; a number marks those that still look alike.
func shortenAll(names []string, width int) map[string]string {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	shown, alike := make(map[string]string), make(map[string][]string)
	for _, name := range names {
		shown[name] = shorten(name, width)
		alike[shown[name]] = append(alike[shown[name]], name)
	}
	var told []string
	for _, group := range alike {
		if len(group) > 1 {
			told = append(told, group...)
		}
	}
	shared := commonWords(told)
	for _, name := range told {
		shown[name] = shorten(otherWords(name, shared), width)
	}
	taken := make(map[string]bool)
	for _, name := range names {
		shown[name] = untaken(shown[name], width, taken)
	}
	return shown
}

// cutMiddle keeps the beginning of name, up to a width of begin, and as much of its end as fits into width.
func cutMiddle(name string, width, begin int) string {
	first := strings.TrimRight(head(name, begin), " ")
	return first + ellipsis + strings.TrimLeft(tail(name, width-textWidth(first)-textWidth(ellipsis)), " ")
}

// commonWords returns the words that all names have.
func commonWords(names []string) map[string]bool {
	common := make(map[string]bool)
	if len(names) == 0 {
		return common
	}
	for word := range strings.FieldsSeq(names[0]) {
		common[word] = !slices.ContainsFunc(names, func(name string) bool {
			return !slices.Contains(strings.Fields(name), word)
		})
	}
	return common
}

// otherWords leaves the words out of a name that others share, except for the first word.
func otherWords(name string, shared map[string]bool) string {
	text, between := "", ""
	for i, word := range strings.Fields(name) {
		if i > 0 && shared[word] {
			between = ellipsis
			continue
		}
		text += between + word
		between = " "
	}
	return text + strings.TrimSpace(between)
}

// untaken returns text, or with a number if it is taken, and takes it.
func untaken(text string, width int, taken map[string]bool) string {
	unique := text
	for number := 2; taken[unique]; number++ {
		mark := fmt.Sprintf("~%d", number)
		unique = head(text, max(width-len(mark), 0)) + mark
	}
	taken[unique] = true
	return unique
}

// pad fills or cuts s to a width.
func pad(s string, width int) string {
	s = shorten(s, width)
	return s + strings.Repeat(" ", max(width-textWidth(s), 0))
}
