// This file finds the messages of Arrow IPC files and streams. Sizes that a header states are compared with the size of
// the file before memory is allocated for them.

package arrowipc

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"

	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/reading"
)

const (
	continuation  = 0xffffffff
	messagePrefix = 8 // bytes in front of a message: the continuation mark and the length

	headerSchema     = 1
	headerDictionary = 2
	headerBatch      = 3

	// maxBatches bounds the index of a file.
	maxBatches = 1 << 22
)

var (
	fileMagic    = []byte("ARROW1")
	featherMagic = []byte("FEA1") // version 1, a separate format
)

// Begins says which of the first bytes of a file of the given size show that it is Arrow or Feather.
func Begins(head []byte, size int64) string {
	switch {
	case bytes.HasPrefix(head, fileMagic):
		return "begins with ARROW1"
	case bytes.HasPrefix(head, featherMagic):
		return "begins with FEA1"
	case len(head) >= 8 && binary.LittleEndian.Uint32(head) == continuation:
		if n := int32(binary.LittleEndian.Uint32(head[4:])); n > 0 && int64(n) <= size-8 {
			return "begins like an Arrow stream"
		}
	}
	return ""
}

// messageBlock is a message: its metadata and its body.
type messageBlock struct {
	meta, metaLength int64
	body, bodyLength int64
}

// recordBatch is a record batch.
type recordBatch struct {
	messageBlock
	number       int   // from 1
	firstRow     int64 // within the file, from 0
	rows         int64
	dictionaries int // number of dictionary messages that come before it
}

// index is where the messages of a file are. It is not changed once read.
type index struct {
	ctx          context.Context
	file         io.ReaderAt
	size         int64
	schema       *fileSchema
	batches      []recordBatch
	dictionaries []messageBlock
	row          int64 // rows of all batches
}

// read reads the index of a file or walks a stream.
func (x *index) read() {
	head := make([]byte, min(8, x.size))
	if _, err := x.file.ReadAt(head, 0); err != nil && err != io.EOF {
		fault.Throw(err)
	}
	switch {
	case bytes.HasPrefix(head, featherMagic):
		fault.Throw(errors.New("this is Feather version 1: write it as version 2, which is an Arrow file, or as Parquet"))
	case bytes.HasPrefix(head, fileMagic):
		x.readFooter()
	default:
		x.readStream()
	}
}

// bytes returns n bytes at an offset.
func (x *index) bytes(offset, n int64) []byte {
	if offset < 0 || n < 0 || n > maxMetadata || offset > x.size || n > x.size-offset {
		fault.Throw(fmt.Errorf("%d bytes of metadata at offset %d are not within the file of %d bytes", n, offset, x.size))
	}
	return readBytes(x.file, offset, n)
}

// readBytes reads n bytes at an offset.
func readBytes(file io.ReaderAt, offset, n int64) []byte {
	data := make([]byte, n)
	fault.Throw(access.ReadFull(file, data, offset))
	return data
}

// checkBlock checks that a message lies within the file.
func (x *index) checkBlock(b messageBlock) error {
	if b.meta < 0 || b.metaLength < 4 || b.metaLength > maxMetadata || b.bodyLength < 0 || b.meta > x.size ||
		b.metaLength > x.size-b.meta || b.bodyLength > x.size-b.body {
		return fmt.Errorf("a message of %d and %d bytes at offset %d is not within the file of %d bytes",
			b.metaLength, b.bodyLength,
			b.meta, x.size)
	}
	return nil
}

// readStream walks the messages of a stream from its beginning.
func (x *index) readStream() {
	for offset := int64(0); offset < x.size; {
		fault.Throw(x.ctx.Err())
		head := x.bytes(offset, min(messagePrefix, x.size-offset))
		if len(head) < 4 {
			fault.Throw(errStream)
		}
		prefix, length := int64(4), binary.LittleEndian.Uint32(head) // before version 0.15 there was no mark
		if length == continuation {
			if len(head) < messagePrefix {
				fault.Throw(errStream)
			}
			prefix, length = messagePrefix, binary.LittleEndian.Uint32(head[4:])
		}
		if length == 0 {
			break
		}
		block := messageBlock{meta: offset, metaLength: prefix + int64(length), body: offset + prefix + int64(length)}
		if x.checkBlock(block) != nil {
			fault.Throw(errStream)
		}
		x.addMessage(&block)
		offset = block.body + block.bodyLength
	}
	if x.schema == nil {
		fault.Throw(errors.New("the Arrow stream has no schema"))
	}
}

var errStream = errors.New("this is no Arrow stream, or it ends in the middle of a message")

// addMessage adds a message of a stream and learns the length of its body.
func (x *index) addMessage(block *messageBlock) {
	message, kind, header := readMessage(x.file, *block)
	block.bodyLength = message.int64(3)
	if x.checkBlock(*block) != nil {
		fault.Throw(errStream)
	}
	switch {
	case kind == headerSchema && x.schema == nil:
		x.schema = parseSchema(header, message.int16(0))
	case x.schema == nil:
		fault.Throw(errors.New("the Arrow stream does not begin with a schema"))
	case kind == headerSchema:
		fault.Throw(errors.New("the Arrow stream has a second schema"))
	case kind == headerDictionary:
		x.dictionaries = append(x.dictionaries, *block)
		if len(x.dictionaries) > maxBatches {
			fault.Throw(fmt.Errorf("there are more than %d dictionaries", maxBatches))
		}
	case kind == headerBatch:
		x.addBatch(*block, &header)
	}
}

// readMessage reads the metadata of a message that lies within the file: the Message table, and the kind and table of
// its header.
func readMessage(file io.ReaderAt, block messageBlock) (message flatTable, kind uint8, header flatTable) {
	data := readBytes(file, block.meta, block.metaLength)
	// The mark and the length are in front.
	prefix := 4
	if len(data) >= messagePrefix && binary.LittleEndian.Uint32(data) == continuation {
		prefix = messagePrefix
	}
	message = rootOf(data[min(prefix, len(data)):])
	header, ok := message.table(2)
	if !ok {
		fault.Throw(errors.New("a message has no header"))
	}
	return message, message.uint8(1), header
}

// addBatch adds a record batch, whose header is read if it is not given.
func (x *index) addBatch(block messageBlock, header *flatTable) {
	fault.Throw(x.ctx.Err())
	batch := recordBatch{messageBlock: block, number: len(x.batches) + 1, firstRow: x.row,
		dictionaries: len(x.dictionaries)}
	fault.Throw(inBatch(batch.number, func() {
		fault.Throw(x.checkBlock(block))
		if header == nil {
			_, kind, own := readMessage(x.file, block)
			if kind != headerBatch {
				fault.Throw(errors.New("the message is not a record batch"))
			}
			header = &own
		}
		batch.rows = header.int64(0)
		checkRows(batch.rows, block.bodyLength)
		if len(x.batches) == maxBatches {
			fault.Throw(fmt.Errorf("there are more than %d record batches", maxBatches))
		}
	}))
	x.row += batch.rows
	if batch.rows > 0 {
		x.batches = append(x.batches, batch)
	}
}

// checkRows checks that a number of rows, or of values, is in proportion to the bytes that hold them, so that the
// time it takes to read a file is in proportion to its size.
func checkRows(rows, bytes int64) {
	if rows < 0 || rows > 1<<48 || float64(rows) > reading.FreeEmpty+reading.EmptyPerLine*float64(bytes) {
		fault.Throw(fmt.Errorf("%d rows or values cannot be in %d bytes", rows, bytes))
	}
}

// readFooter reads the index at the end of an Arrow file.
func (x *index) readFooter() {
	tail := int64(4 + len(fileMagic))
	if x.size < 2*tail {
		fault.Throw(fmt.Errorf("a file of %d bytes is too short for Arrow", x.size))
	}
	end := x.bytes(x.size-tail, tail)
	if !bytes.Equal(end[4:], fileMagic) {
		fault.Throw(errors.New("the file does not end like an Arrow file: it is truncated"))
	}
	length := int64(int32(binary.LittleEndian.Uint32(end)))
	var footer flatTable
	err := fault.Guard(func() error {
		footer = rootOf(x.bytes(x.size-tail-length, length))
		schema, ok := footer.table(1)
		if !ok {
			return errors.New("it has no schema")
		}
		x.schema = parseSchema(schema, footer.int16(0))
		return nil
	})
	if err != nil {
		fault.Throw(fmt.Errorf("the footer cannot be read: %w", err))
	}
	x.blocks(footer, 2, func(block messageBlock) {
		x.dictionaries = append(x.dictionaries, block)
		fault.Throw(x.checkBlock(block))
	})
	x.blocks(footer, 3, func(block messageBlock) { x.addBatch(block, nil) })
}

// blocks calls fn with the messages in a field of the footer.
func (x *index) blocks(footer flatTable, field int, fn func(messageBlock)) {
	footer.each(field, 24, func(at flatbuffers.UOffsetT) {
		b := messageBlock{meta: footer.GetInt64(at), metaLength: int64(footer.GetInt32(at + 8)),
			bodyLength: footer.GetInt64(at + 16)}
		b.body = b.meta + b.metaLength
		fn(b)
	})
}
