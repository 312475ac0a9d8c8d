// This file reads the index at the end of an Arrow file.

package arrowipc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// readFooter reads the index at the end of an Arrow file.
func (x *indexer) readFooter() error {
	tail := int64(4 + len(fileMagic))
	if x.size < 2*tail {
		return fmt.Errorf("a file of %d bytes is too short for Arrow", x.size)
	}
	end, err := x.bytes(x.size-tail, tail)
	if err != nil {
		return err
	}
	if !bytes.Equal(end[4:], fileMagic) {
		return errors.New("the file does not end like an Arrow file: it is truncated")
	}
	length := int64(int32(binary.LittleEndian.Uint32(end)))
	data, err := x.bytes(x.size-tail-length, length)
	if err != nil {
		return fmt.Errorf("the footer cannot be read: %w", err)
	}
	buffer := &flatBuffer{data: data}
	footer := buffer.root()
	schema, ok := footer.table(1)
	if !ok {
		return errors.New("the footer cannot be read: it has no schema")
	}
	if x.plan.schema, err = parseSchema(schema, footer.int16(0)); err != nil {
		return fmt.Errorf("the footer cannot be read: %w", err)
	}
	for _, block := range x.blocks(footer, 2) {
		if err := x.checkBlock(block); err != nil {
			return err
		}
		x.plan.dictionaries = append(x.plan.dictionaries, block)
	}
	for _, block := range x.blocks(footer, 3) {
		if err := x.addBatch(block, nil); err != nil {
			return err
		}
	}
	return buffer.err
}

// blocks reads the list of messages in a field of the footer.
func (x *indexer) blocks(footer flatTable, field int) []messageBlock {
	const size = 24
	first, n := footer.vector(field, size)
	var blocks []messageBlock
	for at := first; n > 0; n, at = n-1, at+size {
		b := messageBlock{meta: footer.buffer.int64(at), metaLength: int64(int32(footer.buffer.uint32(at + 8))),
			bodyLength: footer.buffer.int64(at + 16)}
		b.body = b.meta + b.metaLength
		blocks = append(blocks, b)
	}
	return blocks
}
