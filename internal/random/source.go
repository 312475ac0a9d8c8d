// This file holds sequences of numbers, for distributions that take a number of them not known beforehand.

package random

import "math/rand/v2"

// Source yields the numbers of one seed, stage and key, by increasing index from 0, to the distributions of
// math/rand/v2. It belongs to one goroutine.
type Source struct {
	*rand.Rand
	words words
}

// NewSource returns a source; Seek comes before the first number.
func NewSource() *Source {
	s := &Source{}
	s.Rand = rand.New(&s.words)
	return s
}

// Seek turns to the first number of a seed, a stage and a key.
func (s *Source) Seek(seed uint64, stage Stage, key uint64) {
	s.words = words{base: mix(mix(gamma*seed) + gamma*uint64(stage)), key: key}
}

// words is the rand.Source of a Source.
type words struct {
	base, key, index uint64
}

// Uint64 returns the next number: At(seed, stage, key, index).
func (w *words) Uint64() uint64 {
	bits := columnOf(w.base, w.index).At(w.key)
	w.index++
	return bits
}
