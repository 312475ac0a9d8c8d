// This file reads the headers of Parquet pages.

package pages

import (
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/thrift/lib/go/thrift"
)

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
	encoding     parquet.Encoding
	defEncoding  parquet.Encoding // version 1 only
	repEncoding  parquet.Encoding // version 1 only
	nulls, rows  int32            // version 2 only
	defLen       int32            // bytes of definition levels, version 2 only
	repLen       int32            // bytes of repetition levels, version 2 only
	isCompressed bool             // version 2 only

	described bool // the header of its type was there
}

// parsePageHeader reads a header at the beginning of data and returns its length. The error is errThriftShort if more
// data are needed.
func parsePageHeader(data []byte) (pageHeader, int, error) {
	h := pageHeader{kind: -1, isCompressed: true}
	t := newThriftReader(data)
	// The header of the page's type follows the fields of all pages.
	parts := map[int16]struct {
		kind  int32
		field func(t *thriftReader, id int16, kind thrift.TType)
	}{5: {pageData, h.dataField}, 7: {pageDictionary, h.dictionaryField}, 8: {pageDataV2, h.dataFieldV2}}
	t.fields(func(id int16, kind thrift.TType) {
		switch part, is := parts[id]; {
		case is && kind == thrift.STRUCT && h.kind == part.kind:
			h.described = true
			t.fields(func(id int16, kind thrift.TType) { part.field(t, id, kind) })
		case id == 1:
			h.kind = t.i32(kind)
		case id == 2:
			h.uncompressed = t.i32(kind)
		case id == 3:
			h.compressed = t.i32(kind)
		case id == 4:
			h.crc, h.hasCRC = uint32(t.i32(kind)), true
		default:
			t.skip(kind)
		}
	})
	if t.err == nil && (h.kind < 0 || h.compressed < 0 || h.uncompressed < 0 || h.values < 0) {
		t.err = errThriftBad
	}
	return h, len(data) - t.memory.Len(), t.err
}

func (h *pageHeader) dataField(t *thriftReader, id int16, kind thrift.TType) {
	switch id {
	case 1:
		h.values = t.i32(kind)
	case 2:
		h.encoding = parquet.Encoding(t.i32(kind))
	case 3:
		h.defEncoding = parquet.Encoding(t.i32(kind))
	case 4:
		h.repEncoding = parquet.Encoding(t.i32(kind))
	default:
		t.skip(kind)
	}
}

func (h *pageHeader) dictionaryField(t *thriftReader, id int16, kind thrift.TType) {
	if id > 2 {
		t.skip(kind)
		return
	}
	h.dataField(t, id, kind) // the same two come first
}

func (h *pageHeader) dataFieldV2(t *thriftReader, id int16, kind thrift.TType) {
	switch id {
	case 1:
		h.values = t.i32(kind)
	case 2:
		h.nulls = t.i32(kind)
	case 3:
		h.rows = t.i32(kind)
	case 4:
		h.encoding = parquet.Encoding(t.i32(kind))
	case 5:
		h.defLen = t.i32(kind)
	case 6:
		h.repLen = t.i32(kind)
	case 7:
		h.isCompressed = t.boolean(kind)
	default:
		t.skip(kind)
	}
}
