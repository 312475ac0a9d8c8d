// This file spares the hashing of item ids that come from the dictionary of a Parquet column.

package shard

import "math"

// codeCache remembers the codes of the values of a dictionary page, by their indices.
type codeCache struct {
	codes []uint32 // code + base of the time; valid if at least base
	base  uint32
	used  uint32 // greatest entry
}

// forget drops all codes: a batch begins, or another dictionary.
func (c *codeCache) forget() {
	if c.base = c.used + 1; c.base > math.MaxUint32-maxDictionaryBytes {
		clear(c.codes)
		c.base = 1
	}
	c.used = c.base
}

// grow makes room for a dictionary of n values.
func (c *codeCache) grow(n int) {
	if n > len(c.codes) {
		c.codes = append(c.codes, make([]uint32, n-len(c.codes))...)
	}
}

// set remembers the code of a value.
func (c *codeCache) set(index uint32, code int32) {
	c.codes[index] = c.base + uint32(code)
	c.used = max(c.used, c.codes[index])
}
