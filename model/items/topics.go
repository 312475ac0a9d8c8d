// This file defines Topics, what the score takes from a topic model.

package items

import (
	"sync"

	"anchorage/matrix"
)

// Topics is what a topic model says of items that occur together: a token of an item i has topic k with p(k | i),
// another token of the same document has topic l with A_kl/Σ_l A_kl, and a token of topic l is item j with B_jl. So
//
//	t_ij = Σ_kl p(k | i)·(A_kl/Σ_l A_kl)·B_jl
//
// is B·A·Bᵀ with rows that sum to 1. It knows pairs that no document has, and items that few have.
type Topics struct {
	mixtures, items *matrix.Tall
	next            []float64 // A_kl/Σ_l A_kl, K×K row-major
	// single returns items in single precision, for queries: 4·N·K bytes, which the first caller makes.
	single func() *matrix.Single
}

// NewTopics returns the topics of a model: mixtures has p(k | i) in row i, items has B_jk in row j, both N×K, and joint
// is A, K×K row-major. It keeps mixtures and items. It panics if the shapes differ.
func NewTopics(mixtures, items *matrix.Tall, joint []float64) *Topics {
	k := mixtures.Cols()
	if items.Cols() != k || items.Rows() != mixtures.Rows() || len(joint) != k*k {
		panic("items: topics of different shapes")
	}
	t := &Topics{mixtures: mixtures, items: items, next: make([]float64, k*k)}
	t.single = sync.OnceValue(func() *matrix.Single {
		s := matrix.NewSingle(items.Dims())
		for i := range items.Rows() {
			for j, v := range items.Row(i) {
				s.Row(i)[j] = float32(v)
			}
		}
		return s
	})
	for a := range k {
		sum := 0.0
		for _, v := range joint[a*k : a*k+k] {
			sum += max(v, 0)
		}
		for b, v := range joint[a*k : a*k+k] {
			if sum > 0 {
				t.next[a*k+b] = max(v, 0) / sum
			}
		}
	}
	return t
}

// K returns the number of topics.
func (t *Topics) K() int { return t.mixtures.Cols() }

// addMixture adds factor·p(k | i) to dst.
func (t *Topics) addMixture(dst []float64, factor float64, i int32) {
	for k, v := range t.mixtures.Row(int(i)) {
		dst[k] += factor * v
	}
}

// follow sets dst, of length K, to the topics of other tokens, given those of a token.
func (t *Topics) follow(dst, mixture []float64) {
	clear(dst)
	k := t.K()
	for a, v := range mixture {
		for b, next := range t.next[a*k : a*k+k] {
			dst[b] += v * next
		}
	}
}

// at returns Σ_l mixture_l·B_jl.
func (t *Topics) at(mixture []float64, j int) float64 {
	sum := 0.0
	for k, v := range t.items.Row(j) {
		sum += mixture[k] * v
	}
	return sum
}
