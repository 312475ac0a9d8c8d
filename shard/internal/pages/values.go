// This file decodes the values of data pages in runs.

package pages

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"anchorage/shard/fault"
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
func (v *pageValues) begin(encoding parquet.Encoding, leaf *schema.Column, data []byte, hasDict bool) {
	v.encoding, v.width, v.plain = encoding, valueWidth(leaf), data
	physical := leaf.PhysicalType()
	fits := physical == parquet.Types.ByteArray
	switch encoding {
	case parquet.Encodings.Plain:
		return
	case parquet.Encodings.PlainDict, parquet.Encodings.RLEDict:
		switch {
		case !hasDict:
			fault.Throw(errors.New("a page refers to a dictionary that is not there"))
		case len(data) == 0:
			v.indices = hybrid{width: 1} // without values
		case data[0] > 32:
			fault.Throw(errHybrid)
		default:
			v.indices = newHybrid(data[1:], int(data[0]))
		}
		return
	case parquet.Encodings.DeltaBinaryPacked:
		fits = physical == parquet.Types.Int32 || physical == parquet.Types.Int64
	case parquet.Encodings.DeltaLengthByteArray:
	case parquet.Encodings.DeltaByteArray:
		if fits = fits || physical == parquet.Types.FixedLenByteArray; fits {
			v.prefixes, data = newDelta(data)
		}
	default:
		fault.Throw(fmt.Errorf("the encoding %v is not supported", encoding))
	}
	if !fits {
		fault.Throw(fmt.Errorf("the encoding %v does not apply to values of the type %v", encoding, physical))
	}
	v.lengths, v.plain = newDelta(data)
}

// take returns the next n bytes of plain values.
func (v *pageValues) take(n int64) []byte {
	if n < 0 || n > int64(len(v.plain)) {
		fault.Throw(errShortValues)
	}
	taken := v.plain[:n:n]
	v.plain = v.plain[n:]
	return taken
}

// numbers fills dst.
func (v *pageValues) numbers(dst []int64) {
	if v.encoding == parquet.Encodings.DeltaBinaryPacked {
		for i := range dst {
			if dst[i] = v.lengths.next(); v.width == 4 {
				dst[i] = int64(int32(dst[i])) // differences wrap around in 32 bits
			}
		}
		return
	}
	data := v.take(int64(v.width * len(dst)))
	if v.width == 4 {
		for i := range dst {
			dst[i] = int64(int32(binary.LittleEndian.Uint32(data[4*i:])))
		}
		return
	}
	for i := range dst {
		dst[i] = int64(binary.LittleEndian.Uint64(data[8*i:]))
	}
}

// byteArrays fills dst with slices of the page or, where values share prefixes, of the arena.
func (v *pageValues) byteArrays(dst [][]byte) {
	switch {
	case v.encoding == parquet.Encodings.DeltaByteArray:
		v.prefixed(dst)
	case v.encoding == parquet.Encodings.DeltaLengthByteArray:
		for i := range dst {
			dst[i] = v.take(v.lengths.next())
		}
	case v.width > 0:
		for i := range dst {
			dst[i] = v.take(int64(v.width))
		}
	default:
		for i := range dst {
			dst[i] = v.take(int64(binary.LittleEndian.Uint32(v.take(4))))
		}
	}
}

// prefixed fills dst with values that share a prefix with the one before each.
func (v *pageValues) prefixed(dst [][]byte) {
	// The arena may move while it grows: values are cut out of it at the end. previous lies elsewhere.
	v.arena = v.arena[:0]
	for i := range dst {
		prefix, n := v.prefixes.next(), v.lengths.next()
		if prefix < 0 || prefix > int64(len(v.previous)) || v.width > 0 && prefix+n != int64(v.width) {
			fault.Throw(errShortValues)
		}
		rest := v.take(n)
		if prefix+n > maxPageBytes || len(v.arena) > maxPageBytes {
			fault.Throw(fmt.Errorf("the values of a page are longer than %d bytes", maxPageBytes))
		}
		v.previous = append(v.previous[:prefix], rest...)
		v.arena = append(v.arena, v.previous...)
		dst[i] = v.arena[:len(v.arena)] // for its length
	}
	at := 0
	for i := range dst {
		end := len(dst[i])
		dst[i], at = v.arena[at:end:end], end
	}
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
	values int
}

// load takes over the bytes of a dictionary page of the given number of values.
func (d *dictionary) load(leaf *schema.Column, data []byte, values int) {
	d.bytes, d.values, d.ends, d.width = data, values, d.ends[:0], valueWidth(leaf)
	if values*d.width > len(data) {
		fault.Throw(errShortValues)
	}
	if d.width > 0 {
		return
	}
	plain := pageValues{plain: data}
	for range values {
		plain.take(int64(binary.LittleEndian.Uint32(plain.take(4))))
		d.ends = append(d.ends, uint32(len(data)-len(plain.plain)))
	}
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
