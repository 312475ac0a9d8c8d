// This file recognises text formats by the beginning of a file.

package text

import (
	"bytes"
	"regexp"
	"strconv"

	"anchorage/shard/internal/bag"
)

// LooksLikeMatrixMarket looks for the banner of Matrix Market.
func LooksLikeMatrixMarket(s *Sample) string {
	first := bytes.TrimSpace(s.head)
	if len(first) >= len(matrixBanner) && bytes.EqualFold(first[:len(matrixBanner)], []byte(matrixBanner)) {
		return "begins with " + matrixBanner
	}
	return ""
}

// LooksLikeWords takes any text if words are asked for.
func LooksLikeWords(s *Sample) string {
	if s.wanted.Tokenize {
		return "text, to be cut into words"
	}
	return ""
}

// LooksLikeDocword looks for a docword header with a fitting first entry. The entry must fit, because three baskets of
// one item each look like a header as well.
func LooksLikeDocword(s *Sample) string {
	if isDocword(s.complete()) {
		return "three numbers, then lines of three numbers"
	}
	return ""
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
	if object.Match(s.head) {
		return "begins with a JSON object"
	}
	return ""
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
	c := l.chooser(s.wanted.Columns)
	choice, err := c.Choose()
	long := err == nil && choice.Long
	layout, err := layoutOf(s.complete(), s.wanted)
	if err == nil && layout.texts != nil && len(s.wanted.TextColumns()) > 0 {
		return "its header names the columns of texts"
	}
	if err == nil && layout.separator != "" && (long ||
		s.wanted.Separator == "") {
		return "its header names a column whose cells hold several items"
	}
	if long {
		return "its header names the columns of a long table"
	}
	return ""
}

// LooksLikeLDAC looks at the lines.
func LooksLikeLDAC(s *Sample) string {
	if s.every(isLDAC) {
		return "every line has the number of its index:count pairs, then these"
	}
	return ""
}

func isLDAC(line []byte) (fits, speaks bool) {
	first, rest := cutField(line)
	promised, ok := bag.WholeNumber(first)
	pairs, fits := isPairs(rest)
	return ok && fits && pairs == promised, pairs > 0
}

// LooksLikeLibSVM looks at the lines.
func LooksLikeLibSVM(s *Sample) string {
	if s.every(isLibSVM) {
		return "every line has a label, then index:count pairs"
	}
	return ""
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
	for {
		var pair []byte
		if pair, line = cutField(line); len(pair) == 0 {
			return pairs, true
		}
		index, value, found := bytes.Cut(pair, []byte(":"))
		if _, ok := bag.WholeNumber(index); !ok || !found {
			return pairs, false
		}
		if _, err := strconv.ParseFloat(string(value), 64); err != nil {
			return pairs, false
		}
		pairs++
	}
}
