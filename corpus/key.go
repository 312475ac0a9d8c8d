// This file holds the hash that stands for an item wherever its number must not matter.

package corpus

// Key returns a 64-bit hash of an item id: FNV-1a, followed by the finalizer of MurmurHash3 (fmix64), for the low and high
// bits of FNV-1a alone are too regular over short ids. It depends on the bytes of the id and on nothing else.
//
// The random numbers of a sketch are functions of it: a changed Key would make sketches that cannot be merged with older
// ones, so it must stay as it is. Two items with the same key would share their random numbers; among 10⁷ ids that has a
// chance of 3 in a million.
func Key(id []byte) uint64 {
	hash := uint64(0xcbf29ce484222325)
	for _, c := range id {
		hash = (hash ^ uint64(c)) * 0x100000001b3
	}
	hash ^= hash >> 33
	hash *= 0xff51afd7ed558ccd
	hash ^= hash >> 33
	hash *= 0xc4ceb9fe1a85ec53
	hash ^= hash >> 33
	return hash
}
