// This file decodes the delta encodings of Parquet. Their headers have been checked by checkDelta.

package pages

import (
	"encoding/binary"
	"errors"
)

var errDelta = errors.New("the delta-encoded values of a page are malformed or end too early")

// delta decodes a sequence of integers that are stored as packed differences.
type delta struct {
	data   []byte
	block  int // values of a block, and of each of its miniblocks
	mini   int
	left   int // values left in all
	first  bool
	last   int64
	least  int64  // smallest difference of the block
	widths []byte // of the miniblocks left in the block
	width  int    // of the miniblock
	inMini int    // values left in the miniblock
	pack   []byte
	bit    int
}

// newDelta reads the header of a sequence.
func newDelta(data []byte) (delta, error) {
	d := delta{data: data, first: true}
	var header [3]uint64
	for i := range header {
		value, n := binary.Uvarint(d.data)
		if n <= 0 || value > 1<<31-1 {
			return d, errDelta
		}
		header[i], d.data = value, d.data[n:]
	}
	first, n := binary.Varint(d.data)
	if n <= 0 || header[0] == 0 || header[1] == 0 || header[0]%header[1] != 0 {
		return d, errDelta
	}
	d.data, d.last = d.data[n:], first
	d.block, d.mini, d.left = int(header[0]), int(header[0]/header[1]), int(header[2])
	return d, nil
}

// next returns the value that follows.
func (d *delta) next() (int64, error) {
	if d.left == 0 {
		return 0, errDelta
	}
	d.left--
	if d.first {
		d.first = false
		return d.last, nil
	}
	if d.inMini == 0 {
		if err := d.nextMini(); err != nil {
			return 0, err
		}
	}
	d.inMini--
	d.last += d.least + int64(d.take())
	return d.last, nil
}

// nextMini begins the next miniblock, and the next block if need be.
func (d *delta) nextMini() error {
	if len(d.widths) == 0 {
		least, n := binary.Varint(d.data)
		count := d.block / d.mini
		if n <= 0 || len(d.data)-n < count {
			return errDelta
		}
		d.least, d.widths, d.data = least, d.data[n:n+count], d.data[n+count:]
	}
	d.width, d.widths = int(d.widths[0]), d.widths[1:]
	size := d.mini / 8 * d.width
	if d.width > 64 || size > len(d.data) {
		return errDelta
	}
	d.pack, d.data, d.bit, d.inMini = d.data[:size], d.data[size:], 0, d.mini
	return nil
}

// take returns the next packed difference.
func (d *delta) take() uint64 {
	if d.width == 0 {
		return 0
	}
	var value uint64
	for got := 0; got < d.width; {
		part := d.pack[d.bit>>3] >> (d.bit & 7)
		n := min(8-d.bit&7, d.width-got)
		value |= uint64(part&(1<<n-1)) << got
		got += n
		d.bit += n
	}
	return value
}
