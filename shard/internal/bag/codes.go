// This file avoids hashing the item ids of dictionary-encoded columns again and again.

package bag

import "math"

// Codes remembers the codes of the values of a dictionary page, by their indices.
type Codes struct {
	Known []uint32 // code + base of the time; valid if at least base
	Base  uint32
	used  uint32 // greatest entry
}

// Forget drops all codes: a batch begins, or another dictionary.
func (c *Codes) Forget() {
	if c.Base = c.used + 1; c.Base > math.MaxUint32-MaxDictionaryBytes {
		clear(c.Known)
		c.Base = 1
	}
	c.used = c.Base
}

// Grow makes room for a dictionary of n values.
func (c *Codes) Grow(n int) {
	if n > len(c.Known) {
		c.Known = append(c.Known, make([]uint32, n-len(c.Known))...)
	}
}

// Set remembers the code of a value.
func (c *Codes) Set(index uint32, code int32) {
	c.Known[index] = c.Base + uint32(code)
	c.used = max(c.used, c.Known[index])
}
