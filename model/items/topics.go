// This file defines Topics, what the score takes from a topic model.

package items

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"anchorage/internal/toplist"
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
}

// NewTopics returns the topics of a model: mixtures has p(k | i) in row i, items has B_jk in row j, both N×K, and joint
// is A, K×K row-major. It keeps mixtures and items. It panics if the shapes differ.
func NewTopics(mixtures, items *matrix.Tall, joint []float64) *Topics {
	k := mixtures.Cols()
	if items.Cols() != k || items.Rows() != mixtures.Rows() || len(joint) != k*k {
		panic("items: topics of different shapes")
	}
	t := &Topics{mixtures: mixtures, items: items, next: make([]float64, k*k)}
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

// follow sets dst, of length K, to the topics of other tokens, given those of a token.
func (t *Topics) follow(dst, mixture []float64) {
	clear(dst)
	k := t.K()
	for a, v := range mixture {
		floats.AddScaled(dst, v, t.next[a*k:a*k+k])
	}
}

// foremostItems is how many items of each topic a basket can reach through it.
const foremostItems = 500

// foremost returns the items of each topic with the greatest B_jk/(c_j+20)^0.3, which is Strength, and with B_jk as
// their scores. counts has c_j.
func (t *Topics) foremost(counts []int64) [][]toplist.Entry {
	divisor := make([]float64, len(counts))
	for j, c := range counts {
		divisor[j] = math.Pow(float64(c)+strengthShrink, -strengthExponent)
	}
	lists := toplist.Columns(t.items.Rows(), t.K(), foremostItems, 0, func(dst []float64, j int) {
		for k, v := range t.items.Row(j) {
			dst[k] = v * divisor[j]
		}
	})
	for k := range lists {
		for x := range lists[k] {
			lists[k][x].Score = t.items.Row(lists[k][x].Item)[k]
		}
	}
	return lists
}
