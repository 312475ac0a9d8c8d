// This file infers documents under a state that does not change, and scores them.

package bayes

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/floats"

	"anchorage/corpus"
)

// RestoreState returns a copy of a state that was stored: row(dst, v) sets dst, K values, to what its Row(v) was, and
// rates (K), locations (K×m) and joint (K×K) are what its methods returned. It panics at options that Check refuses.
func RestoreState(o Options, c Totals, row func(dst []float64, v int), rates, locations, joint []float64) *State {
	s := newState(o, c)
	prior := s.prior()
	for v := range c.Items {
		to := s.excess.Row(v)
		row(to, v)
		for k := range to {
			to[k] -= prior
		}
	}
	s.complete()
	copy(s.rates, rates)
	copy(s.joint, joint)
	if s.locations != nil {
		for k := range s.Options.Topics {
			copy(s.Location(k), locations[k*s.Options.Latent:])
		}
		s.transpose(s.across, s.locations)
	}
	return s
}

// Evaluate predicts held-out thirds of all documents of a pass, as a fit does with a batch before it learns from it.
// The state does not change. The error is that of pass or ctx, or says that there was nothing to predict.
func Evaluate(ctx context.Context, s *State, pass corpus.Pass) (HeldOut, error) {
	e := newEngine(s)
	result := HeldOut{Step: s.Step}
	sum := 0.0
	err := inBatches(ctx, e, pass, func(batch int64) error {
		score, err := e.test(ctx, batch)
		if err != nil {
			return err
		}
		sum += score.LogLikelihood * float64(score.Tokens)
		result.Tokens += score.Tokens
		result.Documents += int64(e.b.Documents())
		return nil
	})
	if err == nil && result.Tokens == 0 {
		err = errors.New("nothing can be predicted: no document has two tokens of the model's items")
	}
	result.LogLikelihood = sum / float64(result.Tokens)
	return result, err
}

// inBatches puts the documents of a pass into the engine, a batch at a time, and calls fn for each batch.
func inBatches(ctx context.Context, e *engine, pass corpus.Pass, fn func(batch int64) error) error {
	size, batch := e.s.Options.BatchSize, int64(0)
	flush := func() error {
		if e.b.Documents() == 0 {
			return nil
		}
		err := ctx.Err()
		if err == nil {
			err = fn(batch)
		}
		batch++
		e.b.Reset()
		return err
	}
	err := pass(ctx, func(docs *corpus.Documents) error {
		for d := 0; d < docs.Documents(); {
			take := min(docs.Documents()-d, size-e.b.Documents())
			e.b.Add(docs, d, d+take)
			d += take
			if e.b.Documents() == size {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// Split deals the tokens of documents into thirds, as Evaluate does with the documents of its first batch. It returns
// two of the thirds and the other third, with the documents in the same order. A document of one token is empty in
// both.
func Split(docs *corpus.Documents, seed uint64) (training, held *corpus.Documents) {
	training, held = &corpus.Documents{Offsets: []int32{0}}, &corpus.Documents{Offsets: []int32{0}}
	var h heldScratch
	for d := range docs.Documents() {
		items, row := docs.Row(d)
		counts := make([]float64, len(row))
		for i, c := range row {
			counts[i] = float64(c)
		}
		if floats.Sum(counts) > 1 {
			h.deal(counts, seed, 0, uint64(d))
			h.hold(items, counts, 0)
			training.Items = append(training.Items, h.entries...)
			for _, c := range h.kept {
				training.Counts = append(training.Counts, int32(c))
			}
			for i, c := range h.held {
				if c > 0 {
					held.Items, held.Counts = append(held.Items, items[i]), append(held.Counts, int32(c))
				}
			}
		}
		training.Offsets = append(training.Offsets, int32(len(training.Items)))
		held.Offsets = append(held.Offsets, int32(len(held.Items)))
	}
	return training, held
}
