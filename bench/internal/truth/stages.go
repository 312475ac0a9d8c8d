// This file learns by the methods that need no whole fit, in this process: stages of ours on their own, and the floor.

package truth

import (
	"context"
	"slices"
	"sync"

	"anchorage/anchor"
	"anchorage/internal/synth"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/rectify"
	"anchorage/sketch"
)

// recoverFloor estimates topics from the topics of tokens.
func recoverFloor(ctx context.Context, corpus *synth.Drawn, record *Record) error {
	oracle, err := corpus.Oracle(ctx)
	if err != nil {
		return err
	}
	record.note(corpus.Truth.Recover(oracle.Estimate(0)))
	record.ExpectedB = oracle.ExpectedErrorB()
	record.ShrunkB = corpus.Truth.Recover(oracle.Estimate(oracle.BestWeight())).ErrorB
	return nil
}

// recoverPosterior estimates topics from the documents, beginning at the truth.
func recoverPosterior(ctx context.Context, corpus *synth.Drawn, record *Record) error {
	estimate, sweeps, err := corpus.Posterior(ctx)
	if err != nil {
		return err
	}
	record.note(corpus.Truth.Recover(estimate))
	record.Iterations = sweeps
	return nil
}

// recoverStages learns topics by those of StageMethods that are wanted. That one finds none is a result, too.
func (g *Grid) recoverStages(ctx context.Context, corpus *synth.Drawn, wanted []string) ([]Record, error) {
	accurate := sync.OnceValues(func() (*factors, error) { return g.factorsOf(ctx, corpus, g.Tolerance) })
	auto := sync.OnceValues(func() (*factors, error) { return g.factorsOf(ctx, corpus, sketch.DefaultTolerance) })
	rectified := func(f *factors) (*matrix.Tall, int) { return f.rectified, f.iterations }
	plain := func(f *factors) (*matrix.Tall, int) { return f.plain, 0 }
	var records []Record
	for i, stage := range []struct {
		factors func() (*factors, error)
		pick    func(*factors) (*matrix.Tall, int)
		sums    anchor.RowSums
	}{
		{accurate, rectified, anchor.RowSumsExact},
		{accurate, rectified, anchor.RowSumsFactor},
		{accurate, plain, anchor.RowSumsExact},
		{auto, rectified, anchor.RowSumsExact},
	} {
		if !slices.Contains(wanted, StageMethods[i]) {
			continue
		}
		record := newRecord(g.run(corpus.Model, StageMethods[i]))
		record.Program = "anchorage " + model.Version
		from, err := stage.factors()
		if err == nil {
			factor, iterations := stage.pick(from)
			record.Passes, record.Iterations = from.passes, iterations
			err = record.infer(ctx, corpus.Truth, factor, from.rowSums, anchor.Options{RowSums: stage.sums, Workers: g.Workers})
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			record.Failure = err.Error()
		}
		records = append(records, record)
	}
	return records, nil
}

// factors are the factors of C's leading eigenpairs, N×K, as they are and rectified by ENN.
type factors struct {
	plain, rectified   *matrix.Tall
	rowSums            []float64
	passes, iterations int
}

// factorsOf makes the passes over a corpus.
func (g *Grid) factorsOf(ctx context.Context, corpus *synth.Drawn, tolerance float64) (*factors, error) {
	k := corpus.Model.Topics
	opts := sketch.Options{Columns: k + 30, Seed: corpus.Model.Seed, Workers: g.Workers, Tolerance: tolerance}
	vocabulary := corpus.Vocabulary()
	gathered, err := sketch.Accumulate(ctx, corpus.Pass, vocabulary, opts)
	if err != nil {
		return nil, err
	}
	rowSums := gathered.Marginals.Probabilities()
	eigen, err := gathered.Krylov(ctx, corpus.Pass, k, opts)
	if err != nil {
		return nil, err
	}
	f := &factors{plain: eigen.Factor(g.Workers), rowSums: rowSums, passes: eigen.Passes}
	result, err := rectify.ENN(ctx, f.plain.Copy(k),
		rectify.Options{Iterations: g.Iterations, Seed: corpus.Model.Seed, Key: vocabulary.Key, Workers: g.Workers})
	if err != nil {
		return nil, err
	}
	f.rectified, f.iterations = result.Factor, len(result.Iterations)
	return f, nil
}

// infer runs LAW and notes what it recovers.
func (r *Record) infer(ctx context.Context, truth *synth.Truth, factor *matrix.Tall, p []float64, opts anchor.Options) error {
	topics, err := anchor.LAW(ctx, factor, p, opts)
	if err != nil {
		return err
	}
	r.note(truth.Recover(synth.Estimate{Row: topics.BRow, Correlations: topics.TopicJoint, Anchors: topics.Anchors}))
	return nil
}
