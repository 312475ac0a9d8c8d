// This file implements the first stage in passes that tasks divide.

package fit

import (
	"context"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/sketch"
)

// sketchRound makes the next pass over the documents of a task.
func sketchRound(ctx context.Context, docs *corpus.Corpus, opts *Options) (*Sketched, error) {
	run, v, from := opts.Run, docs.Vocabulary, opts.Sketch.From
	if docs.Growing() || !v.Counted {
		return nil, badOption("Sketch.Tasks", "passes by tasks need a vocabulary with counts, which bound their sums")
	}
	weights, chosen, err := opts.Sketch.ItemWeights.weigh(v)
	if err == nil {
		err = opts.fitColumns(v.Len())
	}
	if err == nil {
		err = newMemoryModel(docs, opts, false, weights != nil).plan(run)
	}
	if err != nil {
		return nil, err
	}
	defer run.Stage("sketch")()
	prior := opts.Sketch.DocumentWeights.prior()
	s := newSketched(docs, sketch.Marginals{PairPrior: prior}, opts, chosen)
	s.Manifest.Sketch.Columns, s.Manifest.Sketch.Power = opts.columns(), true
	s.Manifest.Corpus = corpus.Account{VocabularySHA256: v.Fingerprint()} // the limits are known after the pass
	record := &sketch.Round{Holds: sketch.RoundSums, Pass: 1, Passes: opts.Sketch.Passes}
	var iteration sketch.Iteration
	if from != nil {
		if err := from.CheckTask(&s.Manifest); err != nil {
			return nil, err
		}
		iteration, record.Start, record.Pass = *from.Iteration, from.Manifest.Round.SHA256, from.Iteration.Passes+1
		if iteration.Eigen != nil {
			record.Holds = sketch.RoundEvidence
		} else if record.Passes > 0 && record.Passes < record.Pass {
			return nil, badOption("Sketch.Passes", "there were %d already", record.Pass-1)
		}
	}
	s.Sums, err = iteration.Sum(ctx, run.watched(docs, "sketching"), v, sketch.Options{Columns: opts.columns(),
		Seed: opts.Seed, Weights: weights, PairPrior: prior, Workers: run.Workers})
	if err != nil {
		return nil, err
	}
	if p := s.Sums.Product; p != nil {
		record.Columns = p.Cols()
	}
	s.Manifest.Round, s.Manifest.Inputs, s.Manifest.Skipped, s.Manifest.Corpus = record, docs.Inputs, docs.Skipped,
		docs.Account
	if from != nil {
		s.Vocabulary, err = nil, from.CheckTask(&s.Manifest)
	}
	return s, err
}

// step makes the step after a pass from the sums of its tasks. If some are missing, it returns the sums.
func step(ctx context.Context, m *model.Model, opts Options) (*Sketched, error) {
	s, from, record, sums := &Sketched{Model: m, run: opts.Run}, opts.Sketch.From, m.Manifest.Round, m.Sums
	if m.Manifest.Tasks.Whole("") != nil {
		return s, nil
	}
	if record.For != "" {
		return nil, badOption("Sketch.From", "the sums are of a refinement: give the model that its tasks started from")
	}
	var iteration sketch.Iteration
	switch read := m.Manifest.Corpus.Documents; {
	case opts.Topics != m.Manifest.Sketch.Topics:
		return nil, badOption("Topics", "the tasks were for %d topics", m.Manifest.Sketch.Topics)
	case from == nil && record.Start != "":
		return nil, badOption("Sketch.From", "the sums are of pass %d: give what their tasks started from", record.Pass)
	case from == nil:
	case from.Manifest.Round.SHA256 != record.Start:
		return nil, badOption("Sketch.From", "the tasks of these sums did not start from %s", from.Manifest.Round.Path)
	case read != from.Manifest.Corpus.Documents:
		return nil, badOption("Sketch.From", "the tasks read %d documents, and those of the first pass of %s %d: begin again",
			read, from.Manifest.Round.Path, from.Manifest.Corpus.Documents)
	default:
		s.Model, iteration = from, *from.Iteration
		s.Manifest.Tasks = m.Manifest.Tasks
	}
	r := &s.Manifest.Sketch
	weights, _, err := ItemWeights(r.ItemWeights).weigh(s.Vocabulary)
	if err != nil {
		return nil, err
	}
	evidence, err := iteration.Step(ctx, sums, s.Vocabulary, r.Topics, sketch.Options{Columns: r.Columns, Seed: r.Seed,
		Workers: s.run.Workers, Weights: weights, PairPrior: r.PairPrior, Passes: record.Passes})
	if err != nil {
		return nil, err
	}
	s.Sums, s.Iteration, s.Marginals = nil, &iteration, iteration.Marginals
	if s.Evidence = evidence; evidence != nil {
		s.Eigen, s.Manifest.Round = *iteration.Eigen, nil
		return s, nil
	}
	r.LargestResidual, r.Passes = 0, iteration.Passes
	for _, residual := range iteration.Residuals {
		r.LargestResidual = max(r.LargestResidual, residual)
	}
	next := &sketch.Round{Holds: sketch.RoundBasis, Pass: r.Passes, Passes: record.Passes, Shift: iteration.Shift}
	if s.Manifest.Round = next; iteration.Eigen == nil {
		next.Columns = iteration.Basis.Cols()
	} else {
		s.take(iteration.Eigen, &opts, r.Columns)
		next.Holds = sketch.RoundPairs
	}
	return s, nil
}
