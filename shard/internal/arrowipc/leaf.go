// This file turns the values of Arrow columns into item codes, counts and ids.

package arrowipc

import (
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/roles"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// chunkValues is how many values are decoded at a time.
const chunkValues = 4 << 10

var (
	errNodes = errors.New("the batch has fewer columns than the schema")
)

// arrowLeaf reads the values of a column, or of the elements of lists, one after the other.
type arrowLeaf struct {
	field  *arrowField
	kind   roles.Kind
	valid  arrowBits
	values arrowCursor // numbers, indices, views or the offsets of strings
	data   arrowCursor // of strings
	width  int         // bytes of a value in values
	at     int64       // end of the last string
	views  [][]byte

	dictionary *arrowDictionary
	codes      bag.Codes
}

func newLeaf(f *arrowField) *arrowLeaf {
	l := &arrowLeaf{field: f, kind: f.kind()}
	switch {
	case f.dictionary:
		l.width = f.indexBits / 8
	case f.typ == arrowInt:
		l.width = f.bits / 8
	case f.typ == arrowUtf8, f.typ == arrowBinary, f.typ == arrowFloat && f.float == arrowSinglePrecision:
		l.width = 4
	case f.isView():
		l.width = 16
	default:
		l.width = 8
	}
	return l
}

func (f *arrowField) isView() bool { return f.typ == arrowUtf8View || f.typ == arrowBinaryView }

// open begins the values of a batch.
func (l *arrowLeaf) open(body *arrowBody, at arrowPlace) error {
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
func (l *arrowLeaf) openViews(body *arrowBody, at arrowPlace) error {
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
func (l *arrowLeaf) offset() (int64, error) { return l.values.offset(l.width, l.at) }

// skip passes over n values.
func (l *arrowLeaf) skip(n int64) error {
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
func (l *arrowLeaf) text() ([]byte, error) {
	if l.field.isView() {
		return l.view()
	}
	next, err := l.offset()
	if err != nil {
		return nil, err
	}
	n := next - l.at
	if n > bag.MaxItemBytes {
		return nil, fmt.Errorf("an id has %d bytes; at most %d are possible", n, bag.MaxItemBytes)
	}
	l.at = next
	return l.data.take(int(n))
}

// view takes the next view: a length, and either up to 12 bytes or a prefix, a buffer and an offset.
func (l *arrowLeaf) view() ([]byte, error) {
	view, err := l.values.take(16)
	if err != nil {
		return nil, err
	}
	n := int64(int32(binary.LittleEndian.Uint32(view)))
	switch {
	case n < 0 || n > bag.MaxItemBytes:
		return nil, fmt.Errorf("an id has %d bytes; at most %d are possible", n, bag.MaxItemBytes)
	case n <= 12:
		return view[4 : 4+n], nil
	}
	buffer, offset := int64(int32(binary.LittleEndian.Uint32(view[8:]))), int64(int32(binary.LittleEndian.Uint32(view[12:])))
	if buffer < 0 || buffer >= int64(len(l.views)) || offset < 0 || offset+n > int64(len(l.views[buffer])) {
		return nil, errors.New("a view of a string leads out of its buffers")
	}
	return l.views[buffer][offset : offset+n], nil
}

// integerAt returns integer i of raw as a signed number; ok is false beyond the greatest of these.
func integerAt(raw []byte, i, width int, signed bool) (value int64, ok bool) {
	switch width {
	case 1:
		if signed {
			return int64(int8(raw[i])), true
		}
		return int64(raw[i]), true
	case 2:
		v := binary.LittleEndian.Uint16(raw[2*i:])
		if signed {
			return int64(int16(v)), true
		}
		return int64(v), true
	case 4:
		v := binary.LittleEndian.Uint32(raw[4*i:])
		if signed {
			return int64(int32(v)), true
		}
		return int64(v), true
	}
	value = int64(binary.LittleEndian.Uint64(raw[8*i:]))
	return value, signed || value >= 0
}

// itemCodes fills dst, at most arrowChunk long, with the codes of the next values.
func (l *arrowLeaf) itemCodes(b *bag.Builder, dst []int32) error {
	if there, err := l.valid.all(len(dst)); err != nil {
		return err
	} else if !there {
		return bag.ErrNullItem
	}
	if l.kind == roles.Bytes && !l.field.dictionary {
		for i := range dst {
			id, err := l.text()
			if err != nil {
				return err
			}
			if dst[i], err = b.CodeOfBytes(id); err != nil {
				return err
			}
		}
		return nil
	}
	raw, err := l.values.take(len(dst) * l.width)
	if err != nil {
		return err
	}
	if l.field.dictionary {
		return l.dictionaryCodes(b, raw, dst)
	}
	switch { // the usual cases without a switch per value
	case l.width == 8 && l.field.signed:
		for i := range dst {
			if dst[i], err = b.CodeOfNumber(int64(binary.LittleEndian.Uint64(raw[8*i:]))); err != nil {
				return err
			}
		}
		return nil
	case l.width == 4:
		number := int64(0)
		for i := range dst {
			if number = int64(binary.LittleEndian.Uint32(raw[4*i:])); l.field.signed {
				number = int64(int32(number))
			}
			if dst[i], err = b.CodeOfNumber(number); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range dst {
		number, ok := integerAt(raw, i, l.width, l.field.signed)
		if !ok {
			return fmt.Errorf("item id %d is greater than %d", uint64(number), int64(math.MaxInt64))
		}
		if dst[i], err = b.CodeOfNumber(number); err != nil {
			return err
		}
	}
	return nil
}

// dictionaryCodes fills dst with the codes of the values with the indices in raw.
func (l *arrowLeaf) dictionaryCodes(b *bag.Builder, raw []byte, dst []int32) (err error) {
	known, base := l.codes.Known[:l.dictionary.len()], l.codes.Base
	for i := range dst {
		index := uint64(0)
		if l.width == 4 {
			index = uint64(binary.LittleEndian.Uint32(raw[4*i:]))
		} else {
			number, _ := integerAt(raw, i, l.width, l.field.indexSign)
			index = uint64(number)
		}
		if index >= uint64(len(known)) {
			return l.indexError(int64(index))
		}
		if entry := known[index]; entry >= base {
			dst[i] = int32(entry - base)
			continue
		}
		if dst[i], err = l.dictionary.code(b, int(index)); err != nil {
			return err
		}
		l.codes.Set(uint32(index), dst[i])
	}
	return nil
}

func (l *arrowLeaf) indexError(index int64) error {
	return fmt.Errorf("an index into the dictionary, %d, is not among its %d values", index, l.dictionary.len())
}

// counts fills dst, at most arrowChunk long, with the next values.
func (l *arrowLeaf) counts(dst []int32) error {
	if there, err := l.valid.all(len(dst)); err != nil {
		return err
	} else if !there {
		return bag.ErrNullCount
	}
	raw, err := l.values.take(len(dst) * l.width)
	if err != nil {
		return err
	}
	if l.kind == roles.Int && l.width >= 4 { // the usual cases without a switch per value
		bad := int64(0)
		for i := range dst {
			count := int64(0)
			if l.width == 8 {
				count = int64(binary.LittleEndian.Uint64(raw[8*i:]))
			} else {
				count = int64(int32(binary.LittleEndian.Uint32(raw[4*i:])))
			}
			bad |= (count - 1) | (bag.MaxCount - count) // negative if any is out of range
			dst[i] = int32(count)
		}
		if bad >= 0 {
			return nil
		}
	}
	for i := range dst {
		var count int64
		if l.kind == roles.Float {
			value := 0.0
			if l.width == 4 {
				value = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
			} else {
				value = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
			}
			if count, err = bag.IntegerOf(value); err != nil {
				return err
			}
		} else {
			var ok bool
			if count, ok = integerAt(raw, i, l.width, l.field.signed); !ok {
				return fmt.Errorf("count %d is greater than %d", uint64(count), bag.MaxCount)
			}
		}
		if count < 1 || count > bag.MaxCount {
			return bag.CheckCount(count)
		}
		dst[i] = int32(count)
	}
	return nil
}

// id takes the next value as an id: bytes, or a number where they are nil. null says that it is missing.
func (l *arrowLeaf) id() (text []byte, number int64, null bool, err error) {
	there, err := l.valid.next()
	if err != nil {
		return nil, 0, false, err
	}
	if !there {
		return nil, 0, true, l.skipValue()
	}
	if l.kind == roles.Bytes && !l.field.dictionary {
		text, err = l.text()
		return text, 0, false, err
	}
	raw, err := l.values.take(l.width)
	if err != nil {
		return nil, 0, false, err
	}
	if !l.field.dictionary {
		number, ok := integerAt(raw, 0, l.width, l.field.signed)
		if !ok {
			return nil, 0, false, fmt.Errorf("id %d is greater than %d", uint64(number), int64(math.MaxInt64))
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

// skipValue passes over the place of a null.
func (l *arrowLeaf) skipValue() error {
	given := l.valid.given
	l.valid.given = false
	err := l.skip(1)
	l.valid.given = given
	return err
}

// close releases the decompressors.
func (l *arrowLeaf) close() {
	l.valid.cursor.close()
	l.values.close()
	l.data.close()
}
