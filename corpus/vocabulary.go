// This file numbers item ids.

package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"

	"anchorage/internal/process"
)

// Vocabulary numbers distinct item ids from 0, in the order in which they were interned. The zero value is not usable;
// see NewVocabulary. Several goroutines may call Lookup and the other reading methods at once, as long as none interns.
//
// All ids lie in one block of memory. An id takes its bytes and 16 more, 16 bytes for its counts, and 5 to 11 bytes in
// the hash table.
type Vocabulary struct {
	// DocumentFrequency (df) and TermFrequency (tf) have one number per item. They count all documents read, before any
	// was dropped. They are meaningless if Counted is false.
	DocumentFrequency []int64
	TermFrequency     []int64
	// Counted says that documents were counted. It is false for a mere list of items.
	Counted bool
	// Names are names that items have beside their ids, empty for those without; nil if no item has one. It may be shorter
	// than the vocabulary.
	Names []string

	arena []byte
	ends  []int64  // id i is arena[ends[i-1]:ends[i]]
	keys  []uint64 // Key of each id
	// open addressing with linear probing, by key: index + 1, or 0 for a free slot; length a power of 2
	table []int32
	words int // number of ids that are not canonical decimal int64
}

// NewVocabulary returns an empty vocabulary without counts.
func NewVocabulary() *Vocabulary {
	return &Vocabulary{table: make([]int32, 64)}
}

// room returns an empty vocabulary with just enough room for the given items of v.
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

// Bytes returns the memory of the vocabulary, in bytes.
func (v *Vocabulary) Bytes() int64 {
	return int64(cap(v.arena)) + 4*int64(cap(v.table)) +
		8*int64(cap(v.ends)+cap(v.keys)+cap(v.DocumentFrequency)+cap(v.TermFrequency))
}

// Len returns the number of ids, N.
func (v *Vocabulary) Len() int { return len(v.keys) }

// ID returns id i.
func (v *Vocabulary) ID(i int) string { return string(v.id(i)) }

// Name returns the name of item i, its id without one.
func (v *Vocabulary) Name(i int) string {
	if i < len(v.Names) && v.Names[i] != "" {
		return v.Names[i]
	}
	return v.ID(i)
}

// OwnName returns the name that item i has beside its id, "" without one.
func (v *Vocabulary) OwnName(i int) string {
	if name := v.Name(i); name != v.ID(i) {
		return name
	}
	return ""
}

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

// Integers reports whether the vocabulary is not empty and all ids are int64 in canonical decimal form.
func (v *Vocabulary) Integers() bool { return v.Len() > 0 && v.words == 0 }

// Lookup returns the index of an id, and whether the vocabulary has it. The index of an unknown id is negative.
func (v *Vocabulary) Lookup(id []byte) (int32, bool) {
	index, _ := v.find(id, Key(id))
	return index, index >= 0
}

// Intern returns the index of an id. It adds the id if it is new. It panics if there are more than 2³¹−1 ids.
func (v *Vocabulary) Intern(id []byte) int32 { return v.InternKeyed(id, Key(id)) }

// find returns the index of an id and its slot in the table. The index of an unknown id is -1, and the slot is where it
// belongs.
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

// InternKeyed is Intern for callers that have already computed Key(id).
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

// growth returns about how many bytes the vocabulary allocates, beside those that it holds, to take more ids
// with the given number of bytes in all. It is 0 if there is room.
func (v *Vocabulary) growth(ids, bytes int) int64 {
	total := int64(0)
	grow := func(length, capacity, more int, size int64) {
		if length+more > capacity {
			total += size * int64(max(capacity+capacity/4, length+more))
		}
	}
	grow(len(v.arena), cap(v.arena), bytes, 1)
	grow(len(v.ends), cap(v.ends), ids, 8)
	grow(len(v.keys), cap(v.keys), ids, 8)
	grow(len(v.DocumentFrequency), cap(v.DocumentFrequency), ids, 8)
	grow(len(v.TermFrequency), cap(v.TermFrequency), ids, 8)
	slots := int64(len(v.table))
	for 4*int64(len(v.ends)+ids) > 3*slots {
		slots *= 2
		total += 4 * slots
	}
	return total
}

// Reserve returns an error that wraps syscall.ENOMEM if the process has a limit of memory and more ids,
// with the given number of bytes in all, would exceed it. Readings ask before they intern the ids of a run.
func (v *Vocabulary) Reserve(ids, bytes int) error {
	more := v.growth(ids, bytes)
	if more < process.Large {
		return nil
	}
	if err := process.Reserve(more); err != nil {
		return fmt.Errorf("%d items so far: %w", v.Len(), err)
	}
	return nil
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
// little-endian. Two vocabularies have the same fingerprint if they number the same ids in the same way.
func (v *Vocabulary) Fingerprint() string { return fingerprint(v.Len(), v.id) }

// fingerprint returns the Fingerprint of n ids.
func fingerprint(n int, of func(i int) []byte) string {
	digest, length := sha256.New(), make([]byte, 8)
	for i := range n {
		id := of(i)
		binary.LittleEndian.PutUint64(length, uint64(len(id)))
		digest.Write(length) // a hash never fails
		digest.Write(id)
	}
	return hex.EncodeToString(digest.Sum(nil))
}

// Uncounted returns a vocabulary of the same ids in the same order, without counts. It shares the memory of the ids
// with v; interning in one does not change the other.
func (v *Vocabulary) Uncounted() *Vocabulary {
	return &Vocabulary{
		DocumentFrequency: make([]int64, v.Len()),
		TermFrequency:     make([]int64, v.Len()),
		arena:             slices.Clip(v.arena),
		ends:              slices.Clip(v.ends),
		keys:              slices.Clip(v.keys),
		table:             slices.Clone(v.table),
		words:             v.words,
		Names:             v.Names,
	}
}

// canonicalInteger reports whether id is an int64 in the form that strconv.FormatInt writes.
func canonicalInteger(id []byte) bool {
	if n := len(id); n == 0 || id[n-1] < '0' || id[n-1] > '9' { // most words
		return false
	}
	value, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil && strconv.FormatInt(value, 10) == string(id)
}
