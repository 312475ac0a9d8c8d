// This file reads baskets: one document per line, item ids separated by white space, as in the FIMI data sets, or by
// a sign such as a comma. An empty line is an empty document; an id that comes n times counts n. Ids are taken as
// they are. It also finds out what separates the items of a line or of a cell, and cuts them apart.

package text

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"anchorage/shard/documents"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/reading"
)

// maxBasketLine is the length of the longest line, in bytes.
const maxBasketLine = 256 << 20

var errBinary = errors.New("this looks like binary data, not like baskets of item ids in UTF-8 text")

// basketBlanks are the bytes of white space within a line.
const basketBlanks = " \t\r\v\f"

// basketByte sorts bytes into those of an id (0) and the others.
var basketByte = func() (class [256]uint8) {
	for b := range byte(0x20) {
		class[b] = basketBinary
	}
	class[0x7f] = basketBinary
	for _, b := range []byte(basketBlanks) {
		class[b] = basketSpace
	}
	class['\n'] = basketEnd
	return class
}()

const (
	basketSpace = iota + 1
	basketEnd
	basketBinary
)

// OpenBaskets opens baskets.
func OpenBaskets(w *access.Watch, in reading.Shard) (reading.Reader, error) {
	return openLines(w, in, maxBasketLine, func(b *bag.Builder) (lineParser, error) {
		if in.Separator != "" && in.Separator != Blanks {
			return lineByLine(func(line []byte) (bool, error) {
				if bytes.ContainsFunc(line, func(r rune) bool { return r < 0x80 && basketByte[r] == basketBinary }) {
					return false, errBinary
				}
				return true, addItems(b, line, in.Separator)
			}), nil
		}
		return func(block []byte) (int, bool, error) { return addBasket(b, block) }, nil
	})
}

// DescribeBaskets finds the separator.
func DescribeBaskets(_ context.Context, in reading.Shard) (documents.Description, documents.Mapping, error) {
	return documents.Description{Rows: -1}, documents.Mapping{Separator: in.Separator}, nil
}

// addItems adds the items that a text lists.
func addItems(b *bag.Builder, text []byte, separator string) error {
	for {
		item, rest, done := cutItem(text, separator)
		if done {
			return nil
		}
		if text = rest; len(item) == 0 {
			continue
		}
		if err := b.AddBytes(item, 1); err != nil {
			return err
		}
	}
}

// addBasket is the lineParser of baskets between blanks, the fastest.
func addBasket(b *bag.Builder, block []byte) (n int, document bool, err error) {
	for at := 0; at < len(block); {
		switch basketByte[block[at]] {
		case basketSpace:
			at++
			continue
		case basketEnd:
			return at + 1, true, nil
		case basketBinary:
			return 0, false, errBinary
		}
		first := at
		for at < len(block) && basketByte[block[at]] == 0 {
			at++
		}
		if err := b.AddBytes(block[first:at], 1); err != nil {
			return 0, false, err
		}
	}
	return len(block), true, nil
}

// Blanks, as a separator, means any white space.
const Blanks = " "

// separators are the signs, other than blanks, that are found without being told.
var separators = []byte{',', '\t', ';', '|'}

// findSeparator returns the sign that separates the items in lines, such as "whole milk,rolls"; Blanks if no sign does
// but some line has blanks within; and "" if no line shows one. It is the most frequent of those that
//
//   - are in a third of the lines or more, or in more lines than have blanks and not the sign, and
//   - are not within items between blanks, such as "milk,2 rolls,1".
//
// Tabs count only where no blank touches them.
func findSeparator(lines [][]byte) string {
	best, most := "", 0
	if slices.ContainsFunc(lines, func(line []byte) bool {
		return bytes.ContainsAny(bytes.TrimSpace(line),
			basketBlanks)
	}) {
		best = Blanks
	}
	for _, sign := range separators {
		if total, fits := separates(lines, sign); fits && total > most {
			best, most = string(sign), total
		}
	}
	return best
}

// separates reports whether a sign separates the items in lines, and how often it occurs in them.
func separates(lines [][]byte, sign byte) (total int, fits bool) {
	with, others := 0, 0
	inner := -1 // signs within each field between blanks; -2 if they differ
	for _, line := range lines {
		line = bytes.Trim(line, " \r")
		n := bytes.Count(line, []byte{sign})
		total += n
		switch {
		case n > 0:
			with++
		case bytes.IndexByte(line, ' ') >= 0:
			others++
		}
		if sign == '\t' {
			if n > 0 && (bytes.Contains(line, []byte("  ")) || bytes.Contains(line, []byte(" \t")) || bytes.Contains(line,
				[]byte("\t "))) {
				return total, false
			}
			continue
		}
		if bytes.IndexByte(line, ' ') >= 0 {
			inner = innerSigns(line, sign, inner)
		}
	}
	return total, inner <= 0 && (3*with >= len(lines) && with > 0 || with > others)
}

// innerSigns returns how many signs are within each of the fields between blanks: inner as of the lines before, or -2
// if fields differ. A sign at the end of a field separates.
func innerSigns(line []byte, sign byte, inner int) int {
	for field := range bytes.FieldsSeq(line) {
		n := bytes.Count(field, []byte{sign})
		if n > 0 && (field[0] == sign || field[len(field)-1] == sign) {
			return -2
		}
		if inner == -1 {
			inner = n
		}
		if inner != n {
			return -2
		}
	}
	return inner
}

// cutItem returns the first item of a text in which items are separated, and what follows it. The item is empty where
// nothing is between two separators. done says that nothing is left. Blanks around an item do not belong to it. An item
// may be in double quotes, with the quotes inside it doubled.
func cutItem(text []byte, separator string) (item, rest []byte, done bool) {
	if len(text) == 0 {
		return nil, nil, true
	}
	if separator == Blanks {
		text = bytes.TrimLeft(text, basketBlanks)
		end := bytes.IndexAny(text, basketBlanks)
		if end < 0 {
			end = len(text)
		}
		return text[:end], text[end:], false
	}
	if item, rest, ok := cutQuoted(text, separator); ok {
		return item, rest, false
	}
	item, rest, _ = bytes.Cut(text, []byte(separator))
	return bytes.TrimSpace(item), rest, false
}

// cutQuoted does so with an item in quotes. ok is false where the text does not begin with one that ends at a
// separator.
func cutQuoted(text []byte, separator string) (item, rest []byte, ok bool) {
	text = bytes.TrimLeft(text, " ")
	if len(text) == 0 || text[0] != '"' {
		return nil, nil, false
	}
	doubled := false
	for at := 1; at < len(text); at++ {
		if text[at] != '"' {
			continue
		}
		if at+1 < len(text) && text[at+1] == '"' {
			doubled = true
			at++
			continue
		}
		item, after := text[1:at], bytes.TrimLeft(text[at+1:], " ")
		if len(after) > 0 && !bytes.HasPrefix(after, []byte(separator)) {
			return nil, nil, false
		}
		if doubled {
			item = bytes.ReplaceAll(item, []byte(`""`), []byte(`"`))
		}
		return bytes.TrimSpace(item), bytes.TrimPrefix(after, []byte(separator)), true
	}
	return nil, nil, false
}
