// This file spares the hashing of item ids that come from the dictionary of a Parquet column.

package shard

import (
	"math"
	"unsafe"

	"github.com/apache/arrow/go/v17/parquet"
)

// codeCache remembers the codes of the values of a dictionary page. Values that come from the dictionary point into it,
// four bytes or more apart, so that their place in it is an index and needs no hashing.
type codeCache struct {
	first uintptr  // address of the dictionary
	codes []uint32 // by place / 4: code + base; valid in this batch if at least base
	base  uint32
	used  uint32 // greatest entry
}

// begin forgets all codes: a batch begins.
func (c *codeCache) begin() {
	if c.base = c.used + 1; c.base > math.MaxUint32-maxDictionaryBytes {
		clear(c.codes)
		c.base = 1
	}
	c.used = c.base
}

// forget drops the dictionary: a row group begins.
func (c *codeCache) forget() {
	clear(c.codes)
	c.codes = c.codes[:0]
}

// page says which bytes the dictionary of the row group takes.
func (c *codeCache) page(dictionary []byte) {
	if len(c.codes) > 0 || len(dictionary) == 0 {
		return
	}
	c.first = uintptr(unsafe.Pointer(unsafe.SliceData(dictionary)))
	n := len(dictionary)/4 + 1
	if cap(c.codes) < n {
		c.codes = make([]uint32, n)
	}
	c.codes = c.codes[:n]
}

// find returns the code of id.
func (c *codeCache) find(id parquet.ByteArray, b *builder) (int32, error) {
	// An address outside of the dictionary gives a place beyond its end, also where the difference wraps around.
	place := (uintptr(unsafe.Pointer(unsafe.SliceData(id))) - c.first) / 4
	if place >= uintptr(len(c.codes)) || len(id) == 0 {
		return b.codeOfBytes(id)
	}
	if entry := c.codes[place]; entry >= c.base {
		return int32(entry - c.base), nil
	}
	code, err := b.codeOfBytes(id)
	if err != nil {
		return 0, err
	}
	c.codes[place] = c.base + uint32(code)
	c.used = max(c.used, c.codes[place])
	return code, nil
}
