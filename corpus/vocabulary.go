// This file numbers item ids.

package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
	"slices"
)

// Vocabulary numbers distinct item ids from 0, in the order in which they were interned. The zero value is not usable; see
// NewVocabulary. Lookup and the other reading methods may be used by several goroutines at once, as long as none interns.
//
// Ids lie in one block of memory. An id takes its bytes and 16 more there, 16 for its counts, and 5 to 11 in the hash
// table.
type Vocabulary struct {
	// DocumentFrequency (df) and TermFrequency (tf) hold one number per item: over all documents that were read, before
	// any was dropped. They mean nothing where Counted is false.
	DocumentFrequency []int64
	TermFrequency     []int64
	// Counted is false for a list of items that has not met any documents yet.
	Counted bool

	arena []byte
	ends  []int64  // id i is arena[ends[i-1]:ends[i]]
	keys  []uint64 // Key of each id
	table []int32  // open addressing with linear probing, by key: index + 1, or 0 for a free slot; length a power of 2
	words int      // ids that are no canonical decimal int64
}

// NewVocabulary returns an empty vocabulary without counts.
func NewVocabulary() *Vocabulary {
	return &Vocabulary{table: make([]int32, 64)}
}

// room returns an empty vocabulary that has the room for some items of v and no more.
func (v *Vocabulary) room(items []int32) *Vocabulary {
	bytes, slots := 0, 64
	for _, i := range items {
		bytes += len(v.id(int(i)))
	}
	for 4*len(items) > 3*slots {
		slots *= 2
	}
	return &Vocabulary{DocumentFrequency: make([]int64, 0, len(items)), TermFrequency: make([]int64, 0, len(items)),
		arena: make([]byte, 0, bytes), ends: make([]int64, 0, len(items)), keys: make([]uint64, 0, len(items)),
		table: make([]int32, slots)}
}

// Bytes returns how much memory the vocabulary takes.
func (v *Vocabulary) Bytes() int64 {
	return int64(cap(v.arena)) + 4*int64(cap(v.table)) +
		8*int64(cap(v.ends)+cap(v.keys)+cap(v.DocumentFrequency)+cap(v.TermFrequency))
}

// Len returns the number of ids, N.
func (v *Vocabulary) Len() int { return len(v.ends) }

// ID returns id i.
func (v *Vocabulary) ID(i int) string { return string(v.id(i)) }

// id returns id i. It aliases the arena.
func (v *Vocabulary) id(i int) []byte {
	start := int64(0)
	if i > 0 {
		start = v.ends[i-1]
	}
	return v.arena[start:v.ends[i]:v.ends[i]]
}

// Key returns the Key of id i.
func (v *Vocabulary) Key(i int) uint64 { return v.keys[i] }

// Integers reports whether there are ids and all of them are integers: int64 as canonical decimal numbers.
func (v *Vocabulary) Integers() bool { return v.Len() > 0 && v.words == 0 }

// Lookup returns the index of an id, and whether it has one.
func (v *Vocabulary) Lookup(id []byte) (int32, bool) {
	index, _ := v.find(id, Key(id))
	return index, index >= 0
}

// Intern returns the index of an id, which it is given now if it has none. It panics at the 2³¹st id.
func (v *Vocabulary) Intern(id []byte) int32 { return v.InternKeyed(id, Key(id)) }

// find returns the index of an id, or -1 and the slot of the table where it belongs.
func (v *Vocabulary) find(id []byte, key uint64) (index int32, slot uint64) {
	mask := uint64(len(v.table) - 1)
	for slot = key & mask; ; slot = (slot + 1) & mask {
		index = v.table[slot] - 1
		if index < 0 {
			return -1, slot
		}
		if v.keys[index] == key && bytes.Equal(v.id(int(index)), id) {
			return index, slot
		}
	}
}

// InternKeyed is Intern for callers that have computed Key(id) already.
func (v *Vocabulary) InternKeyed(id []byte, key uint64) int32 {
	index, slot := v.find(id, key)
	if index >= 0 {
		return index
	}
	if len(v.ends) == math.MaxInt32 {
		panic("corpus: more than 2^31-1 distinct items")
	}
	index = int32(len(v.ends))
	v.table[slot] = index + 1
	v.arena = append(v.arena, id...)
	v.ends = append(v.ends, int64(len(v.arena)))
	v.keys = append(v.keys, key)
	v.DocumentFrequency = append(v.DocumentFrequency, 0)
	v.TermFrequency = append(v.TermFrequency, 0)
	if !canonicalInteger(id) {
		v.words++
	}
	if 4*len(v.ends) > 3*len(v.table) {
		v.rehash(2 * len(v.table))
	}
	return index
}

// rehash puts all ids into a new table of the given size.
func (v *Vocabulary) rehash(size int) {
	v.table = make([]int32, size)
	mask := uint64(size - 1)
	for i, key := range v.keys {
		slot := key & mask
		for v.table[slot] != 0 {
			slot = (slot + 1) & mask
		}
		v.table[slot] = int32(i) + 1
	}
}

// Fingerprint returns the SHA-256, in hexadecimal, of the ids in order, each preceded by its length in 8 bytes,
// little-endian. Two vocabularies have the same fingerprint when they number the same ids alike.
func (v *Vocabulary) Fingerprint() string {
	digest := sha256.New()
	for i := range v.ends {
		writePrefixed(digest, v.id(i))
	}
	return hex.EncodeToString(digest.Sum(nil))
}

func writePrefixed(digest hash.Hash, id []byte) {
	var length [8]byte
	binary.LittleEndian.PutUint64(length[:], uint64(len(id)))
	digest.Write(length[:]) // a hash never fails
	digest.Write(id)
}

// Uncounted returns a vocabulary of the same ids in the same order whose counts are zero. It shares the ids' memory with
// v; interning in one does not show in the other.
func (v *Vocabulary) Uncounted() *Vocabulary {
	return &Vocabulary{
		DocumentFrequency: make([]int64, v.Len()),
		TermFrequency:     make([]int64, v.Len()),
		arena:             slices.Clip(v.arena),
		ends:              slices.Clip(v.ends),
		keys:              slices.Clip(v.keys),
		table:             slices.Clone(v.table),
		words:             v.words,
	}
}

// canonicalInteger reports whether id is an int64 as strconv.FormatInt writes it.
func canonicalInteger(id []byte) bool {
	digits, limit := id, uint64(math.MaxInt64)
	if len(id) > 1 && id[0] == '-' {
		if digits = id[1:]; digits[0] == '0' {
			return false
		}
		limit++
	}
	if len(digits) == 0 || len(digits) > 19 || digits[0] == '0' && len(digits) > 1 {
		return false
	}
	var value uint64 // 19 digits are less than 2⁶⁴
	for _, digit := range digits {
		if digit < '0' || digit > '9' {
			return false
		}
		value = 10*value + uint64(digit-'0')
	}
	return value <= limit
}
