// This file shortens names of which several are shown together.

package table

import (
	"fmt"
	"slices"
	"strings"

	"anchorage/internal/safetext"
)

// shortenAll shortens names to a width so that different names stay different, and returns them by name. Names that
// would look alike are shown without the words that all of them share; a number marks those that still look alike.
func shortenAll(names []string, width int) map[string]string {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	shown, alike := make(map[string]string), make(map[string][]string)
	for _, name := range names {
		shown[name] = safetext.Shorten(name, width)
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
		shown[name] = safetext.Shorten(otherWords(name, shared), width)
	}
	taken := make(map[string]bool)
	for _, name := range names {
		shown[name] = untaken(shown[name], width, taken)
	}
	return shown
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
			between = safetext.Ellipsis
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
		unique = safetext.Head(text, max(width-len(mark), 0)) + mark
	}
	taken[unique] = true
	return unique
}
