// This file reads the index at the end of an Arrow file.

package arrowipc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	flatbuffers "github.com/google/flatbuffers/go"

	"anchorage/shard/fault"
)

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
