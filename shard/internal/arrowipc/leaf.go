// This file turns the values of Arrow columns into item codes, counts and ids.

package arrowipc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"anchorage/shard/fault"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/roles"
)

// chunkValues is how many values are decoded at a time.
const chunkValues = 4 << 10

var (
	errNodes = errors.New("the batch has fewer columns than the schema")
)

// leafReader reads the values of a column, or of the elements of lists, one after the other.
type leafReader struct {
	field  *schemaField
	kind   roles.Kind
	valid  validity
	values bufferCursor // numbers, indices, views or the offsets of strings
	data   bufferCursor // of strings
	width  int          // bytes of a value in values
	at     int64        // end of the last string
	views  [][]byte

	dictionary *dictionaryValues
	codes      bag.Codes

	one      [1]int32      // of Count
	nulls    []bool        // which of the values of a run are missing
	decimals *bag.Decimals // nil where the values are no decimals
	reversed [bag.MaxDecimalBytes]byte
}

func newLeaf(f *schemaField) *leafReader {
	l := &leafReader{field: f, kind: f.kind(), nulls: make([]bool, chunkValues)}
	if f.typ == typeDecimal && !f.dictionary {
		l.decimals = bag.NewDecimals(f.scale)
	}
	switch {
	case f.dictionary:
		l.width = f.indexBits / 8
	case f.typ == typeInt, f.typ == typeDecimal:
		l.width = f.bits / 8
	case f.typ == typeUtf8, f.typ == typeBinary, f.typ == typeFloat && f.float == singlePrecision:
		l.width = 4
	case f.isView():
		l.width = 16
	default:
		l.width = 8
	}
	return l
}

// Name implements longtable.Column.
func (l *leafReader) Name() string { return l.field.name }

func (f *schemaField) isView() bool { return f.typ == typeUtf8View || f.typ == typeBinaryView }

// open begins the values of a batch.
func (l *leafReader) open(body *messageBody, at fieldPlace) error {
	if at.node >= len(body.nodes) {
		return errNodes
	}
	if err := l.valid.open(body, at.buffer, body.nodes[at.node].nulls); err != nil {
		return err
	}
	if err := l.values.open(body, at.buffer+1); err != nil {
		return err
	}
	if l.field.dictionary || l.kind != roles.Bytes {
		return nil
	}
	if l.field.isView() {
		return l.openViews(body, at)
	}
	if err := l.data.open(body, at.buffer+2); err != nil {
		return err
	}
	l.at = 0
	if body.nodes[at.node].length == 0 {
		return nil // such a column may have no offset at all
	}
	first, err := l.offset()
	if err != nil {
		return err
	}
	l.at = first
	return l.data.skip(first)
}

// openViews loads the data that views refer to, in any order.
func (l *leafReader) openViews(body *messageBody, at fieldPlace) error {
	const most = 1 << 30
	l.views = l.views[:0]
	if at.view >= len(body.views) {
		return errors.New("the batch does not say how many data buffers its views have")
	}
	left := int64(most)
	for i := range body.views[at.view] {
		if err := l.data.open(body, at.buffer+2+int(i)); err != nil {
			return err
		}
		data, err := l.data.rest(left)
		if err != nil {
			return err
		}
		left -= int64(len(data))
		l.views = append(l.views, data)
	}
	return nil
}

// offset takes an offset of a string and checks that it does not lead back.
func (l *leafReader) offset() (int64, error) { return l.values.offset(l.width, l.at) }

// skip passes over n values.
func (l *leafReader) skip(n int64) error {
	if err := l.valid.skip(n); err != nil {
		return err
	}
	if l.field.dictionary || l.kind != roles.Bytes || l.field.isView() {
		return l.values.skip(n * int64(l.width))
	}
	for ; n > 0; n-- {
		next, err := l.offset()
		if err != nil {
			return err
		}
		if err := l.data.skip(next - l.at); err != nil {
			return err
		}
		l.at = next
	}
	return nil
}

// text takes the next string of a column that is no dictionary. It is valid until the next call.
func (l *leafReader) text() ([]byte, error) {
	if l.field.isView() {
		return l.view()
	}
	next, err := l.offset()
	if err != nil {
		return nil, err
	}
	n := next - l.at
	l.at = next
	if n > bag.MaxItemBytes {
		err := fmt.Errorf("an id has %d bytes; at most %d are possible", n, bag.MaxItemBytes)
		if l.data.skip(n) != nil {
			return nil, err // the bytes are not there either
		}
		return nil, fault.InRow(err)
	}
	return l.data.take(int(n))
}

// view takes the next view: a length, and either up to 12 bytes or a prefix, a buffer and an offset.
func (l *leafReader) view() ([]byte, error) {
	view, err := l.values.take(16)
	if err != nil {
		return nil, err
	}
	n := int64(int32(binary.LittleEndian.Uint32(view)))
	switch {
	case n < 0 || n > bag.MaxItemBytes:
		return nil, fault.InRow(fmt.Errorf("an id has %d bytes; at most %d are possible", n, bag.MaxItemBytes))
	case n <= 12:
		return view[4 : 4+n], nil
	}
	buffer, offset := int64(int32(binary.LittleEndian.Uint32(view[8:]))),
		int64(int32(binary.LittleEndian.Uint32(view[12:])))
	if buffer < 0 || buffer >= int64(len(l.views)) || offset < 0 || offset+n > int64(len(l.views[buffer])) {
		return nil, errors.New("a string view points outside its buffers")
	}
	return l.views[buffer][offset : offset+n], nil
}

// ID implements longtable.Column.
func (l *leafReader) ID() (text []byte, number int64, null bool, err error) {
	there, err := l.valid.next()
	if err != nil {
		return nil, 0, false, err
	}
	if !there {
		return nil, 0, true, l.skipValues(1)
	}
	if l.kind == roles.Bytes && !l.field.dictionary {
		text, err = l.text()
		return text, 0, false, err
	}
	raw, err := l.values.take(l.width)
	if err != nil {
		return nil, 0, false, err
	}
	if l.decimals != nil {
		text, number, err = l.decimals.ID(l.bigEndian(raw))
		return text, number, false, err
	}
	if !l.field.dictionary {
		number, ok := integerAt(raw, 0, l.width, l.field.signed)
		if !ok {
			return nil, 0, false, fault.InRow(fmt.Errorf("id %d is greater than %d", uint64(number), int64(math.MaxInt64)))
		}
		return nil, number, false, nil
	}
	index, ok := integerAt(raw, 0, l.width, l.field.indexSign)
	if !ok || index < 0 || index >= int64(l.dictionary.len()) {
		return nil, 0, false, l.indexError(index)
	}
	text, number, null = l.dictionary.id(int(index))
	return text, number, null, nil
}

// skipValues passes over the places of n values whose validity has been read.
func (l *leafReader) skipValues(n int64) error {
	given := l.valid.given
	l.valid.given = false
	err := l.skip(n)
	l.valid.given = given
	return err
}

// close releases the decompressors.
func (l *leafReader) close() {
	l.valid.cursor.close()
	l.values.close()
	l.data.close()
}
