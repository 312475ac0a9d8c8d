// Package random is the only source of random numbers: one function of a seed, a stage, a key and an index.
//
//	At(seed, stage, key, index) = m(m(m(m(γ·seed) + γ·stage) + γ·index) + γ·key)    modulo 2⁶⁴
//
// γ is 2⁶⁴ divided by the golden ratio, and m(z) is the finalizer of SplitMix64 applied to z + γ. So m(h), m(h + γ), …
// are the outputs of SplitMix64 with the state h (Steele, Lea & Flood, OOPSLA 2014), which passes BigCrush, and m is a
// bijection in which each bit of the argument changes each bit of the result about half of the time. For three fixed
// arguments, At is a bijection of the fourth: two keys never share a number of the same stage and index. The key comes
// last, so that a loop over many keys, the rows of a random matrix, costs one m for each (Column).
//
// The seed is that of the run. A Stage names what the number is for; no two uses share one. The key says what the
// number belongs to: the hash of an item's id (corpus.Vocabulary.Key) wherever an item is meant. The index numbers what
// belongs to one key. A number depends on nothing else: not on the order in which numbers are drawn, nor on who draws
// them.
//
// All functions may be called by several goroutines at once. A Source belongs to one.
package random

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// gamma is 2⁶⁴ divided by the golden ratio, made odd.
const gamma = 0x9e3779b97f4a7c15

// mix is the finalizer of SplitMix64, variant 13 of Stafford's, applied to z + γ.
func mix(z uint64) uint64 { return finalize(z + gamma) }

func finalize(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// At returns 64 random bits; see the package documentation.
func At(seed uint64, stage Stage, key, index uint64) uint64 {
	return ColumnOf(seed, stage, index).At(key)
}

// Column is At for one seed, stage and index: a random number for every key. It is the state of SplitMix64 plus γ.
type Column uint64

// ColumnOf returns the column of a seed, a stage and an index.
func ColumnOf(seed uint64, stage Stage, index uint64) Column {
	return columnOf(mix(mix(gamma*seed)+gamma*uint64(stage)), index)
}

func columnOf(base, index uint64) Column { return Column(mix(base+gamma*index) + gamma) }

// At returns At(seed, stage, key, index).
func (c Column) At(key uint64) uint64 { return c.AtStep(Step(key)) }

// Step returns γ·key, for loops over several columns of the same keys.
func Step(key uint64) uint64 { return gamma * key }

// AtStep returns At(key), given Step(key).
func (c Column) AtStep(step uint64) uint64 { return finalize(uint64(c) + step) }

// UniformAtStep returns Uniform(seed, stage, key, index), given Step(key).
func (c Column) UniformAtStep(step uint64) float64 { return unit(c.AtStep(step)) }

// Uniform returns a number that is uniform on (0, 1): one of the 2⁵³ midpoints of equal parts.
func Uniform(seed uint64, stage Stage, key, index uint64) float64 {
	return unit(At(seed, stage, key, index))
}

// Symmetric returns a number that is uniform on (−1, 1), and never 0.
func Symmetric(seed uint64, stage Stage, key, index uint64) float64 {
	return 2*unit(At(seed, stage, key, index)) - 1
}

func unit(bits uint64) float64 { return (float64(bits>>11) + 0.5) * 0x1p-53 }

// Normal returns a standard normal number, by the method of Box & Muller (Ann. Math. Stat. 29, 1958). It takes the
// numbers 2·index and 2·index + 1 of the key.
func Normal(seed uint64, stage Stage, key, index uint64) float64 {
	radius := math.Sqrt(-2 * math.Log(Uniform(seed, stage, key, 2*index)))
	return radius * math.Cos(2*math.Pi*Uniform(seed, stage, key, 2*index+1))
}

// Signs overwrites dst with 1 and −1: the columns from first on of the key's row of signs. Column j is −1 where bit j
// mod 64 of At(seed, stage, key, j/64) is set.
func Signs[T float32 | float64](dst []T, seed uint64, stage Stage, key uint64, first int) {
	var word uint64
	for i := range dst {
		j := first + i
		if i == 0 || j%64 == 0 {
			word = At(seed, stage, key, uint64(j/64))
		}
		dst[i] = 1 - 2*T(word>>(j%64)&1)
	}
}

// Order returns the numbers below n in random order: by At(seed, stage, key(i), index), and equal ones by i. Where keys
// belong to things, the order of the things does not depend on how they are numbered. With a nil key, the numbers are
// used.
func Order(n int, seed uint64, stage Stage, key func(i int) uint64, index uint64) []int {
	column := ColumnOf(seed, stage, index)
	order, values := make([]int, n), make([]uint64, n)
	for i := range order {
		order[i], values[i] = i, column.At(KeyOf(key, i))
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(values[a], values[b]), cmp.Compare(a, b))
	})
	return order
}

// KeyOf returns key(i), or i where key is nil: then items, which have no names, are known by their row numbers.
func KeyOf(key func(i int) uint64, i int) uint64 {
	if key == nil {
		return uint64(i)
	}
	return key(i)
}

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
