// This file divides the passes of a refinement among tasks: each adds up what its documents give to a pass.

package refine

import (
	"context"
	"slices"

	"anchorage/corpus"
	"anchorage/internal/exact"
	"anchorage/internal/kernel"
	"anchorage/internal/process"
	"anchorage/matrix"
)

// Round is a refinement between two passes; the zero value, or For, is before the first, which surveys the documents.
// The others are the passes of Topics without epochs, drawn topics and errors; each document begins at its prior.
type Round struct {
	For           Purpose  `json:"for"`              // after the survey ForReading or ForPrediction
	Survey        *repeats `json:"survey,omitempty"` // nil before it
	Passes        int      `json:"passes"`           // after the survey
	LogLikelihood float64  `json:"log_likelihood"`   // of the last of them, and what it gained
	Gain          float64  `json:"gain"`
	Moved         float64  `json:"moved"` // share of the tokens, as Result.Moved
	Settled       bool     `json:"settled"`
	Dispersion    float64  `json:"dispersion"`
	// α, and the shares from which the topics are computed, K values each
	Alpha  []float64      `json:"alpha,omitempty"`
	Shares []float64      `json:"shares,omitempty"`
	Tokens *matrix.Single `json:"-"` // n, N×K; nil before the first pass after the survey
	// Mixtures, N×K, and reliability of the start that topics for reading are held to; nil without Tokens and for others
	Held        *matrix.Tall `json:"-"`
	Reliability []float64    `json:"-"`
	SHA256      string       `json:"-"` // of the manifest.json from which it was read
}

// Begun reports whether there were passes after the survey; it is false for nil.
func (o *Round) Begun() bool { return o != nil && o.Tokens != nil }

// Sums are what some documents add to a pass. They are multiples of units: those of different documents add up exactly,
// in any order.
type Sums struct {
	Tokens *matrix.Tall // Σ_d w_d X_id γ_idk, N×K; nil of a survey
	Totals *matrix.Tall // the sum of A, K×K, in all but the last row, and there sums of documents
}

// NewSums returns sums of no documents for N items and K topics. The error wraps syscall.ENOMEM if a limit lacks room.
func NewSums(n, k int, survey bool) (*Sums, error) {
	s := &Sums{Totals: matrix.NewTall(k+1, max(k, len(repeats{})))}
	if survey {
		return s, nil
	}
	err := process.Reserve(matrix.Bytes[float64](n, k))
	if err == nil {
		s.Tokens = matrix.NewTall(n, k)
	}
	return s, err
}

// Sum makes the next pass over some of the documents of the start, of which it changes nothing.
func (o *Round) Sum(ctx context.Context, pass corpus.Pass, start *Start, workers int) (*Sums, error) {
	r, err := o.refiner(ctx, pass, start, workers)
	if err != nil {
		return nil, err
	}
	if r.exact, err = NewSums(r.n, r.k, o.Survey == nil); err != nil {
		return nil, err
	}
	r.mostTokens = float64(r.start.Documents) * r.meanLength
	for _, tf := range r.start.Frequency {
		r.mostTokens += float64(tf)
	}
	last := r.exact.Totals.Row(r.k)
	if o.Survey == nil {
		heaviest := slices.Max(append(slices.Clone(start.Weights), 1))
		return r.exact, r.eachRepeats(ctx, func(of repeats) {
			for i, v := range of {
				bound := float64(start.Documents)
				if i >= surveyedTokens {
					bound = r.mostTokens * heaviest
				}
				last[i] += r.round(v, bound)
			}
		})
	}
	sums := passSums{diagonal: make([]float64, r.k)}
	err = r.batches(ctx, nil, false, func() error { return r.add(ctx, &sums, 1) })
	copy(last, []float64{sums.likelihood, sums.tokens, sums.documents, sums.repetitions.slope, sums.repetitions.curve})
	for k, v := range sums.diagonal {
		r.exact.Totals.Row(k)[k] += v
	}
	return r.exact, err
}

// Step makes the step after a pass over all documents: it replaces what Topics replaces in start, and o. Mixtures of
// start are those that the refinement started from. A survey changes only o. It returns nil then.
func (o *Round) Step(ctx context.Context, start *Start, s *Sums, workers int) (*Result, error) {
	r, err := o.refiner(ctx, nil, start, workers)
	if err != nil {
		return nil, err
	}
	last := s.Totals.Row(r.k)
	if o.Survey == nil {
		of := repeats(last)
		err := r.decide(ctx, of)
		o.Survey, o.For, o.Dispersion = &of, r.found.For, r.dispersion
		return nil, err
	}
	sums := passSums{likelihood: last[0], tokens: last[1], documents: last[2], repetitions: repetitions{slope: last[3],
		curve: last[4]}, diagonal: make([]float64, r.k)}
	for k := range r.k {
		sums.joint = append(sums.joint, s.Totals.Row(k)[:r.k]...)
	}
	err = r.each(ctx, func(_ []float64, i int) {
		for k, n := range s.Tokens.Row(i) {
			r.sums.Row(i)[k] = float32(n)
		}
	})
	r.found.Passes, r.last, r.gain = o.Passes, o.LogLikelihood, o.Gain
	if err == nil {
		err = r.completePass(ctx, &sums)
	}
	if err == nil {
		err = r.finish(ctx)
	}
	o.Passes, o.LogLikelihood, o.Gain, o.Moved = r.found.Passes, r.last, r.gain, r.moved
	o.Settled, o.Dispersion, o.Tokens = r.found.Settled, r.dispersion, r.sums
	o.Alpha, o.Shares = r.computedFrom.alpha, r.computedFrom.shares
	return &r.found, err
}

// refiner returns a refinement that is where o is.
func (o *Round) refiner(ctx context.Context, pass corpus.Pass, start *Start, workers int) (*refiner, error) {
	r, err := newRefiner(ctx, pass, start, Options{For: o.For, Parts: 1, Workers: workers})
	if err != nil {
		return nil, err
	}
	if r.carried = nil; o.Survey != nil {
		err = r.decide(ctx, *o.Survey)
	}
	if err == nil && o.Tokens != nil {
		for b := range r.sums.Held() {
			to, _, _ := r.sums.Block(b)
			from, _, _ := o.Tokens.Block(b)
			copy(to, from)
		}
		r.alpha, r.shares, r.dispersion = o.Alpha, o.Shares, o.Dispersion
		err = r.renew(ctx)
	}
	return r, err
}

// mostNats is more than −ln p of a token in single precision, and of its repetition.
const mostNats = 128

// round returns a term of a sum with the given bound: for a task a multiple of the sum's unit.
func (r *refiner) round(term, bound float64) float64 {
	if r.exact == nil {
		return term
	}
	shift := exact.UnitOf(bound).Shift()
	return min(max(term, -bound), bound) + shift - shift
}

// addJoint adds the products of rows, of the documents of a batch, with themselves to the sum of A.
func (r *refiner) addJoint(ctx context.Context, rows *matrix.Tall) error {
	values, _, documents := rows.Block(0)
	return kernel.Parallel(ctx, r.options.Workers, r.k, func(k int) error {
		all, weights := make([]int32, documents), make([]float64, documents)
		for d := range all {
			all[d], weights[d] = int32(d), rows.At(d, k)
		}
		kernel.CombineRounded(all, weights, values, rows.Stride(), r.exact.Totals.PaddedRow(k)[:rows.Stride()],
			exact.UnitOf(float64(r.start.Documents)).Shift())
		return nil
	})
}
