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

	"anchorage/shard/fault"
)

var (
	errThriftShort = errors.New("the metadata end too early")
	errThriftBad   = errors.New("the metadata are malformed")
)

// maxThriftDepth is the deepest nesting of structs and lists; Parquet's metadata need 7.
const maxThriftDepth = 32

// thriftReader reads from memory. Its methods throw errors.
type thriftReader struct {
	memory   *thrift.TMemoryBuffer
	protocol *thrift.TCompactProtocol
}

func newThriftReader(data []byte) *thriftReader {
	memory := &thrift.TMemoryBuffer{Buffer: bytes.NewBuffer(data)}
	limit := &thrift.TConfiguration{MaxMessageSize: maxFooterBytes}
	return &thriftReader{memory: memory, protocol: thrift.NewTCompactProtocolConf(memory, limit)}
}

// check throws an error of the library.
func (t *thriftReader) check(err error) {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		err = errThriftShort
	case err != nil:
		err = fmt.Errorf("%w: %w", errThriftBad, err)
	}
	fault.Throw(err)
}

// fields calls visit for each field of a struct; visit must read the value, of the given type.
func (t *thriftReader) fields(visit func(id int16, kind thrift.TType)) {
	_, err := t.protocol.ReadStructBegin(context.Background())
	t.check(err)
	for {
		_, kind, id, err := t.protocol.ReadFieldBegin(context.Background())
		if t.check(err); kind == thrift.STOP {
			t.check(t.protocol.ReadStructEnd(context.Background()))
			return
		}
		visit(id, kind)
	}
}

// skip reads a value of the given type and forgets it.
func (t *thriftReader) skip(kind thrift.TType) {
	t.check(thrift.Skip(context.Background(), t.protocol, kind, maxThriftDepth))
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
func read[T any](t *thriftReader, kind, wanted thrift.TType, read func(context.Context) (T, error)) T {
	if kind != wanted {
		fault.Throw(errThriftBad)
	}
	value, err := read(context.Background())
	t.check(err)
	return value
}
