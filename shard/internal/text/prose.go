// This file distinguishes running text from lists of items.

package text

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ends are the signs at the end of sentences, and pauses those at the end of parts of them.
const (
	ends   = ".!?…。！？؟।"
	pauses = ",;:、，؛،"
)

// FewLines reports whether a text is short: all of it is in the sample, and it has fewer lines than the sample may
// have.
func (s *Sample) FewLines() bool { return s.whole && len(s.lines) < sampleLines }

// IsProse reports whether a text looks like sentences: of its fields between blanks, seven of ten begin with a letter,
// and one of fifty ends with punctuation; two or more end a sentence, and for each of them at most five end a part of
// one, because more commas than that separate items. Text without blanks is prose if every second line has an
// ideographic full stop or comma.
func (s *Sample) IsProse() bool {
	var fields, letters, paused, ended, ideographic int
	for _, line := range s.lines {
		if bytes.ContainsAny(line, "。、，") {
			ideographic++
		}
		for field := range bytes.FieldsSeq(line) {
			fields++
			field = bytes.Trim(field, "\"'()[]*_“”‘’«»")
			if first, _ := utf8.DecodeRune(field); unicode.IsLetter(first) {
				letters++
			}
			last, size := utf8.DecodeLastRune(field)
			switch {
			case size == len(field) || last == utf8.RuneError:
			case strings.ContainsRune(ends, last):
				ended++
			case strings.ContainsRune(pauses, last):
				paused++
			}
		}
	}
	if ideographic > 0 && 2*ideographic >= len(s.lines) {
		return true
	}
	return fields >= 10 && 10*letters >= 7*fields && ended >= 2 && 50*(ended+paused) >= fields && paused <= 5*ended
}
