// This file holds the last stage: from a rectified factor to topics.

package model

import (
	"context"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/matrix"
	"anchorage/sketch"
)

// Fitted is a fitted model in memory, with all that the fit found. Save writes it; Load reads what most uses need of it.
type Fitted struct {
	Manifest   Manifest
	Vocabulary *corpus.Vocabulary
	Marginals  sketch.Marginals
	Evidence   *sketch.Evidence // nil if it was not measured
	Values     []float64        // eigenvalues of C, decreasing; empty if they were not sought
	Residuals  []float64        // of the pairs, relative to the greatest value
	Factor     *matrix.Tall     // Y, N×K; nil where C was held, and of variational inference
	Topics     *anchor.Topics   // variational inference finds no anchors

	run       *Run
	relevance float64 // λ of the prominent items
	bayes     *bayes  // of variational inference
}

// Anchor finds the anchors and topics of a rectified factor. The factor goes over into the result. The error is an
// *anchor.RankError if there are fewer topics than asked for, an *anchor.ItemError, or that of ctx.
func (r *Rectified) Anchor(ctx context.Context, opts Options) (*Fitted, error) {
	opts.Run = r.run
	opts = opts.prepared()
	method := opts.Method.entry()
	if r.dense != nil && method.inference != "aw" {
		panic("model: a dense C goes on by AW")
	}
	defer r.run.Stage("anchor")()
	topics, err := method.infer(ctx, r, r.anchorOptions(&opts))
	if err != nil {
		return nil, err
	}
	if r.memory != nil {
		r.memory.corrected = topics.Stats.Correction.Rows
		r.run.model(r.memory.stages())
	}
	f := &Fitted{Manifest: r.Manifest, Vocabulary: r.Vocabulary, Marginals: r.Marginals, Evidence: r.Evidence, Values: r.Values,
		Residuals: r.Residuals, Factor: r.Factor, Topics: topics, run: r.run}
	f.note(method, &opts)
	return f, nil
}

func (r *Rectified) anchorOptions(opts *Options) anchor.Options {
	o := anchor.Options{Topics: r.Manifest.Sketch.Topics, RowSums: opts.Anchor.RowSums, MinDF: opts.Anchor.MinDF,
		DocumentFrequency: r.Marginals.DocumentFrequency, Workers: r.run.Workers, Name: r.Vocabulary.ID, Polish: !opts.Anchor.NoPolish}
	if r.Factor != nil {
		o.Topics = r.Factor.Cols()
	}
	if r.Evidence != nil && !opts.Anchor.NoEvidence {
		h := r.Evidence.Halves
		o.SamplingVariance = r.Evidence.SamplingVariance
		o.Halves = &anchor.Halves{Items: h.Items, Sums: h.Sums, Rows: h.Rows}
	}
	return o
}

// note records what was found, and how.
func (f *Fitted) note(m *method, opts *Options) {
	f.Manifest.Kind = KindModel
	rowSums := "factor"
	if opts.Anchor.RowSums == anchor.RowSumsExact {
		rowSums = "exact"
	}
	f.relevance = opts.Anchor.Relevance
	if f.relevance == 0 {
		f.relevance = 0.6
		if f.Marginals.Weights != nil {
			f.relevance = 1
		}
	}
	f.Manifest.Anchor = &AnchorRecord{Method: m.inference, RowSums: rowSums, AnchorMinDF: opts.Anchor.MinDF, Evidence: f.Topics.Reliability != nil,
		Polish: !opts.Anchor.NoPolish && m.inference == "law", Unpolished: f.Topics.Stats.Unpolished.Rows(),
		Relevance: f.relevance, LargestKKT: f.Topics.Stats.Solver.WorstResidual,
		Findings: f.Topics.Findings(f.effectiveSampleSizes(), f.Marginals.Probabilities(), f.relevance, TopItems)}
	if u := f.Topics.Stats.Unpolished; u.Rows() > 0 {
		f.run.log().Warn("rows left as the anchors alone give them", "topics_without_items", u.Topics, "correlation_rows", u.JointRows, "condition", u.Condition)
	}
	f.run.log().Info("topics found", "topics", f.Topics.K, "largest_pivot", f.Topics.Pivots[0], "smallest_pivot", f.Topics.Pivots[f.Topics.K-1])
}

// effectiveSampleSizes returns how many documents each item's row rests on: effective numbers, or df where that is all there is.
func (f *Fitted) effectiveSampleSizes() []float64 {
	if f.Evidence != nil {
		return f.Evidence.EffectiveSampleSize
	}
	sizes := make([]float64, len(f.Marginals.DocumentFrequency))
	for i, df := range f.Marginals.DocumentFrequency {
		sizes[i] = float64(df)
	}
	return sizes
}

// Prominent returns the TopItems items of each topic that are of greatest relevance, by the options.
func (f *Fitted) Prominent() [][]anchor.Scored {
	return f.Topics.Prominent(f.Marginals.Probabilities(), f.relevance, TopItems)
}

// Peaks returns the greatest memory that the stages of the run took, and what the model of memory says of them, in bytes: 0 where
// the system does not tell, and where there is no model.
func (f *Fitted) Peaks() (measured, modelled int64) { return f.run.Peaks() }
