// This file decodes the delta encodings of Parquet.

package pages

import (
	"encoding/binary"
	"errors"

	"anchorage/shard/fault"
)

var errDelta = errors.New("the delta-encoded values of a page are malformed or end too early")

// delta decodes a sequence of integers that are stored as packed differences.
type delta struct {
	data   []byte
	minis  int // miniblocks of a block
	mini   int // values of a miniblock
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

// newDelta reads the header of a sequence and finds what follows the sequence: it walks the headers of the blocks, so
// that next can rely on them.
func newDelta(data []byte) (d delta, rest []byte) {
	var header [3]uint64 // values and miniblocks of a block, values in all
	for i := range header {
		value, n := binary.Uvarint(data)
		if n <= 0 {
			fault.Throw(errDelta)
		}
		header[i], data = value, data[n:]
	}
	first, n := binary.Varint(data)
	block, minis, total := header[0], header[1], header[2]
	if n <= 0 || minis == 0 || minis > 1<<10 || block == 0 || block > 1<<20 || block%minis != 0 || block/minis%8 != 0 ||
		total > maxPageValues {
		fault.Throw(errDelta)
	}
	d = delta{data: data[n:], first: true, last: first, minis: int(minis), mini: int(block / minis), left: int(total)}
	walk := d
	for left := d.left - 1; left > 0; left -= d.mini {
		walk.nextMini()
	}
	return d, walk.data
}

// next returns the value that follows.
func (d *delta) next() int64 {
	if d.left == 0 {
		fault.Throw(errDelta)
	}
	d.left--
	if d.first {
		d.first = false
		return d.last
	}
	if d.inMini == 0 {
		d.nextMini()
	}
	d.inMini--
	d.last += d.least + int64(d.take())
	return d.last
}

// nextMini begins the next miniblock, and the next block if need be. Miniblocks that no value needs are not stored.
func (d *delta) nextMini() {
	if len(d.widths) == 0 {
		least, n := binary.Varint(d.data)
		if n <= 0 || len(d.data)-n < d.minis {
			fault.Throw(errDelta)
		}
		d.least, d.widths, d.data = least, d.data[n:n+d.minis], d.data[n+d.minis:]
	}
	d.width, d.widths = int(d.widths[0]), d.widths[1:]
	size := d.mini / 8 * d.width
	if d.width > 64 || size > len(d.data) {
		fault.Throw(errDelta)
	}
	d.pack, d.data, d.bit, d.inMini = d.data[:size], d.data[size:], 0, d.mini
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
