// This file takes the beginning of a text as a sample, recognises formats by it, and distinguishes running text from
// lists of items.

package text

import (
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/roles"
)

// SampleBytes is how much decompressed text is looked at.
const SampleBytes = 64 << 10

// Sample is the beginning of a text whose format is wanted.
type Sample struct {
	head   []byte // without a byte order mark
	whole  bool   // head is all of the text
	lines  [][]byte
	wanted reading.Options
}

// sampleLines is the number of lines, other than blank ones, that are looked at.
const sampleLines = 100

// NewSample returns the sample of a text that begins with head, which is all of it if whole is set.
func NewSample(head []byte, whole bool, opts reading.Options) *Sample {
	s := &Sample{head: bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), whole: whole, wanted: opts}
	for line := range bytes.Lines(s.complete()) {
		if len(bytes.TrimSpace(line)) > 0 {
			s.lines = append(s.lines, bytes.TrimRight(line, "\r\n"))
		}
		if len(s.lines) == sampleLines {
			break
		}
	}
	return s
}

// SampleOf returns the sample of a shard.
func SampleOf(ctx context.Context, in reading.Shard) (*Sample, error) {
	stream, err := access.Preview(ctx, in.Object)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	head := make([]byte, SampleBytes)
	n, err := io.ReadFull(stream, head)
	if err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, &fault.Error{Path: in.Path, Row: 1, Err: err}
	}
	return NewSample(head[:n], n < SampleBytes, in.Options), nil
}

// HasZeros reports whether a third of the text or more are zero bytes, as in UTF-16.
func (s *Sample) HasZeros() bool {
	return len(s.head) > 0 && 3*bytes.Count(s.head, []byte{0}) >= len(s.head)
}

// complete returns the lines that are known to the end.
func (s *Sample) complete() []byte {
	if s.whole {
		return s.head
	}
	return s.head[:bytes.LastIndexByte(s.head, '\n')+1]
}

// every reports whether all lines fit a format and at least one suggests it.
func (s *Sample) every(looks func(line []byte) (fits, speaks bool)) bool {
	spoken := false
	for _, line := range s.lines {
		fits, speaks := looks(line)
		if !fits {
			return false
		}
		spoken = spoken || speaks
	}
	return spoken
}

// Separator returns the sign that separates the items in the lines; Blanks without one.
func (s *Sample) Separator() string { return findSeparator(s.lines) }

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
	if err == nil && layout.texts != nil && (len(s.wanted.TextColumns()) > 0 ||
		textNames[roles.FoldName(layout.names[layout.texts[0]])]) {
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
