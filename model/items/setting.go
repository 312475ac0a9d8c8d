// This file defines Setting, the few numbers that say how pairs, their inverse and topics make a score, and Topics,
// what the score takes from a topic model.

package items

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"anchorage/internal/toplist"
	"anchorage/matrix"
)

// Setting says how a score is made. That of item j for a basket S is
//
//	score(j | S) = (Pairs·c_j(S) + Inverse·r_j(S) + Topics·t_j(S))/(w_j + 5)^Peculiar
//	c_j(S) = mean over i∈S of w_ij/(w_i + 5)
//	r_j(S) = m_j + Σ_{i∈S} b_ij·(1 − m_i) − Σ_{i∉S} b_ij·m_i,  m_i = c_i/M
//	t_j(S) = mean over i∈S of (s_i/c_i)·t_ij
//
// Each of the three estimates the probability that a document with S has j. Conditional counts c_j know which items
// share documents; w_i and w_ij count short documents more (Weight). The neighbourhood inverse r_j is a linear
// regression of j on its neighbours (Pairs.Invert), which knows what several items of a basket say together; it is best
// where documents are long. Topics t_j (type Topics) know pairs that no document has. Peculiar goes from popular to
// peculiar: 0 orders by probability, more favours items of few documents.
type Setting struct {
	Pairs    float64 `json:"pairs"`    // 0 to 1, as Inverse and Topics; learned ones have the sum 1
	Inverse  float64 `json:"inverse"`  // 0 for pairs without Pairs.Inverse
	Topics   float64 `json:"topics"`   // 0 without topics
	Peculiar float64 `json:"peculiar"` // 0 to 1
}

// shrink is added to w_i: what an item of no documents has for certainty.
const shrink = 5

// DefaultSetting is for pairs with which no setting was learned.
var DefaultSetting = Setting{Pairs: 1, Peculiar: 0.15}

// TopicsOnly is for a model without pairs.
var TopicsOnly = Setting{Topics: 1, Peculiar: 0.15}

// Check reports whether all numbers are within their bounds and give a score.
func (s Setting) Check() bool {
	for _, v := range []float64{s.Pairs, s.Inverse, s.Topics, s.Peculiar} {
		if !(v >= 0 && v <= 1) {
			return false
		}
	}
	return s.Pairs+s.Inverse+s.Topics > 0
}

// sum combines the three estimates: the score of an item before it is divided.
func (s *Setting) sum(e *estimate) float64 {
	return s.Pairs*float64(e.pairs) + s.Inverse*float64(e.inverse) + s.Topics*float64(e.topics)
}

// divisor returns (w + 5)^−Peculiar.
func (s *Setting) divisor(weighted float64) float64 { return math.Pow(weighted+shrink, -s.Peculiar) }

// An Aim is what recommendations are for: how much finding rare items may cost.
type Aim string

// The aims.
const (
	Popular  Aim = "popular"
	Balanced Aim = "balanced" // the default
	Rare     Aim = "rare"
)

// Aims are all aims, with the share of recall@20 and NDCG@100 that more of the rarer half of sales may cost.
var Aims = []struct {
	Name Aim
	Cost float64
	Help string
}{
	{Popular, 0, "what most baskets hold"},
	{Balanced, 0.01, "rare items where that costs less than a hundredth"},
	{Rare, 0.1, "rare items where that costs less than a tenth"},
}

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
