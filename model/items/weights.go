// This file defines Weights, the few numbers that say how pairs, topics and frequencies make a score.

package items

import "math"

// Weights are the global weights of a score. That of item j for a basket S is
//
//	score(j | S) = Σ_{i∈S} idf_i^Rarity/(w_i + Shrink)^Certainty · (w_ij + (r_i + (Prior + Blend·w_i)·ŝ_i)·q_ij)
//	             /(w_j + Shrink)^Peculiar
//	q_ij = Topics·t_ij + (1 − Topics)·c_j/Σ_j c_j
//
// w_i and w_ij are weighted counts (Pairs), in units in which Σ_i w_i = Σ_i c_i. w_ij is 0 if the pair was not kept.
// r_i is what the pairs of i that were not kept have in sum, s_i − Σ_kept c_ij in the same units; ŝ_i = s_i/c_i is the
// mean number of companions. t_ij is that of Topics. idf_i = ln(1 + M/(1 + c_i)).
//
// So the part in brackets is a count of documents with i and j: the one that was counted, and what topics and
// frequencies expect of pairs that were not. Prior matters for items of few documents. Blend matters for all: the mean
// over a basket of what each of its items is counted with misses what kind of basket it is, and the topics know. With
// Certainty 1 and Peculiar 0 the score estimates the probability of j given an item of the basket. Peculiar is the knob
// from popular to peculiar: at 0 frequent items come first, near ½ the measure is like a cosine, at 1 like lift.
type Weights struct {
	Shrink    float64 `json:"shrink"`    // above 0: documents that an item is short of certainty
	Certainty float64 `json:"certainty"` // 0 to 1.5
	Peculiar  float64 `json:"peculiar"`  // 0 to 1
	Rarity    float64 `json:"rarity"`    // 0 to 3: how much more the rare items of a basket count
	Topics    float64 `json:"topics"`    // 0 to 1: the share of topics in what is expected of pairs that were not counted
	Prior     float64 `json:"prior"`     // at least 0: documents that the expectation is worth
	Blend     float64 `json:"blend"`     // at least 0: how much the expectation counts for each document of an item
}

// DefaultWeights are those of a model without learned ones. They were found on several corpora;
// docs/decisions/recommendation.md.
var DefaultWeights = Weights{Shrink: 10, Certainty: 0.95, Peculiar: 0.3, Rarity: 0.3, Topics: 0.7, Prior: 0.1,
	Blend: 0.05}

// parameter is a weight as the learning sees it: a number that may take any value from low to high.
type parameter struct {
	name      string
	low, high float64
	step      float64 // the first that is tried
	log       bool    // steps are factors
	of        func(*Weights) *float64
}

// parameters is the table of the weights.
var parameters = []parameter{
	{"peculiar", 0, 1, 0.15, false, func(w *Weights) *float64 { return &w.Peculiar }},
	{"shrink", 0.5, 500, 1, true, func(w *Weights) *float64 { return &w.Shrink }},
	{"certainty", 0, 1.5, 0.2, false, func(w *Weights) *float64 { return &w.Certainty }},
	{"rarity", 0, 3, 0.4, false, func(w *Weights) *float64 { return &w.Rarity }},
	{"prior", 0.001, 100, 1.5, true, func(w *Weights) *float64 { return &w.Prior }},
	{"blend", 0.0001, 10, 1.2, true, func(w *Weights) *float64 { return &w.Blend }},
	{"topics", 0, 1, 0.3, false, func(w *Weights) *float64 { return &w.Topics }},
}

// moved returns w with one parameter moved by a number of steps, within its bounds.
func (p *parameter) moved(w Weights, steps float64) Weights {
	v := p.of(&w)
	if p.log {
		*v *= math.Exp(steps * p.step)
	} else {
		*v += steps * p.step
	}
	*v = min(max(*v, p.low), p.high)
	return w
}

// Check reports whether all weights are finite and within their bounds; name is the first that is not.
func (w Weights) Check() (name string, ok bool) {
	for _, p := range parameters {
		if v := *p.of(&w); !(v >= p.low && v <= p.high) {
			return p.name, false
		}
	}
	return "", true
}
