// This file decodes the values of data pages in runs.

package pages

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

var errShortValues = errors.New("the values of a page end before its levels")

// pageValues is the state of decoding the values of one page.
type pageValues struct {
	encoding parquet.Encoding
	width    int // bytes of a value; 0 of byte arrays of any length

	plain    []byte
	indices  hybrid
	lengths  delta // integers, or the lengths of byte arrays
	prefixes delta
	previous []byte // the last value, which the next one shares a prefix with: with some writers across pages
	arena    []byte // prefix-encoded values of a run
}

// begin prepares for the values of a page. hasDict says that the column has a dictionary.
func (v *pageValues) begin(encoding parquet.Encoding, leaf *schema.Column, data []byte, hasDict bool) (err error) {
	v.encoding, v.width, v.plain = encoding, valueWidth(leaf), data
	numbers := leaf.PhysicalType() == parquet.Types.Int32 || leaf.PhysicalType() == parquet.Types.Int64
	fits := leaf.PhysicalType() == parquet.Types.ByteArray
	switch encoding {
	case parquet.Encodings.Plain:
		return nil
	case parquet.Encodings.PlainDict, parquet.Encodings.RLEDict:
		switch {
		case !hasDict:
			return errors.New("a page refers to a dictionary that is not there")
		case len(data) == 0:
			v.indices = hybrid{width: 1} // without values
		case data[0] > 32:
			return errHybrid
		default:
			v.indices = newHybrid(data[1:], int(data[0]))
		}
		return nil
	case parquet.Encodings.DeltaBinaryPacked:
		fits = numbers
	case parquet.Encodings.DeltaLengthByteArray:
	case parquet.Encodings.DeltaByteArray:
		if fits = fits || leaf.PhysicalType() == parquet.Types.FixedLenByteArray; fits {
			if v.prefixes, data, err = newDelta(data); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("the encoding %v is not supported", encoding)
	}
	if !fits {
		return fmt.Errorf("the encoding %v does not apply to values of the type %v", encoding, leaf.PhysicalType())
	}
	v.lengths, v.plain, err = newDelta(data)
	return err
}

// coded reports whether the values are indices of a dictionary.
func (v *pageValues) coded() bool {
	return v.encoding == parquet.Encodings.PlainDict || v.encoding == parquet.Encodings.RLEDict
}

// take returns the next n bytes of plain values.
func (v *pageValues) take(n int) ([]byte, error) {
	if n > len(v.plain) {
		return nil, errShortValues
	}
	taken := v.plain[:n:n]
	v.plain = v.plain[n:]
	return taken, nil
}

// numbers fills dst.
func (v *pageValues) numbers(dst []int64) (err error) {
	if v.encoding == parquet.Encodings.DeltaBinaryPacked {
		for i := range dst {
			if dst[i], err = v.lengths.next(); err != nil {
				return err
			}
			if v.width == 4 {
				dst[i] = int64(int32(dst[i])) // differences wrap around in 32 bits
			}
		}
		return nil
	}
	data, err := v.take(v.width * len(dst))
	if err != nil {
		return err
	}
	if v.width == 4 {
		for i := range dst {
			dst[i] = int64(int32(binary.LittleEndian.Uint32(data[4*i:])))
		}
		return nil
	}
	for i := range dst {
		dst[i] = int64(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return nil
}

// byteArrays fills dst with slices of the page or, where values share prefixes, of the arena.
func (v *pageValues) byteArrays(dst [][]byte) error {
	switch v.encoding {
	case parquet.Encodings.DeltaLengthByteArray:
		for i := range dst {
			n, err := v.lengths.next()
			if err != nil {
				return err
			}
			if n < 0 || n > int64(len(v.plain)) {
				return errShortValues
			}
			dst[i], v.plain = v.plain[:n:n], v.plain[n:]
		}
		return nil
	case parquet.Encodings.DeltaByteArray:
		return v.prefixed(dst)
	}
	if v.width > 0 {
		data, err := v.take(v.width * len(dst))
		if err != nil {
			return err
		}
		for i := range dst {
			dst[i] = data[i*v.width : (i+1)*v.width : (i+1)*v.width]
		}
		return nil
	}
	for i := range dst {
		if len(v.plain) < 4 {
			return errShortValues
		}
		n := int64(binary.LittleEndian.Uint32(v.plain))
		if n > int64(len(v.plain)-4) {
			return errShortValues
		}
		dst[i], v.plain = v.plain[4:4+n:4+n], v.plain[4+n:]
	}
	return nil
}

// prefixed fills dst with values that share a prefix with the one before each.
func (v *pageValues) prefixed(dst [][]byte) error {
	// The arena may move while it grows: values are cut out of it at the end. previous lies elsewhere.
	v.arena = v.arena[:0]
	for i := range dst {
		prefix, err := v.prefixes.next()
		if err != nil {
			return err
		}
		n, err := v.lengths.next()
		if err != nil {
			return err
		}
		if prefix < 0 || prefix > int64(len(v.previous)) || n < 0 || n > int64(len(v.plain)) {
			return errShortValues
		}
		if prefix+n > maxPageBytes || len(v.arena) > maxPageBytes {
			return fmt.Errorf("the values of a page are longer than %d bytes", maxPageBytes)
		}
		if v.width > 0 && prefix+n != int64(v.width) {
			return errShortValues
		}
		v.previous = append(v.previous[:prefix], v.plain[:n]...)
		v.plain = v.plain[n:]
		v.arena = append(v.arena, v.previous...)
		dst[i] = v.arena[:len(v.arena)] // for its length
	}
	at := 0
	for i := range dst {
		end := len(dst[i])
		dst[i], at = v.arena[at:end:end], end
	}
	return nil
}

// valueWidth returns the number of bytes of every value of a column; 0 of byte arrays of any length.
func valueWidth(leaf *schema.Column) int {
	switch leaf.PhysicalType() {
	case parquet.Types.ByteArray:
		return 0
	case parquet.Types.FixedLenByteArray:
		return leaf.TypeLength()
	case parquet.Types.Int64, parquet.Types.Double:
		return 8
	}
	return 4
}

// dictionary is the content of a dictionary page.
type dictionary struct {
	width  int // bytes of a value; 0 of byte arrays of any length
	bytes  []byte
	ends   []uint32 // of the byte arrays of any length
	uuids  bool     // the values are UUIDs
	uuid   [uuidText]byte
	values int
}

// load takes over the bytes of a dictionary page of the given number of values.
func (d *dictionary) load(leaf *schema.Column, data []byte, values int) error {
	d.bytes, d.values, d.ends, d.width = data, values, d.ends[:0], valueWidth(leaf)
	if leaf.PhysicalType() != parquet.Types.ByteArray {
		if values*d.width > len(data) {
			return errShortValues
		}
		return nil
	}
	at := 0
	for range values {
		if len(data)-at < 4 {
			return errShortValues
		}
		n := int64(binary.LittleEndian.Uint32(data[at:]))
		if n > int64(len(data)-at-4) {
			return errShortValues
		}
		at += 4 + int(n)
		d.ends = append(d.ends, uint32(at))
	}
	return nil
}

// text returns byte array i as an id. It is valid until the next call.
func (d *dictionary) text(i uint32) []byte {
	if d.uuids {
		return appendUUID(d.uuid[:0], d.value(i))
	}
	return d.value(i)
}

// value returns byte array i.
func (d *dictionary) value(i uint32) []byte {
	if n := uint32(d.width); n > 0 {
		return d.bytes[i*n : (i+1)*n : (i+1)*n]
	}
	start := uint32(0)
	if i > 0 {
		start = d.ends[i-1]
	}
	return d.bytes[start+4 : d.ends[i] : d.ends[i]]
}

// number returns number i, as the numbers of a run have it.
func (d *dictionary) number(i uint32) int64 {
	if d.width == 8 {
		return int64(binary.LittleEndian.Uint64(d.bytes[8*i:]))
	}
	return int64(int32(binary.LittleEndian.Uint32(d.bytes[4*i:])))
}

// check checks that indices lie within the dictionary.
func (d *dictionary) check(indices []uint32) error {
	greatest := uint32(0)
	for _, index := range indices {
		greatest = max(greatest, index)
	}
	if len(indices) > 0 && int(greatest) >= d.values {
		return fmt.Errorf("a page refers to value %d of a dictionary that has %d", greatest, d.values)
	}
	return nil
}
