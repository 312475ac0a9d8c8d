// This file holds the one source of random numbers: a hash of what the number belongs to.

package kernel

// Mix spreads every bit of z over all bits of the result: the finalizer of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014),
// a bijection. Random numbers are made of it as functions of a seed and a key, never in sequence, so that they do not
// depend on who draws them, or when.
func Mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
