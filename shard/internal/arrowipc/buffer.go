// This file reads the buffers of Arrow record batches from their beginning to their end in windows of bounded size,
// decompressing them on the way. So memory does not depend on the size of a batch, nor on what headers say. It also
// reads which values are there, and the lengths of lists.

package arrowipc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
)

const (
	// windowBytes is how much of a buffer is in memory.
	windowBytes = 256 << 10

	codecPlain = -1
	codecLZ4   = 0
	codecZstd  = 1
	codecCount = 2 // size of the types above
)

var (
	errBuffer  = errors.New("a buffer is shorter than its values")
	errOffsets = errors.New("the offsets of lists or strings decrease")
)

// messageBody is the body of the message that is read: where it lies, its buffers and their compression.
type messageBody struct {
	file    io.ReaderAt
	start   int64
	length  int64
	codec   int
	buffers []bufferExtent
	nodes   []nodeLength
	views   []int64 // number of data buffers of each column of views
}

// bufferExtent is where a buffer lies within its body.
type bufferExtent struct{ offset, length int64 }

// nodeLength is the length of a column or of a part of it.
type nodeLength struct{ length, nulls int64 }

// parseBody reads a RecordBatch table.
func parseBody(t flatTable, file io.ReaderAt, block messageBlock) *messageBody {
	b := &messageBody{file: file, start: block.body, length: block.bodyLength, codec: codecPlain}
	t.each(1, 16, func(at flatbuffers.UOffsetT) {
		b.nodes = append(b.nodes, nodeLength{t.GetInt64(at), t.GetInt64(at + 8)})
		checkRows(t.GetInt64(at), block.bodyLength)
	})
	t.each(2, 16, func(at flatbuffers.UOffsetT) {
		extent := bufferExtent{t.GetInt64(at), t.GetInt64(at + 8)}
		b.buffers = append(b.buffers, extent)
		if extent.offset < 0 || extent.length < 0 || extent.offset > b.length || extent.length > b.length-extent.offset {
			fault.Throw(fmt.Errorf("a buffer of %d bytes at %d is not within its body of %d bytes", extent.length,
				extent.offset, b.length))
		}
	})
	if compression, ok := t.table(3); ok {
		if b.codec = int(compression.uint8(0)); b.codec >= codecCount || compression.uint8(1) != 0 {
			fault.Throw(errors.New("the compression is not known: use zstd, lz4 or none"))
		}
	}
	t.each(4, 8, func(at flatbuffers.UOffsetT) { b.views = append(b.views, t.GetInt64(at)) })
	return b
}

// bufferCursor reads a buffer. The zero value is one without bytes. It can be opened again and again.
type bufferCursor struct {
	section io.SectionReader
	source  io.Reader // the section, or what decompresses it
	zstd    *zstd.Decoder
	lz4     *lz4.Reader
	window  []byte
	lo, hi  int // what is in the window and not taken
	size    int64
}

// open begins buffer number i of a body.
func (c *bufferCursor) open(body *messageBody, i int) {
	if i >= len(body.buffers) {
		fault.Throw(errors.New("the batch has fewer buffers than its columns need"))
	}
	extent := body.buffers[i]
	c.lo, c.hi, c.size = 0, 0, extent.length
	c.section = *io.NewSectionReader(body.file, body.start+extent.offset, extent.length)
	c.source = &c.section
	if body.codec == codecPlain || extent.length == 0 {
		return
	}
	if extent.length < 8 {
		fault.Throw(errors.New("a compressed buffer is too short"))
	}
	var head [8]byte
	fault.Throw(access.ReadFull(body.file, head[:], body.start+extent.offset))
	c.section = *io.NewSectionReader(body.file, body.start+extent.offset+8, extent.length-8)
	if c.size = int64(binary.LittleEndian.Uint64(head[:])); c.size == -1 {
		c.size = extent.length - 8 // it did not pay to compress this buffer
		return
	}
	if c.size < 0 {
		fault.Throw(fmt.Errorf("a compressed buffer says that it has %d bytes", c.size))
	}
	c.decompress(body.codec)
}

// decompress puts a decompressor between the section and the window.
func (c *bufferCursor) decompress(codec int) {
	if codec == codecLZ4 {
		if c.lz4 == nil {
			c.lz4 = lz4.NewReader(nil)
		}
		c.lz4.Reset(&c.section)
		c.source = io.LimitReader(c.lz4, c.size)
		return
	}
	if c.zstd == nil {
		var err error
		c.zstd, err = access.NewZstd(nil)
		fault.Throw(err)
	}
	if err := c.zstd.Reset(&c.section); err != nil {
		fault.Throw(access.StreamError(err))
	}
	c.source = io.LimitReader(c.zstd, c.size)
}

// take returns the next n bytes, at most the size of a window. They are valid until the next call.
func (c *bufferCursor) take(n int) []byte {
	if c.hi-c.lo < n {
		c.refill(n)
	}
	taken := c.window[c.lo : c.lo+n]
	c.lo += n
	return taken
}

// appendTo appends the next n bytes to dst.
func (c *bufferCursor) appendTo(dst []byte, n int) []byte {
	c.each(int64(n), func(taken []byte) { dst = append(dst, taken...) })
	return dst
}

// skip passes over n bytes.
func (c *bufferCursor) skip(n int64) { c.each(n, func([]byte) {}) }

// each takes n bytes and passes them on, as the window holds them.
func (c *bufferCursor) each(n int64, pass func(taken []byte)) {
	for n > 0 {
		step := int(min(n, windowBytes))
		if have := c.hi - c.lo; have > 0 {
			step = min(step, have)
		}
		pass(c.take(step))
		n -= int64(step)
	}
}

// refill makes the window hold at least n bytes that are not taken.
func (c *bufferCursor) refill(n int) {
	if c.source == nil {
		fault.Throw(errBuffer)
	}
	if c.window == nil {
		c.window = make([]byte, windowBytes)
	}
	c.hi = copy(c.window, c.window[c.lo:c.hi])
	c.lo = 0
	read, err := io.ReadAtLeast(c.source, c.window[c.hi:], n-c.hi)
	c.hi += read
	switch {
	case c.hi >= n:
		return
	case err == io.EOF, err == io.ErrUnexpectedEOF && c.source == io.Reader(&c.section):
		err = errBuffer
	case c.source != io.Reader(&c.section):
		err = access.StreamError(err)
	}
	fault.Throw(err)
}

// offset takes an offset of 4 or 8 bytes, which must not be less than the one before it.
func (c *bufferCursor) offset(width int, before int64) (next int64) {
	if next = bag.Signed(c.take(width)); next < before {
		fault.Throw(errOffsets)
	}
	return next
}

// rest returns all bytes that are left, at most limit.
func (c *bufferCursor) rest(limit int64) []byte {
	if c.size > limit {
		fault.Throw(fmt.Errorf("a buffer has %d bytes; at most %d are possible here: write smaller batches", c.size, limit))
	}
	if c.source == nil {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(c.source, limit+1))
	if err != nil && c.source != io.Reader(&c.section) {
		err = access.StreamError(err)
	}
	fault.Throw(err)
	return data
}

// close releases the decompressor.
func (c *bufferCursor) close() {
	if c.zstd != nil {
		c.zstd.Close()
		c.zstd = nil
	}
}

// validity reads a validity bitmap: a bit is set where a value is not null. The zero value has no nulls.
type validity struct {
	bufferCursor
	given bool // there is a bitmap
	byte  uint8
	bits  int // of byte that are not taken
}

// begin begins the bitmap of a field.
func (b *validity) begin(body *messageBody, at fieldPlace) {
	if at.node >= len(body.nodes) {
		fault.Throw(errNodes)
	}
	b.bits = 0
	if b.given = body.nodes[at.node].nulls != 0; b.given {
		b.open(body, at.buffer)
		b.given = b.size > 0
	}
}

// next says whether the next value is there.
func (b *validity) next() bool {
	if !b.given {
		return true
	}
	if b.bits == 0 {
		b.byte, b.bits = b.take(1)[0], 8
	}
	there := b.byte&1 != 0
	b.byte >>= 1
	b.bits--
	return there
}

// skip passes over n bits.
func (b *validity) skip(n int64) {
	if !b.given {
		return
	}
	if step := min(n, int64(b.bits)); step > 0 {
		b.byte >>= step
		b.bits -= int(step)
		n -= step
	}
	b.bufferCursor.skip(n / 8)
	for range n % 8 {
		b.next()
	}
}

// mark sets levels to there where the next values are there, and to one less where they are missing.
func (b *validity) mark(levels []int16, there int16) {
	for i := range levels {
		levels[i] = there
	}
	b.limit(levels, there-1)
}

// limit lowers levels to most where the next values are missing.
func (b *validity) limit(levels []int16, most int16) {
	if !b.given {
		return
	}
	for i := 0; i < len(levels); i++ {
		if b.bits == 0 && len(levels)-i >= 8 { // whole bytes are fast, and most have all values
			bits := b.take(1)[0]
			for j := range 8 {
				if bits>>j&1 == 0 {
					levels[i+j] = min(levels[i+j], most)
				}
			}
			i += 7
		} else if !b.next() {
			levels[i] = min(levels[i], most)
		}
	}
}

// lists yields the lengths of the lists of a column.
type lists struct {
	*leaf
	valid   validity
	pairs   validity // of the elements, where they are structs
	offsets bufferCursor
	width   int
	at      int64 // end of the last list
	lead    int64 // elements in front of the first list
}

// open begins the lists of a batch.
func (l *lists) open(body *messageBody, places []fieldPlace) {
	at := places[l.list.ordinal]
	l.valid.begin(body, at)
	if l.pair != nil {
		l.pairs.begin(body, places[l.pair.ordinal])
	}
	l.at, l.lead = 0, 0
	if l.list.typ == typeFixedSizeList {
		return
	}
	l.offsets.open(body, at.buffer+1)
	if body.nodes[at.node].length == 0 {
		return // there may be no offset at all
	}
	l.at = l.offsets.offset(l.width, 0)
	l.lead = l.at
	l.pairs.skip(l.lead)
}

// next returns the length of the next list, and the number of elements to pass over before it: those in front of the
// first list, and those of a null list.
func (l *lists) next() (n, gap int64) {
	there := l.valid.next()
	if l.list.typ == typeFixedSizeList {
		n = int64(l.list.fixed)
	} else {
		next := l.offsets.offset(l.width, l.at)
		n, l.at = next-l.at, next
	}
	gap, l.lead = l.lead, 0
	if there {
		return n, gap
	}
	l.pairs.skip(n)
	return 0, gap + n
}
