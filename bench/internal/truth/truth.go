// This file draws corpora and compares the topics learned of them with the truth.

package truth

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"anchorage/anchor"
	"anchorage/internal/synth"
	"anchorage/matrix"
	"anchorage/rectify"
	"anchorage/sketch"
)

// Options say what is drawn and how it is learned. Model, Documents and Seeds must be given; other zero values are the
// defaults.
type Options struct {
	Model     synth.Model // its Documents are replaced, and its Seed is the first of Seeds consecutive ones
	Documents []int       // M, increasing; a corpus begins with the documents of the smaller ones
	Seeds     int
	// Tolerance is sketch.Options.Tolerance; 0 for 0.001, so that the eigenpairs are as good as exact.
	Tolerance  float64
	Iterations int // of ENN; 0 for as many as its tolerance asks for
	// Methods are of StageMethods and FitMethods; nil for StageMethods. Tolerance and Iterations are about the former alone.
	Methods []string
	Workers int // goroutines; 0 for as many as there are processors
	// Report, if not nil, is called with each record.
	Report func(Record)
}

// Record is what one method has recovered of one corpus.
type Record struct {
	Documents  int // M
	Seed       uint64
	Method     string // one of StageMethods and FitMethods
	Passes     int    // over the documents
	Iterations int    // of ENN; 0 without
	// Failure is why the method found no topics; empty if it did. The recovery then means nothing.
	Failure  string
	Recovery synth.Recovery
}

// StageMethods are the methods that Run compares, by name: what is done with the leading eigenpairs of C, and which row
// sums LAW divides by. The last takes eigenpairs as a fit does by default, when they are accurate to
// sketch.DefaultTolerance; the others take those of Options.Tolerance.
var StageMethods = []string{"enn-exact", "enn-factor", "none-exact", "enn-exact-auto"}

// accurateTolerance is that of eigenpairs as good as exact.
const accurateTolerance = 1e-3

// Run draws corpora, learns topics of them by every method, and returns a record for every corpus and method: by seed,
// then by the number of documents, then in the order of StageMethods and FitMethods.
func Run(ctx context.Context, opts Options) ([]Record, error) {
	var records []Record
	for s := range opts.Seeds {
		model := opts.Model
		model.Seed += uint64(s)
		model.Workers = opts.Workers
		model.Documents = 1
		corpus := model.Plant()
		for _, documents := range opts.Documents {
			of, err := opts.recover(ctx, corpus.Take(documents))
			if err != nil {
				return nil, fmt.Errorf("%d documents of seed %d: %w", documents, model.Seed, err)
			}
			records = append(records, of...)
			if opts.Report != nil {
				for _, record := range of {
					opts.Report(record)
				}
			}
		}
	}
	return records, nil
}

// Check returns an error when a method is unknown.
func (o *Options) Check() error {
	for _, method := range o.methods() {
		if all := append(slices.Clone(StageMethods), FitMethods()...); !slices.Contains(all, method) {
			return fmt.Errorf("there is no method %q: there are %s", method, strings.Join(all, ", "))
		}
	}
	return nil
}

// methods returns the methods to run.
func (o *Options) methods() []string {
	if o.Methods == nil {
		return StageMethods
	}
	return o.Methods
}

// recover learns topics of one corpus by every method that is asked for.
func (o *Options) recover(ctx context.Context, corpus *synth.Drawn) ([]Record, error) {
	stages, err := o.recoverStages(ctx, corpus)
	if err != nil {
		return nil, err
	}
	fits, err := o.recoverFits(ctx, corpus)
	return append(stages, fits...), err
}

// recoverStages learns topics by the methods of StageMethods.
func (o *Options) recoverStages(ctx context.Context, corpus *synth.Drawn) ([]Record, error) {
	asked := func(method string) bool { return slices.Contains(o.methods(), method) }
	if !slices.ContainsFunc(StageMethods, asked) {
		return nil, nil
	}
	tolerance := o.Tolerance
	if tolerance == 0 {
		tolerance = accurateTolerance
	}
	accurate, err := o.factorsOf(ctx, corpus, tolerance)
	if err != nil {
		return nil, err
	}
	auto, err := o.factorsOf(ctx, corpus, sketch.DefaultTolerance)
	if err != nil {
		return nil, err
	}
	var records []Record
	for i, from := range []struct {
		*factors
		factor *matrix.Tall
		sums   anchor.RowSums
	}{
		{accurate, accurate.rectified, anchor.RowSumsExact},
		{accurate, accurate.rectified, anchor.RowSumsFactor},
		{accurate, accurate.plain, anchor.RowSumsExact},
		{auto, auto.rectified, anchor.RowSumsExact},
	} {
		if !asked(StageMethods[i]) {
			continue
		}
		record := Record{Documents: corpus.Model.Documents, Seed: corpus.Model.Seed, Method: StageMethods[i], Passes: from.passes}
		if from.factor == from.rectified {
			record.Iterations = from.iterations
		}
		err := record.infer(ctx, corpus.Truth, from.factor, from.rowSums, anchor.Options{RowSums: from.sums, Workers: o.Workers})
		if err != nil {
			return nil, err
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
func (o *Options) factorsOf(ctx context.Context, corpus *synth.Drawn, tolerance float64) (*factors, error) {
	k := corpus.Model.Topics
	opts := sketch.Options{Columns: k + 30, Seed: corpus.Model.Seed, Workers: o.Workers, Tolerance: tolerance}
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
	f := &factors{plain: eigen.Factor(o.Workers), rowSums: rowSums, passes: eigen.Passes}
	result, err := rectify.ENN(ctx, f.plain.Copy(k),
		rectify.Options{Iterations: o.Iterations, Seed: corpus.Model.Seed, Key: vocabulary.Key, Workers: o.Workers})
	if err != nil {
		return nil, err
	}
	f.rectified, f.iterations = result.Factor, len(result.Iterations)
	return f, nil
}

// infer runs LAW and notes what it recovers. Finding no topics is a result, too.
func (r *Record) infer(ctx context.Context, truth *synth.Truth, factor *matrix.Tall, p []float64, opts anchor.Options) error {
	topics, err := anchor.LAW(ctx, factor, p, opts)
	if r.noteFailure(err) {
		return nil
	}
	if err != nil {
		return err
	}
	r.Recovery = truth.Recover(synth.Estimate{Row: topics.BRow, Correlations: topics.TopicJoint, Anchors: topics.Anchors})
	return nil
}
