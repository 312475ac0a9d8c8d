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

// read reads a field if it has the wanted type.
func read[T any](t *thriftReader, kind, wanted thrift.TType, read func(context.Context) (T, error)) T {
	if kind != wanted {
		fault.Throw(errThriftBad)
	}
	value, err := read(context.Background())
	t.check(err)
	return value
}

// Page types of the Parquet format.
const (
	pageData       = 0
	pageIndex      = 1
	pageDictionary = 2
	pageDataV2     = 3
)

// pageHeader is the header of a page of any type.
type pageHeader struct {
	kind         int32
	uncompressed int32
	compressed   int32
	crc          uint32
	hasCRC       bool

	values       int32 // number of values: of the dictionary, or of levels in a data page
	encoding     int32 // a parquet.Encoding, as the next two are
	defEncoding  int32 // version 1 only
	repEncoding  int32 // version 1 only
	defLen       int32 // bytes of definition levels, version 2 only
	repLen       int32 // bytes of repetition levels, version 2 only
	isCompressed bool  // version 2 only

	described bool // the header of its type was there
}

// parsePageHeader reads a header at the beginning of data and returns its length. The error is errThriftShort if more
// data are needed.
func parsePageHeader(data []byte) (h pageHeader, n int, err error) {
	defer fault.Catch(&err)
	h = pageHeader{kind: -1, isCompressed: true}
	t := newThriftReader(data)
	// The header of the page's type follows the fields of all pages.
	parts := map[int16]struct {
		kind    int32
		numbers map[int16]*int32
	}{
		5: {pageData, map[int16]*int32{1: &h.values, 2: &h.encoding, 3: &h.defEncoding, 4: &h.repEncoding}},
		7: {pageDictionary, map[int16]*int32{1: &h.values, 2: &h.encoding}},
		8: {pageDataV2, map[int16]*int32{1: &h.values, 4: &h.encoding, 5: &h.defLen, 6: &h.repLen}},
	}
	all := map[int16]*int32{1: &h.kind, 2: &h.uncompressed, 3: &h.compressed}
	number := func(to *int32, kind thrift.TType) {
		if to == nil {
			t.skip(kind)
		} else {
			*to = t.i32(kind)
		}
	}
	t.fields(func(id int16, kind thrift.TType) {
		switch part, is := parts[id]; {
		case is && kind == thrift.STRUCT && h.kind == part.kind:
			h.described = true
			t.fields(func(id int16, kind thrift.TType) {
				if id == 7 && h.kind == pageDataV2 {
					h.isCompressed = read(t, kind, thrift.BOOL, t.protocol.ReadBool)
				} else {
					number(part.numbers[id], kind)
				}
			})
		case id == 4:
			h.crc, h.hasCRC = uint32(t.i32(kind)), true
		default:
			number(all[id], kind)
		}
	})
	if h.kind < 0 || h.compressed < 0 || h.uncompressed < 0 || h.values < 0 {
		return h, 0, errThriftBad
	}
	return h, len(data) - t.memory.Len(), nil
}
