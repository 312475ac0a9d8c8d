// This file measures how much of a known truth is recovered as the documents become more.

package bench

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

// TruthOptions say what is drawn and how it is learned. Model, Documents and Seeds must be given; other zero values are the
// defaults.
type TruthOptions struct {
	Model     synth.Model // its Documents are replaced, and its Seed is the first of Seeds consecutive ones
	Documents []int       // M, increasing; a corpus begins with the documents of the smaller ones
	Seeds     int
	// Tolerance is sketch.Options.Tolerance; 0 for 0.001, so that the eigenpairs are as good as exact.
	Tolerance  float64
	Iterations int // of ENN; 0 for as many as its tolerance asks for
	// Methods are of TruthMethods and TruthFits; nil for TruthMethods. Tolerance and Iterations are about the former alone.
	Methods []string
	Workers int // goroutines; 0 for as many as there are processors
	// Report, if not nil, is called with each record.
	Report func(TruthRecord)
}

// TruthRecord is what one method has recovered of one docs.
type TruthRecord struct {
	Documents  int // M
	Seed       uint64
	Method     string // one of TruthMethods and TruthFits
	Passes     int    // over the documents
	Iterations int    // of ENN; 0 without
	// Failure is why the method found no topics; empty if it did. The recovery is then without meaning.
	Failure  string
	Recovery synth.Recovery
}

// TruthMethods are the methods that Truth compares, by name: what is done with the leading eigenpairs of C, and which row
// sums LAW divides by. The last takes eigenpairs as a fit does by default, when they are accurate to
// sketch.DefaultTolerance; the others take those of TruthOptions.Tolerance.
var TruthMethods = []string{"enn-exact", "enn-factor", "none-exact", "enn-exact-auto"}

// truthTolerance is that of eigenpairs as good as exact.
const truthTolerance = 1e-3

// Truth draws corpora, learns topics of them by every method, and returns a record for every corpus and method: by seed,
// then by the number of documents, then in the order of TruthMethods and TruthFits.
func Truth(ctx context.Context, opts TruthOptions) ([]TruthRecord, error) {
	var records []TruthRecord
	for s := range opts.Seeds {
		model := opts.Model
		model.Seed += uint64(s)
		model.Workers = opts.Workers
		model.Documents = 1
		docs := model.Plant()
		for _, documents := range opts.Documents {
			of, err := opts.recover(ctx, docs.Take(documents))
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

// Check returns an error when there is no method of a name.
func (o *TruthOptions) Check() error {
	for _, method := range o.methods() {
		if all := append(slices.Clone(TruthMethods), TruthFits()...); !slices.Contains(all, method) {
			return fmt.Errorf("there is no method %q: there are %s", method, strings.Join(all, ", "))
		}
	}
	return nil
}

// methods returns the methods that are asked for.
func (o *TruthOptions) methods() []string {
	if o.Methods == nil {
		return TruthMethods
	}
	return o.Methods
}

// recover learns topics of one corpus by every method that is asked for.
func (o *TruthOptions) recover(ctx context.Context, docs *synth.Drawn) ([]TruthRecord, error) {
	stages, err := o.recoverStages(ctx, docs)
	if err != nil {
		return nil, err
	}
	fits, err := o.recoverFits(ctx, docs)
	return append(stages, fits...), err
}

// recoverStages learns topics by the methods of TruthMethods.
func (o *TruthOptions) recoverStages(ctx context.Context, docs *synth.Drawn) ([]TruthRecord, error) {
	asked := func(method string) bool { return slices.Contains(o.methods(), method) }
	if !slices.ContainsFunc(TruthMethods, asked) {
		return nil, nil
	}
	tolerance := o.Tolerance
	if tolerance == 0 {
		tolerance = truthTolerance
	}
	accurate, err := o.factors(ctx, docs, tolerance)
	if err != nil {
		return nil, err
	}
	auto, err := o.factors(ctx, docs, sketch.DefaultTolerance)
	if err != nil {
		return nil, err
	}
	var records []TruthRecord
	for i, from := range []struct {
		factors *truthFactors
		factor  *matrix.Tall
		sums    anchor.RowSums
	}{
		{accurate, accurate.rectified, anchor.RowSumsExact},
		{accurate, accurate.rectified, anchor.RowSumsFactor},
		{accurate, accurate.plain, anchor.RowSumsExact},
		{auto, auto.rectified, anchor.RowSumsExact},
	} {
		if !asked(TruthMethods[i]) {
			continue
		}
		record := TruthRecord{Documents: docs.Model.Documents, Seed: docs.Model.Seed, Method: TruthMethods[i], Passes: from.factors.passes}
		if from.factor == from.factors.rectified {
			record.Iterations = from.factors.iterations
		}
		err := record.infer(ctx, docs.Truth, from.factor, from.factors.rowSums, anchor.Options{RowSums: from.sums, Workers: o.Workers})
		if err != nil {
			return nil, err
		}
		records = append(records, record)
	}
	return records, nil
}

// truthFactors are the factors of C's leading eigenpairs, N×K, as they are and rectified by ENN.
type truthFactors struct {
	plain, rectified   *matrix.Tall
	rowSums            []float64
	passes, iterations int
}

// factors makes the passes over a docs.
func (o *TruthOptions) factors(ctx context.Context, docs *synth.Drawn, tolerance float64) (*truthFactors, error) {
	k := docs.Model.Topics
	opts := sketch.Options{Columns: k + 30, Seed: docs.Model.Seed, Workers: o.Workers, Tolerance: tolerance}
	vocabulary := docs.Vocabulary()
	gathered, err := sketch.Accumulate(ctx, docs.Pass, vocabulary, opts)
	if err != nil {
		return nil, err
	}
	rowSums := gathered.Marginals.Probabilities()
	eigen, err := gathered.Krylov(ctx, docs.Pass, k, opts)
	if err != nil {
		return nil, err
	}
	f := &truthFactors{plain: eigen.Factor(o.Workers), rowSums: rowSums, passes: eigen.Passes}
	result, err := rectify.ENN(ctx, f.plain.Copy(k),
		rectify.Options{Iterations: o.Iterations, Seed: docs.Model.Seed, Key: vocabulary.Key, Workers: o.Workers})
	if err != nil {
		return nil, err
	}
	f.rectified, f.iterations = result.Factor, len(result.Iterations)
	return f, nil
}

// infer runs LAW and notes what it recovers. That it finds no topics is a result, too.
func (r *TruthRecord) infer(ctx context.Context, truth *synth.Truth, factor *matrix.Tall, p []float64, opts anchor.Options) error {
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
