// Package safetext makes text that comes from data fit to be shown: ids of items and documents, names of files and
// columns. A terminal must not obey it, nor a spreadsheet compute it.
package safetext

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// formula are the characters with which a spreadsheet takes a cell for a formula, their wide forms among them (OWASP,
// CSV Injection). Tabs and line breaks, which do the same, are escaped before.
const formula = "=+-@＝＋－＠"

// Cell returns s for a cell of a table of comma-separated values, which writers of such tables still have to quote: as
// Text does, and with an apostrophe before a character that would begin a formula.
func Cell(s string) string {
	s = Text(s)
	if first, _ := utf8.DecodeRuneInString(s); s != "" && strings.ContainsRune(formula, first) {
		return "'" + s
	}
	return s
}

// List joins words for a sentence, with commas and, before the last, another word: a, b or c.
func List(words []string, before string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " " + before + " " + words[last]
}

// Text returns s with what a terminal would obey written as an escape: \n for a line break, \x1b for another byte of
// control, \u202e for a character of a kind below.
func Text(s string) string { return escape(s, "") }

// Lines is Text for text of several lines: line breaks and tabs stay.
func Lines(s string) string { return escape(s, "\n\t") }

// escape is Text with some characters that stay.
func escape(s, kept string) string {
	escaped := func(r rune) bool { return obeyed(r) && !strings.ContainsRune(kept, r) }
	if strings.IndexFunc(s, escaped) < 0 {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == utf8.RuneError, !escaped(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

// obeyed reports whether a character does something in place of being shown: control characters, separators of lines,
// invisible marks of format, among them those of the direction of writing, and bytes that are no character. The
// joiners, which Persian, Hindi and emoji need, only shape their neighbors.
func obeyed(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	switch {
	case r == nonJoiner || r == joiner:
		return false
	case r == utf8.RuneError:
		return true // or a replacement character, which Text keeps
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// JSON writes JSON to W, with the characters that Text escapes as escapes of JSON. The values stay the same.
type JSON struct{ W io.Writer }

// Write expects whole characters, as encoding/json writes them.
func (e JSON) Write(text []byte) (int, error) {
	var b strings.Builder
	for _, r := range string(text) {
		switch {
		case r < ' ' || r == utf8.RuneError || !obeyed(r): // JSON has escaped the first already, except between its values
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			high, low := (r-0x10000)>>10+0xd800, (r-0x10000)&0x3ff+0xdc00
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		}
	}
	if _, err := io.WriteString(e.W, b.String()); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Low returns a text in small letters, with accents composed: two that look alike then have the same bytes.
func Low(text string) string { return norm.NFC.String(strings.ToLower(text)) }
