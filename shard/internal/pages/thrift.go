// This file reads Thrift's compact protocol, to check a Parquet footer before Arrow allocates what it promises, and to
// read page headers. Thrift's library passes over values whose sizes are lies until the data end, and allocates no more
// than it has read.

package pages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/thrift/lib/go/thrift"
)

var (
	errThriftShort = errors.New("the metadata end too early")
	errThriftBad   = errors.New("the metadata are malformed")
)

// maxThriftDepth is the deepest nesting of structs and lists; Parquet's metadata need 7.
const maxThriftDepth = 32

// thriftReader reads from memory. The first error stays.
type thriftReader struct {
	memory   *thrift.TMemoryBuffer
	protocol *thrift.TCompactProtocol
	err      error
}

func newThriftReader(data []byte) *thriftReader {
	memory := &thrift.TMemoryBuffer{Buffer: bytes.NewBuffer(data)}
	limit := &thrift.TConfiguration{MaxMessageSize: maxFooterBytes}
	return &thriftReader{memory: memory, protocol: thrift.NewTCompactProtocolConf(memory, limit)}
}

// fail keeps the first error; nil is none.
func (t *thriftReader) fail(err error) {
	switch {
	case t.err != nil || err == nil:
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		t.err = errThriftShort
	case errors.Is(err, errThriftBad):
		t.err = err
	default:
		t.err = fmt.Errorf("%w: %w", errThriftBad, err)
	}
}

// fields calls visit for each field of a struct; visit must read the value, of the given type.
func (t *thriftReader) fields(visit func(id int16, kind thrift.TType)) {
	if t.err != nil {
		return
	}
	_, err := t.protocol.ReadStructBegin(context.Background())
	for t.fail(err); t.err == nil; {
		_, kind, id, err := t.protocol.ReadFieldBegin(context.Background())
		if t.fail(err); t.err != nil {
			return
		}
		if kind == thrift.STOP {
			t.fail(t.protocol.ReadStructEnd(context.Background()))
			return
		}
		visit(id, kind)
	}
}

// skip reads a value of the given type and forgets it.
func (t *thriftReader) skip(kind thrift.TType) {
	if t.err == nil {
		t.fail(thrift.Skip(context.Background(), t.protocol, kind, maxThriftDepth))
	}
}

// i32 reads an integer field if it has the right type.
func (t *thriftReader) i32(kind thrift.TType) int32 {
	return read(t, kind, thrift.I32, t.protocol.ReadI32)
}

// boolean reads a truth value, which is the type of its field.
func (t *thriftReader) boolean(kind thrift.TType) bool {
	return read(t, kind, thrift.BOOL, t.protocol.ReadBool)
}

// read reads a field if it has the wanted type.
func read[T any](t *thriftReader, kind, wanted thrift.TType, read func(context.Context) (T, error)) (value T) {
	if kind != wanted {
		t.fail(errThriftBad)
	}
	if t.err != nil {
		return value
	}
	value, err := read(context.Background())
	t.fail(err)
	return value
}
