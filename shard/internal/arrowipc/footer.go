// This file reads the index at the end of an Arrow file.

package arrowipc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	flatbuffers "github.com/google/flatbuffers/go"
)

// readFooter reads the index at the end of an Arrow file.
func (x *index) readFooter() error {
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
	footer := rootOf(data)
	schema, ok := footer.table(1)
	if !ok {
		return errors.New("the footer cannot be read: it has no schema")
	}
	if x.schema, err = parseSchema(schema, footer.int16(0)); err != nil {
		return fmt.Errorf("the footer cannot be read: %w", err)
	}
	err = x.blocks(footer, 2, func(block messageBlock) error {
		x.dictionaries = append(x.dictionaries, block)
		return x.checkBlock(block)
	})
	if err != nil {
		return err
	}
	return x.blocks(footer, 3, func(block messageBlock) error { return x.addBatch(block, nil) })
}

// blocks calls fn with the messages in a field of the footer.
func (x *index) blocks(footer flatTable, field int, fn func(messageBlock) error) error {
	return footer.each(field, 24, func(at flatbuffers.UOffsetT) error {
		b := messageBlock{meta: footer.GetInt64(at), metaLength: int64(footer.GetInt32(at + 8)),
			bodyLength: footer.GetInt64(at + 16)}
		b.body = b.meta + b.metaLength
		return fn(b)
	})
}
