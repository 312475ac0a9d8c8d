// This file ranks documents by how likely the items of a query are in them.

package bayes

import (
	"math"

	"anchorage/bayes/internal/batch"
)

// Ranking says what puts one document before another.
type Ranking string

const (
	// ByItems ranks by the likelihood of the query's tokens under a model of each document (Wei & Croft, LDA-based
	// document models for ad-hoc retrieval, SIGIR 2006):
	//
	//	p(i | d) = λ·(c_di + μ·p_i)/(n_d + μ) + (1−λ)·Σ_k p(i | k)·θ_dk
	//
	// with λ = 0.7 from there, c_di and n_d the counts of the document, p_i = Σ_k p(i | k)·p(k), and μ the mean number of
	// tokens of the documents that the model was learned from. The first part counts what the document holds, the second
	// what its topics make likely. Lift is the geometric mean of p(i | d)/p_i over the tokens of the query.
	ByItems Ranking = "items"
	// ByTopics ranks by the cosine of places. Documents of the same topics rank alike, whatever they hold.
	ByTopics Ranking = "topics"
)

// ownWeight is λ: how much of a document's model is what it holds.
const ownWeight = 0.7

// ranker computes the lift of a query.
type ranker struct {
	query  *Query
	rows   []float64 // p(i | k) of each item of the query, K each
	p      []float64 // p_i of each
	mu     float64
	tokens float64 // of the query
}

func newRanker(s *State, query *Query) *ranker {
	k := s.Options.Topics
	r := &ranker{query: query, rows: make([]float64, k*len(query.Items)), p: make([]float64, len(query.Items)),
		mu: float64(s.Corpus.Tokens) / float64(max(s.Corpus.Documents, 1))}
	prior := s.topicShares()
	for j, item := range query.Items {
		row := r.rows[j*k:][:k]
		s.MeanRow(row, int(item))
		r.p[j] = dot(row, prior)
		r.tokens += float64(query.Counts[j])
	}
	return r
}

// topicShares returns p(topic), the row sums of Joint; before the first step all are equal.
func (s *State) topicShares() []float64 {
	k := s.Options.Topics
	shares, total := make([]float64, k), 0.0
	for i, p := range s.joint {
		shares[i/k] += p
		total += p
	}
	for i := range shares {
		if shares[i] /= total; total == 0 {
			shares[i] = 1 / float64(k)
		}
	}
	return shares
}

// lift returns the lift of document d of a batch, whose topics have the given shares, and how many items of the query
// the document holds. The lift of a query without tokens is 1.
func (r *ranker) lift(b *batch.Batch, d int, shares []float64) (lift float64, held int) {
	rows, counts, _ := b.Document(d)
	size := 0.0
	for _, c := range counts {
		size += c
	}
	sum, k := 0.0, len(shares)
	for j, item := range r.query.Items {
		own := 0.0
		if row, found := b.Place(item); found {
			for e, other := range rows {
				if other == row {
					own = counts[e]
					held++
				}
			}
		}
		p := ownWeight*(own+r.mu*r.p[j])/(size+r.mu) + (1-ownWeight)*dot(r.rows[j*k:][:k], shares)
		sum += float64(r.query.Counts[j]) * math.Log(p/r.p[j])
	}
	return math.Exp(sum / max(r.tokens, 1)), held
}
