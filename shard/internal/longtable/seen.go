// This file finds out documents whose rows are not adjacent.

package longtable

import "hash/maphash"

// documentSet remembers documents by 64-bit hashes of their keys. A document greater than all before it is new for
// certain. Of the others the set remembers the first maxSeen, so a document that comes again is noticed if it is among
// those. The probability that two different documents are taken for one is below 10⁻⁶.
type documentSet struct {
	hashes   []uint64 // open addressing, at most half full; 0 is a free place
	used     int
	greatest []byte
}

// maxSeen bounds the set to 64 MiB.
const maxSeen = 4 << 20

// documentSeed makes hashes differ between processes, so that no file can be made whose documents collide.
var documentSeed = maphash.MakeSeed()

// enter notes a document and reports whether it is new, as far as can be told.
func (s *documentSet) enter(key []byte) bool {
	rising := string(key) > string(s.greatest)
	if rising {
		s.greatest = append(s.greatest[:0], key...)
	}
	hash := max(maphash.Bytes(documentSeed, key), 1)
	if s.hashes == nil {
		s.hashes = make([]uint64, 1<<10)
	}
	at := s.find(hash)
	if s.hashes[at] == hash {
		return rising
	}
	if s.used == maxSeen {
		return true
	}
	s.hashes[at] = hash
	if s.used++; 2*s.used > len(s.hashes) {
		old := s.hashes
		s.hashes = make([]uint64, 2*len(old))
		for _, hash := range old {
			if hash != 0 {
				s.hashes[s.find(hash)] = hash
			}
		}
	}
	return true
}

// find returns the place of a hash, or the free one for it.
func (s *documentSet) find(hash uint64) int {
	mask := len(s.hashes) - 1
	at := int(hash>>32) & mask
	for s.hashes[at] != 0 && s.hashes[at] != hash {
		at = (at + 1) & mask
	}
	return at
}
