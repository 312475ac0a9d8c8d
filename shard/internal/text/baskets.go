// This file reads baskets: one document per line, item ids separated by white space, as in the FIMI data sets, or by a
// sign such as a comma. An empty line is an empty document; an id that comes n times counts n. Ids are taken as they
// are.

package text

import (
	"bytes"
	"context"
	"errors"

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
