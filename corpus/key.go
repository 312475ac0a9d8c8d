// This file defines Key, the hash by which an item is known wherever its index must not matter.

package corpus

// Key returns a 64-bit hash of an item id: FNV-1a followed by the finalizer of MurmurHash3 (fmix64). Without the
// finalizer, the low and high bits of FNV-1a are too regular over short ids. The hash depends only on the bytes of the
// id.
//
// Key must never change: the random numbers of a sketch are functions of it, so sketches made with another Key could
// not be merged with older ones. Two items with the same key would share their random numbers. Among 10⁷ ids the
// probability of that is 3 in a million.
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
