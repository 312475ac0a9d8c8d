// This file defines Setting, the few numbers that say how pairs, their inverse and topics make a score.

package items

import "math"

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
