// This file numbers the items of a batch: by bytes, by integer, and by their places in a dictionary of the file.

package bag

import (
	"bytes"
	"hash/maphash"
	"math"
	"math/bits"

	"anchorage/shard/documents"
)

const minIndexSlots = 1 << 10

// shrunk returns the number of slots for the next batch after one that used some of them: a batch with an unusually
// large dictionary must not make every later one clear a large table.
func shrunk(slots, used int) int {
	if slots > minIndexSlots && used*16 < slots {
		return slots / 2
	}
	return slots
}

// Index finds the codes of byte strings which are in a Dictionary. Open addressing, at most half full. The seed
// of the hash changes from process to process; codes do not depend on it.
type Index struct {
	slots []bytesSlot
	used  int
	seed  maphash.Seed
}

type bytesSlot struct {
	hash uint32
	next uint32 // code + 1; 0 in a free slot
}

// reset empties the index.
func (x *Index) reset() {
	if x.slots == nil {
		return
	}
	if n := shrunk(len(x.slots), x.used); n < len(x.slots) {
		x.slots = make([]bytesSlot, n)
	} else if x.used > 0 {
		clear(x.slots)
	}
	x.used = 0
}

// Find returns the code of id or, without one, -1 and the place at which insert puts it.
func (x *Index) Find(id []byte, ids *documents.Dictionary) (place uint64, code int32) {
	if x.slots == nil {
		x.seed = maphash.MakeSeed()
		x.slots = make([]bytesSlot, minIndexSlots)
	}
	sum := maphash.Bytes(x.seed, id)
	hash := uint32(sum >> 32)
	mask := uint32(len(x.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		slot := x.slots[at]
		if slot.next == 0 {
			return uint64(hash)<<32 | uint64(at), -1
		}
		if slot.hash == hash && bytes.Equal(ids.ID(int(slot.next-1)), id) {
			return 0, int32(slot.next - 1)
		}
	}
}

// Insert enters code at the place that find has just returned.
func (x *Index) Insert(place uint64, code int32) {
	x.slots[uint32(place)] = bytesSlot{hash: uint32(place >> 32), next: uint32(code) + 1}
	x.used++
	if x.used*2 > len(x.slots) {
		x.grow()
	}
}

func (x *Index) grow() {
	old := x.slots
	x.slots = make([]bytesSlot, 2*len(old))
	mask := uint32(len(x.slots) - 1)
	for _, slot := range old {
		if slot.next == 0 {
			continue
		}
		at := slot.hash & mask
		for x.slots[at].next != 0 {
			at = (at + 1) & mask
		}
		x.slots[at] = slot
	}
}

// numberIndex finds the codes of integers: small ones by their place in a table, others in a map.
type numberIndex struct {
	small Codes // by number
	large map[int64]int32
}

// smallNumbers is the length of the longest table of small numbers.
const smallNumbers = 1 << 22

func (x *numberIndex) reset() {
	x.small.Forget()
	if len(x.large) > defaultBatchEntries { // of an unusually long document: later batches should not clear as much
		x.large = nil
	}
	clear(x.large)
}

// find returns the code of a number, -1 without one.
func (x *numberIndex) find(number int64) int32 {
	if uint64(number) < uint64(len(x.small.Known)) {
		if entry := x.small.Known[number]; entry >= x.small.Base {
			return int32(entry - x.small.Base)
		}
		return -1
	}
	return x.findLarge(number)
}

func (x *numberIndex) findLarge(number int64) int32 {
	if code, known := x.large[number]; known {
		return code
	}
	return -1
}

// insert enters a number with its code.
func (x *numberIndex) insert(number int64, code int32) {
	if uint64(number) < smallNumbers {
		if int(number) >= len(x.small.Known) {
			x.small.Grow(max(minIndexSlots, 1<<bits.Len64(uint64(number))))
		}
		x.small.Set(uint32(number), code)
		return
	}
	if x.large == nil {
		x.large = make(map[int64]int32)
	}
	x.large[number] = code
}

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
