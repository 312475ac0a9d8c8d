// This file takes the beginning of a text as a sample, and distinguishes running text from lists of items.

package text

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/reading"
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
