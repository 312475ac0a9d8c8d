// This file measures and shortens names. Widths are in cells of a terminal, of which an East Asian character or an emoji takes two.

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rivo/uniseg"
)

const ellipsis = "…"

// textWidth returns the width of s.
func textWidth(s string) int { return uniseg.StringWidth(s) }

// head returns the longest beginning of s, in whole characters as people see them, that fits into a width.
func head(s string, width int) string {
	end, rest, state := 0, s, -1
	for rest != "" {
		var cluster string
		var cells int
		cluster, rest, cells, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if width -= cells; width < 0 {
			break
		}
		end += len(cluster)
	}
	return s[:end]
}

// tail returns the longest end of s that fits into a width.
func tail(s string, width int) string {
	var starts, cells []int
	rest, state := s, -1
	for rest != "" {
		starts = append(starts, len(s)-len(rest))
		var wide int
		_, rest, wide, state = uniseg.FirstGraphemeClusterInString(rest, state)
		cells = append(cells, wide)
	}
	start := len(s)
	for i := len(starts) - 1; i >= 0; i-- {
		if width -= cells[i]; width < 0 {
			break
		}
		start = starts[i]
	}
	return s[start:]
}

// shorten returns s if it fits into a width. Otherwise it leaves out the middle: at blanks if that leaves enough of s, else anywhere.
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

// shortenWords keeps whole words at the beginning and at the end of s, of a width of at most room in all; "" if there are none.
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
	for atEnd := true; len(words) > 0; { // the end tells products apart: it grows first
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

// shortenAll shortens names to a width so that different names stay different, and returns them by name. Names that would look alike
// show what tells them apart.
func shortenAll(names []string, width int) map[string]string {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	shown, taken := make(map[string]string), make(map[string]bool)
	for _, name := range names {
		shown[name] = shorten(name, width)
	}
	var told []string
	for _, alike := range lookAlikes(names, shown) {
		tellApart(shown, alike, width)
		told = append(told, alike...)
	}
	if len(lookAlikes(names, shown)) > 0 { // what tells a few apart can be what they share with others
		tellApart(shown, told, width)
	}
	for _, name := range names {
		shown[name] = untaken(shown[name], width, taken)
	}
	return shown
}

// lookAlikes returns the groups of names that are shown alike, in the order of the names.
func lookAlikes(names []string, shown map[string]string) (groups [][]string) {
	places := make(map[string]int)
	for _, name := range names {
		place, known := places[shown[name]]
		if !known {
			place = len(groups)
			places[shown[name]] = place
			groups = append(groups, nil)
		}
		groups[place] = append(groups[place], name)
	}
	return slices.DeleteFunc(groups, func(group []string) bool { return len(group) < 2 })
}

// tellApart sets what is shown of names that look alike when shortened at words. The first way to cut them that keeps all of them apart
// is taken, otherwise the last.
func tellApart(shown map[string]string, names []string, width int) {
	if len(names) == 0 {
		return
	}
	common, shared := commonPrefix(names), commonWords(names)
	ways := []func(string) string{
		func(name string) string { return cutMiddle(name, width, width/2) },
		func(name string) string { return cutMiddle(name, width, width/4) },
		func(name string) string { return shorten(otherWords(name, shared, true), width) },
		func(name string) string { return shorten(otherWords(name, shared, false), width) },
		func(name string) string { return cutAfter(name, common, width) },
	}
	for _, way := range ways {
		used := make(map[string]bool)
		for _, name := range names {
			shown[name] = way(name)
			used[shown[name]] = true
		}
		if len(used) == len(names) {
			return
		}
	}
}

// cutMiddle keeps the beginning of name, up to a width of begin, and as much of its end as fits into width.
func cutMiddle(name string, width, begin int) string {
	first := strings.TrimRight(head(name, begin), " ")
	return first + ellipsis + strings.TrimLeft(tail(name, width-textWidth(first)-textWidth(ellipsis)), " ")
}

// cutAfter keeps the beginning of name, and what follows the part that it has in common with others.
func cutAfter(name, common string, width int) string {
	begin := head(common, width/3)
	rest := name[len(common):]
	text := begin + ellipsis + rest
	if len(begin) == len(common) {
		text = begin + rest
	}
	if textWidth(text) <= width {
		return text
	}
	return head(text, width-textWidth(ellipsis)) + ellipsis
}

// commonWords returns the words that all names have.
func commonWords(names []string) map[string]bool {
	common := make(map[string]bool)
	for word := range strings.FieldsSeq(names[0]) {
		common[word] = !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(strings.Fields(name), word) })
	}
	return common
}

// otherWords leaves words out of a name that others share: except for the first word, if begin is set.
func otherWords(name string, shared map[string]bool, begin bool) string {
	text, left := "", false
	for i, word := range strings.Fields(name) {
		switch {
		case shared[word] && (i > 0 || !begin):
			left = true
			continue
		case left:
			text += ellipsis
		case text != "":
			text += " "
		}
		text += word
		left = false
	}
	if left {
		text += ellipsis
	}
	return text
}

// commonPrefix returns what all names begin with, in whole characters.
func commonPrefix(names []string) string {
	common := names[0]
	for _, name := range names[1:] {
		end, rest, state := 0, common, -1
		for rest != "" {
			var cluster string
			cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
			if !strings.HasPrefix(name[end:], cluster) {
				break
			}
			end += len(cluster)
		}
		common = common[:end]
	}
	return common
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
