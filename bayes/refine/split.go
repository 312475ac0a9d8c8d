// This file finds how each topic splits best: the direction in which its tokens vary together from document to
// document.

package refine

import (
	"context"
	"math"

	"anchorage/internal/random"
	"anchorage/matrix"
)

const (
	// powerPasses is how many passes search for the directions of splits.
	powerPasses = 3
	// splitShift is σ.
	splitShift = 4
)

// splits are the directions in which topics split, while they are searched for and after.
//
// With r_d = (X_id γ_idk)_i − n_dk·B_k of a topic k, tokens drawn only from B_k would give E[r_d r_dᵀ] a known
// diagonal, and 0 beside it up to terms of 1/n. What there is beside it is the topic's excess covariance
//
//	M_k = Σ_d (r_d r_dᵀ − diag(X_id γ_idk)²)
//
// A topic that covers two has a great eigenvalue there: tokens of the one come together, and keep away from those of
// the other. The power method finds it for all topics at once, an iteration a pass, relative to D = diag(n_ik), n_ik =
// Σ_d X_id γ_idk:
//
//	y_d = Σ_i X_id γ_idk v_i    v_i ← Σ_d X_id γ_idk (y_d − X_id γ_idk v_i)/(n_ik + 1) + σ·v_i
//	then Σ_i n_ik v_i = 0 and Σ_i n_ik v_i² = Σ_i n_ik
//
// It starts from random signs. Topics compete for tokens, so most eigenvalues are below 0, down to about −15; σ keeps
// their directions from gaining on the one that is sought. The score of a topic is vᵀMv/vᵀDv: the tokens of a document
// that side with each token.
type splits struct {
	v, sum *matrix.Single // N×K: directions, and Mv
	y      *matrix.Single // a row per document of the batch
	scores []float64      // K
}

func (r *refiner) newSplits(ctx context.Context) (*splits, error) {
	s := &splits{v: matrix.Like(r.sums), sum: matrix.Like(r.sums), y: matrix.NewSingle(batchDocuments, r.k),
		scores: make([]float64, r.k)}
	err := r.each(ctx, func(signs []float64, i int) {
		random.Signs(signs, r.options.Seed, random.RefineSplit, uint64(i), 0)
		for k, v := range signs {
			s.v.Row(i)[k] = float32(v)
		}
	})
	return s, err
}

// findSplits makes the passes of the search, or those that are left of it. They change the topics as others do. The
// splits hold for the topics before the last pass, which are about those after it.
func (r *refiner) findSplits(ctx context.Context) (*splits, error) {
	defer func() { r.splits, r.power = nil, 0 }()
	if r.splits == nil {
		var err error
		if r.splits, err = r.newSplits(ctx); err != nil {
			return nil, err
		}
	}
	s := r.splits
	for ; r.power < powerPasses; r.power++ {
		r.reached(ctx)
		s.sum.Clear()
		if err := r.runPass(ctx); err != nil {
			return nil, err
		}
		if err := r.turn(ctx, s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// project sets y of document d of the batch.
func (r *refiner) project(d int) {
	s, b, width := r.splits, r.batch, r.inferrer.Width()
	y := s.y.Row(d)
	clear(y)
	for e := b.Offsets[d]; e < b.Offsets[d+1]; e++ {
		gamma, x := r.gamma[int(e)*width:][:width], r.scaled[e]
		for k, v := range r.near.v.Row(int(b.Items[b.Rows[e]])) {
			y[k] += x * gamma[k] * v
		}
	}
}

// collect adds to a row of Mv what a document of the batch says in which its item occurs count times.
func (r *refiner) collect(row, document int, gamma []float32, count float32) {
	y, v, to := r.splits.y.Row(document), r.near.v.Row(row), r.near.moved.Row(row)
	for k := range to {
		own := count * gamma[k]
		to[k] += own * (y[k] - own*v[k])
	}
}

// turn sets the scores, and v to the next directions.
func (r *refiner) turn(ctx context.Context, s *splits) error {
	sums, err := r.total(ctx, 3*r.k, func(sums, _ []float64, i int) {
		v, next := s.v.Row(i), s.sum.Row(i)
		for k, n := range r.sums.Row(i) {
			sums[k] += float64(n)
			sums[r.k+k] += float64(next[k]) * float64(v[k])
			next[k] = next[k]/(n+1) + splitShift*v[k]
			sums[2*r.k+k] += float64(n) * float64(next[k])
		}
	})
	if err != nil {
		return err
	}
	masses, products, means := sums[:r.k], sums[r.k:2*r.k], sums[2*r.k:]
	for k, mass := range masses {
		mass = max(mass, 1)
		s.scores[k] = products[k] / mass
		means[k] /= mass
	}
	squares, err := r.total(ctx, r.k, func(sums, _ []float64, i int) {
		next := s.sum.Row(i)
		for k, n := range r.sums.Row(i) {
			next[k] -= float32(means[k])
			sums[k] += float64(n) * float64(next[k]) * float64(next[k])
		}
	})
	if err != nil {
		return err
	}
	return r.each(ctx, func(_ []float64, i int) {
		v := s.v.Row(i)
		for k, next := range s.sum.Row(i) {
			v[k] = next / float32(math.Sqrt(max(squares[k], 1e-30)/max(masses[k], 1)))
		}
	})
}
