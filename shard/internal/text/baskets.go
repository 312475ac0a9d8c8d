// This file reads baskets, the layout of the FIMI data sets: one document per line, item ids separated by white space.
// An empty line is an empty document; an id that comes n times counts n. Ids are taken as they stand.

package text

import (
	"errors"

	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/reading"
)

// maxBasketLine is the length of the longest line, in bytes.
const maxBasketLine = 256 << 20

var errBinary = errors.New("this looks like binary data, not like baskets of item ids in UTF-8 text")

// basketByte sorts bytes into those of an id (0) and the others.
var basketByte = func() (class [256]uint8) {
	for b := range byte(0x20) {
		class[b] = basketBinary
	}
	class[0x7f] = basketBinary
	for _, b := range []byte(" \t\r\v\f") {
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

// basketLines is the lineParser of baskets.
type basketLines struct{ builder *bag.Builder }

// OpenBaskets opens baskets.
func OpenBaskets(w *access.Watch, in reading.Shard) (reading.Reader, error) {
	return openLines(w, in, maxBasketLine, func(b *bag.Builder) (lineParser, error) { return &basketLines{b}, nil })
}

// line implements lineParser.
func (p *basketLines) line(block []byte) (n int, document bool, err error) {
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
		code, err := p.builder.CodeOfBytes(block[first:at])
		if err == nil {
			err = p.builder.Add(code, 1)
		}
		if err != nil {
			return 0, false, err
		}
	}
	return len(block), true, nil
}
