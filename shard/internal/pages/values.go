// This file decodes the values of data pages in runs.

package pages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

var errShortValues = errors.New("the values of a page end before its levels")

// pageValues is the state of decoding the values of one page.
type pageValues struct {
	encoding parquet.Encoding
	physical parquet.Type
	width    int // of byte arrays that are all of one length; 0 of others

	plain    []byte
	indices  hybrid
	lengths  delta // integers, or the lengths of byte arrays
	prefixes delta
	previous []byte // the last value, which the next one shares a prefix with: with some writers across pages
	arena    []byte // prefix-encoded values of a run
}

// begin prepares for the values of a page.
func (v *pageValues) begin(encoding parquet.Encoding, leaf *schema.Column, data []byte) (err error) {
	physical := leaf.PhysicalType()
	v.encoding, v.physical, v.width, v.plain = encoding, physical, fixedWidth(leaf), data
	switch encoding {
	case parquet.Encodings.PlainDict, parquet.Encodings.RLEDict:
		if len(data) == 0 {
			v.indices = hybrid{data: nil, width: 1} // without values
			return nil
		}
		v.indices = newHybrid(data[1:], int(data[0]))
	case parquet.Encodings.DeltaBinaryPacked:
		if physical != parquet.Types.Int32 && physical != parquet.Types.Int64 {
			return fmt.Errorf("the encoding %v does not apply to values of the type %v", encoding, physical)
		}
		v.lengths, err = newDelta(data)
	case parquet.Encodings.DeltaLengthByteArray, parquet.Encodings.DeltaByteArray:
		fixed := v.width > 0 && encoding == parquet.Encodings.DeltaByteArray
		if physical != parquet.Types.ByteArray && !fixed {
			return fmt.Errorf("the encoding %v does not apply to values of the type %v", encoding, physical)
		}
		if encoding == parquet.Encodings.DeltaByteArray {
			n, err := checkDelta(data, 0, math.MaxInt32)
			if err != nil {
				return err
			}
			if v.prefixes, err = newDelta(data); err != nil {
				return err
			}
			data = data[n:]
		}
		n, err := checkDelta(data, 0, math.MaxInt32)
		if err != nil {
			return err
		}
		v.plain = data[n:]
		v.lengths, err = newDelta(data)
		return err
	}
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

// int32s fills dst.
func (v *pageValues) int32s(dst []int32) error {
	if v.encoding == parquet.Encodings.DeltaBinaryPacked {
		for i := range dst {
			value, err := v.lengths.next()
			if err != nil {
				return err
			}
			dst[i] = int32(value) // differences wrap around in 32 bits
		}
		return nil
	}
	data, err := v.take(4 * len(dst))
	if err != nil {
		return err
	}
	for i := range dst {
		dst[i] = int32(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return nil
}

// int64s fills dst.
func (v *pageValues) int64s(dst []int64) (err error) {
	if v.encoding == parquet.Encodings.DeltaBinaryPacked {
		for i := range dst {
			if dst[i], err = v.lengths.next(); err != nil {
				return err
			}
		}
		return nil
	}
	data, err := v.take(8 * len(dst))
	if err != nil {
		return err
	}
	for i := range dst {
		dst[i] = int64(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return nil
}

// byteArrays fills dst with slices of the page or, where values share prefixes, of the arena.
func (v *pageValues) byteArrays(dst []parquet.ByteArray) error {
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
func (v *pageValues) prefixed(dst []parquet.ByteArray) error {
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
		dst[i] = parquet.ByteArray(v.arena[:len(v.arena)]) // for its length
	}
	at := 0
	for i := range dst {
		end := len(dst[i])
		dst[i], at = parquet.ByteArray(v.arena[at:end:end]), end
	}
	return nil
}

// fixedWidth returns the length of the values of a column of byte arrays that are all of one length; 0 of others.
func fixedWidth(leaf *schema.Column) int {
	if leaf.PhysicalType() == parquet.Types.FixedLenByteArray {
		return leaf.TypeLength()
	}
	return 0
}

// dictionary is the content of a dictionary page.
type dictionary struct {
	physical parquet.Type
	width    int // of byte arrays that are all of one length; 0 of others
	bytes    []byte
	ends     []uint32 // of the byte arrays of any length
	uuids    bool     // the values are UUIDs
	uuid     [uuidText]byte
	Values   int
}

// load takes over the bytes of a dictionary page of the given number of values.
func (d *dictionary) load(leaf *schema.Column, data []byte, values int) error {
	d.physical, d.bytes, d.Values, d.ends, d.width = leaf.PhysicalType(), data, values, d.ends[:0], fixedWidth(leaf)
	if d.physical != parquet.Types.ByteArray {
		if values*minimumWidth(leaf) > len(data) {
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

// Text returns byte array i as an id. It is valid until the next call.
func (d *dictionary) Text(i uint32) []byte {
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

// Number returns the bits of number i.
func (d *dictionary) Number(i uint32) uint64 {
	if d.physical == parquet.Types.Int64 || d.physical == parquet.Types.Double {
		return binary.LittleEndian.Uint64(d.bytes[8*i:])
	}
	return uint64(binary.LittleEndian.Uint32(d.bytes[4*i:]))
}

// check checks that indices lie within the dictionary.
func (d *dictionary) check(indices []uint32) error {
	greatest := uint32(0)
	for _, index := range indices {
		greatest = max(greatest, index)
	}
	if len(indices) > 0 && int(greatest) >= d.Values {
		return fmt.Errorf("a page refers to value %d of a dictionary that has %d", greatest, d.Values)
	}
	return nil
}
