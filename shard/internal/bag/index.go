// This file holds the two hash tables that number the items of a batch: by bytes and by integer.

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

// numberIndex finds the codes of integers: small ones by their place in a table, which is emptied by raising base,
// others by open addressing, at most half full.
type numberIndex struct {
	slots []numberSlot
	used  int

	small []uint32 // by number: code + base of the time; valid if at least base
	base  uint32
	most  uint32 // greatest entry
}

// smallNumbers is the length of the longest table of small numbers.
const smallNumbers = 1 << 22

type numberSlot struct {
	number int64
	next   int32 // code + 1; 0 in a free slot
}

// spread is 2^64 divided by the golden ratio: multiplying by it spreads neighbouring integers over the high bits.
const spread = 0x9E3779B97F4A7C15

func (x *numberIndex) reset() {
	if x.base = x.most + 1; x.base > math.MaxUint32-MaxDictionaryBytes {
		clear(x.small)
		x.base = 1
	}
	x.most = x.base
	if x.slots == nil {
		return
	}
	if n := shrunk(len(x.slots), x.used); n < len(x.slots) {
		x.slots = make([]numberSlot, n)
	} else if x.used > 0 {
		clear(x.slots)
	}
	x.used = 0
}

// find returns the code of number or, without one, -1 and the slot in which insert puts it.
func (x *numberIndex) find(number int64) (slot int, code int32) {
	if uint64(number) < uint64(len(x.small)) {
		if entry := x.small[number]; entry >= x.base {
			return 0, int32(entry - x.base)
		}
		return 0, -1
	}
	return x.findLarge(number)
}

func (x *numberIndex) findLarge(number int64) (slot int, code int32) {
	if uint64(number) < smallNumbers {
		return 0, -1 // it has not been met yet, or the table would reach to it
	}
	if x.slots == nil {
		x.slots = make([]numberSlot, minIndexSlots)
	}
	slots := x.slots
	mask := len(slots) - 1
	for at := int(uint64(number)*spread>>32) & mask; ; at = (at + 1) & mask {
		if slots[at].next == 0 {
			return at, -1
		}
		if slots[at].number == number {
			return at, slots[at].next - 1
		}
	}
}

// insert enters number with its code in the slot that find has just returned.
func (x *numberIndex) insert(slot int, number int64, code int32) {
	if uint64(number) < smallNumbers {
		if int(number) >= len(x.small) {
			size := max(minIndexSlots, 1<<bits.Len64(uint64(number)))
			x.small = append(x.small, make([]uint32, size-len(x.small))...)
		}
		x.small[number] = x.base + uint32(code)
		x.most = max(x.most, x.small[number])
		return
	}
	x.slots[slot] = numberSlot{number: number, next: code + 1}
	x.used++
	if x.used*2 <= len(x.slots) {
		return
	}
	old := x.slots
	x.slots = make([]numberSlot, 2*len(old))
	mask := len(x.slots) - 1
	for _, filled := range old {
		if filled.next == 0 {
			continue
		}
		at := int(uint64(filled.number)*spread>>32) & mask
		for x.slots[at].next != 0 {
			at = (at + 1) & mask
		}
		x.slots[at] = filled
	}
}
