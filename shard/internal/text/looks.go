// This file recognises text formats by the beginning of a file.

package text

import (
	"bytes"
	"regexp"
	"strconv"

	"anchorage/shard/internal/bag"
)

// when returns what a text shows, if it does; "" otherwise.
func when(shown bool, what string) string {
	if shown {
		return what
	}
	return ""
}

// LooksLikeMatrixMarket looks for the banner of Matrix Market.
func LooksLikeMatrixMarket(s *Sample) string {
	first := bytes.TrimSpace(s.head)
	first = first[:min(len(first), len(matrixBanner))]
	return when(bytes.EqualFold(first, []byte(matrixBanner)), "begins with "+matrixBanner)
}

// LooksLikeWords takes any text if words are asked for.
func LooksLikeWords(s *Sample) string {
	return when(s.wanted.Tokenize, "text, to be cut into words")
}

// LooksLikeDocword looks for a docword header with a fitting first entry. The entry must fit, because three baskets of
// one item each look like a header as well.
func LooksLikeDocword(s *Sample) string {
	return when(isDocword(s.complete()), "three numbers, then lines of three numbers")
}

// isDocword reports whether a text is a docword header and perhaps an entry that fits it.
func isDocword(text []byte) bool {
	var header [3]int64
	seen := 0
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if seen == len(header) {
			entry, n := parseEntry(line)
			return n > 0 && entry.document >= 1 && entry.document <= header[0] && entry.word >= 1 && entry.word <= header[1]
		}
		value, ok := parseHeaderLine(line)
		if !ok {
			return false
		}
		header[seen] = value
		seen++
	}
	return seen == len(header) && header[2] == 0
}

// LooksLikeJSON looks for the beginning of an object, or of an array of objects.
func LooksLikeJSON(s *Sample) string {
	return when(object.Match(s.head), "begins with a JSON object")
}

// object matches the beginning of an object, in an array perhaps: a brace, and a string or the brace's end.
var object = regexp.MustCompile(`^\s*(\[\s*)?\{\s*("|\})`)

// LooksLikeTable looks for the header of a long table whose columns are clear.
func LooksLikeTable(s *Sample) string {
	if len(s.lines) == 0 {
		return ""
	}
	var l csvLayout
	table, err := l.readHeader(s.complete(), s.wanted.NoHeader)
	if err != nil {
		return ""
	}
	if l.spansLines(table, s.whole) {
		return "records whose quoted fields span lines"
	}
	choice, err := l.chooser(s.wanted.Columns).Choose()
	long := err == nil && choice.Long
	layout, err := layoutOf(s.complete(), s.wanted)
	if err == nil && layout.texts != nil && len(s.wanted.TextColumns()) > 0 {
		return "its header names the columns of texts"
	}
	if err == nil && layout.separator != "" && (long || s.wanted.Separator == "") {
		return "its header names a column whose cells hold several items"
	}
	return when(long, "its header names the columns of a long table")
}

// LooksLikeLDAC looks at the lines.
func LooksLikeLDAC(s *Sample) string {
	return when(s.every(isLDAC), "every line has the number of its index:count pairs, then these")
}

func isLDAC(line []byte) (fits, speaks bool) {
	first, rest := cutField(line)
	promised, ok := bag.WholeNumber(first)
	pairs, fits := isPairs(rest)
	return ok && fits && pairs == promised, pairs > 0
}

// LooksLikeLibSVM looks at the lines.
func LooksLikeLibSVM(s *Sample) string {
	return when(s.every(isLibSVM), "every line has a label, then index:count pairs")
}

func isLibSVM(line []byte) (fits, speaks bool) {
	label, rest := cutLabel(line)
	if len(label) == 0 {
		return true, false
	}
	first, _, _ := bytes.Cut(label, []byte(","))
	if _, err := strconv.ParseFloat(string(first), 64); err != nil {
		return false, false
	}
	pairs, fits := isPairs(rest)
	return fits, pairs > 0
}

// isPairs reports whether a line holds nothing but pairs of an index and a number, and how many.
func isPairs(line []byte) (pairs int64, fits bool) {
	pairs, err := eachPair(line, func(_ int64, count []byte) error {
		_, err := strconv.ParseFloat(string(count), 64)
		return err
	})
	return pairs, err == nil
}
