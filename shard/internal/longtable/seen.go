// This file finds out documents whose rows are not adjacent.

package longtable

import "hash/maphash"

// documentSet remembers documents by 64-bit hashes of their keys. A document greater than all before it is new for
// certain. Of the others the set remembers the first maxSeen, so a document that comes again is noticed if it is among
// those. The probability that two different documents are taken for one is below 10⁻⁶.
type documentSet struct {
	hashes   map[uint64]struct{}
	greatest []byte
}

// maxSeen bounds the set to about 80 MiB.
const maxSeen = 4 << 20

// documentSeed makes hashes differ between processes, so that no file can be made whose documents collide.
var documentSeed = maphash.MakeSeed()

// enter notes a document and reports whether it is new, as far as can be told.
func (s *documentSet) enter(key []byte) bool {
	rising := string(key) > string(s.greatest)
	if rising {
		s.greatest = append(s.greatest[:0], key...)
	}
	if s.hashes == nil {
		s.hashes = make(map[uint64]struct{})
	}
	hash := maphash.Bytes(documentSeed, key)
	if _, known := s.hashes[hash]; known {
		return rising
	}
	if len(s.hashes) < maxSeen {
		s.hashes[hash] = struct{}{}
	}
	return true
}
