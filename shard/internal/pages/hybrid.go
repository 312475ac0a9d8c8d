// This file decodes the hybrid of run lengths and bit packing in which Parquet stores levels and dictionary indices,
// and its delta encodings.

package pages

import (
	"encoding/binary"
	"errors"
	"math/bits"

	"anchorage/shard/fault"
)

var errHybrid = errors.New("the runs of a page are malformed or end too early")

// hybrid decodes a sequence of unsigned numbers of the same width, from 0 to 32 bits. What decode is asked for beyond
// the end of the data is an error, and a decode takes time in proportion to what it yields.
type hybrid struct {
	data  []byte
	width int

	repeated int // numbers left of a run of equal ones
	value    uint32
	packed   int // numbers left of a bit-packed run, of which pack holds the bytes
	pack     []byte
	bit      int // of pack, where the next number begins
}

func newHybrid(data []byte, width int) hybrid { return hybrid{data: data, width: width} }

// next begins the next run.
func (h *hybrid) next() {
	head, n := binary.Uvarint(h.data)
	if n <= 0 || head>>1 == 0 || head > 1<<32-1 {
		fault.Throw(errHybrid)
	}
	h.data = h.data[n:]
	run := int(head >> 1)
	if head&1 == 0 {
		size := (h.width + 7) / 8
		if size > len(h.data) {
			fault.Throw(errHybrid)
		}
		h.value = 0
		for i := range size {
			h.value |= uint32(h.data[i]) << (8 * i)
		}
		if bits.Len32(h.value) > h.width {
			fault.Throw(errHybrid)
		}
		h.data, h.repeated = h.data[size:], run
		return
	}
	// The last group of eight may be cut short by writers that do not pad it.
	size := min(run*h.width, len(h.data))
	h.pack, h.data, h.bit = h.data[:size], h.data[size:], 0
	h.packed = run * 8
	if h.width > 0 {
		h.packed = min(h.packed, size*8/h.width)
	}
	if h.packed == 0 {
		fault.Throw(errHybrid)
	}
}

// decode fills dst with the numbers that follow.
func decode[T int16 | uint32](h *hybrid, dst []T) {
	if h.width == 0 {
		clear(dst)
		return
	}
	for len(dst) > 0 {
		switch {
		case h.repeated > 0:
			n := min(h.repeated, len(dst))
			value := T(h.value)
			for i := range dst[:n] {
				dst[i] = value
			}
			h.repeated -= n
			dst = dst[n:]
		case h.packed > 0:
			n := min(h.packed, len(dst))
			unpack(h, dst[:n])
			h.packed -= n
			dst = dst[n:]
		default:
			h.next()
		}
	}
}

// unpack fills dst from the bit-packed run, which has as many numbers left.
func unpack[T int16 | uint32](h *hybrid, dst []T) {
	width, bit := h.width, h.bit
	mask := uint64(1)<<width - 1
	most := (64 - 7) / width // numbers that 8 bytes hold, wherever the first begins
	for len(dst) > 0 {
		at := bit >> 3
		var word uint64
		if at+8 <= len(h.pack) {
			word = binary.LittleEndian.Uint64(h.pack[at:])
		} else {
			for i, b := range h.pack[at:] {
				word |= uint64(b) << (8 * i)
			}
		}
		word >>= bit & 7
		n := min(most, len(dst))
		for i := range dst[:n] {
			dst[i] = T(word & mask)
			word >>= width
		}
		bit += n * width
		dst = dst[n:]
	}
	h.bit = bit
}

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
