// This file refines topics in passes that tasks divide.

package fit

import (
	"cmp"
	"context"
	"slices"

	"anchorage/anchor"
	"anchorage/bayes/refine"
	"anchorage/corpus"
	"anchorage/model"
	"anchorage/sketch"
)

// RefineTask makes the next pass of a refinement over the documents of a task, opts.Sketch.Tasks, which have the items
// of a model by Model.ReadRefining. The first pass decides by opts.Refine.For what the topics are refined for. The
// result is for model.Merger. The error is an *OptionError, a *model.InputError for shards that the model is not of, or
// that of the documents.
func RefineTask(ctx context.Context, from *model.Model, docs *corpus.Corpus, opts Options) (*Sketched, error) {
	run := orNew(opts.Run)
	defer run.Stage("refine")()
	round, asked := *from.Manifest.Refinement, cmp.Or(opts.Refine.For, refine.ForAuto)
	record := &sketch.Round{Holds: sketch.RoundRefined, Pass: round.Passes + 2, Columns: from.Topics(),
		Start: round.SHA256}
	switch {
	case round.Survey != nil && asked != refine.ForAuto && asked != round.For:
		return nil, badOption("Refine.For", "the passes before have refined the topics for %s", round.For)
	case round.Survey == nil:
		record.Holds, record.Pass, round.For = sketch.RoundSurvey, 1, asked
		if asked == refine.ForAuto && from.Manifest.Corpus.Kind == corpus.Baskets {
			round.For = refine.ForPrediction
		}
	}
	record.For = string(round.For)
	sums, err := round.Sum(ctx, run.watched(docs, "refining"), refineStart(from), run.Workers)
	if err != nil {
		return nil, err
	}
	for _, in := range docs.Inputs {
		if !slices.ContainsFunc(from.Manifest.Inputs, func(i corpus.Input) bool { return i.SHA256 == in.SHA256 }) {
			return nil, &model.InputError{Path: in.Path, Reason: "is none of the shards of " + from.Path() +
				", or has changed: refine topics by the documents that they are of"}
		}
	}
	return &Sketched{run: run, Model: &model.Model{Sums: &sketch.Sums{Product: sums.Tokens, Totals: sums.Totals},
		Manifest: model.Manifest{Kind: model.KindSketch, Inputs: docs.Inputs, Skipped: docs.Skipped,
			Corpus: docs.Account, Sketch: from.Manifest.Sketch, Tasks: opts.Sketch.Tasks, Round: record}}}, nil
}

// refineStart returns what a refinement of a model starts from: mixtures are its own, unless topics are held to others.
func refineStart(from *model.Model) *refine.Start {
	s := &refine.Start{Mixtures: from.Mixtures, Reliability: from.Reliability, Weights: from.Weights,
		Frequency: from.TermFrequency, Joint: from.TopicJoint, Documents: from.Manifest.Corpus.Documents}
	if r := from.Manifest.Refinement; r.Held != nil {
		s.Mixtures, s.Reliability = r.Held, r.Reliability
	}
	if !from.Manifest.Anchor.Evidence {
		s.Reliability = nil
	}
	return s
}

// RefineStep makes the step after a pass of a refinement from the sums of all tasks: the model with the next topics. A
// survey, the first pass, leaves them as they are. What the model had beside its topics goes, except pairs of items.
// It uses up the sums, and from, by Model.ReadRefining. The error is an *OptionError if the sums are not of a pass from
// this model.
func RefineStep(ctx context.Context, from *model.Model, sum *model.Merger, run *Run) (*Fitted, error) {
	run = orNew(run)
	defer run.Stage("refine")()
	m, _, _ := sum.Take()
	sums := m.Sums
	switch read := m.Manifest.Corpus.Documents; {
	case sums == nil || m.Manifest.Round.Start != from.Manifest.Refinement.SHA256:
		return nil, badOption("Sketch.From", "the tasks of these sums did not start from %s", from.Path())
	case read != from.Manifest.Corpus.Documents:
		return nil, badOption("Sketch.From", "the tasks read %d documents, and %s is of %d: refine topics by the "+
			"documents that they are of", read, from.Path(), from.Manifest.Corpus.Documents)
	}
	round, start := from.Manifest.Refinement, refineStart(from)
	round.For = cmp.Or(round.For, refine.Purpose(m.Manifest.Round.For))
	if round.Survey != nil && round.For == refine.ForReading {
		round.Held, round.Reliability = start.Mixtures, start.Reliability
		start.Mixtures, start.Reliability = round.Held.Copy(from.Topics()), slices.Clone(round.Reliability)
	}
	found, err := round.Step(ctx, start, &refine.Sums{Tokens: sums.Product, Totals: sums.Totals}, run.Workers)
	if err != nil {
		return nil, err
	}
	if found != nil {
		from.Mixtures, from.Reliability = start.Mixtures, start.Reliability
	}
	k := from.Topics()
	t := &anchor.Topics{K: k, Anchors: from.Anchors, Pivots: from.Pivots, Margins: from.Margins, Mixtures: from.Mixtures,
		RowSums: from.RowSums, Prior: make([]float64, k), Reliability: from.Reliability}
	toSumOne(t.RowSums)
	for _, d := range t.RowSums {
		if !(d > 0) {
			t.Stats.Weightless++
		}
	}
	if err := completeRefined(ctx, from); err != nil {
		return nil, err
	}
	f, err := Assemble(ctx, from, t, Assembly{Joint: from.TopicJoint, AnchorSizes: from.AnchorSampleSizes}, run)
	if err != nil || found == nil {
		return f, err
	}
	return f, f.refined(ctx, found, f.Manifest.Anchor.Relevance == usualRelevance(f.Marginals.Weights))
}

// completeRefined makes a loaded model one that can be saved with other topics: it reads what was not loaded, and drops
// what is said of its topics.
func completeRefined(ctx context.Context, m *model.Model) (err error) {
	if err = m.ReadRest(ctx); err == nil {
		m.Recommendation, err = m.Pairs(ctx)
	}
	r := &m.Manifest
	m.Diagnostics, m.Levels, m.Drift = nil, nil, nil
	r.Diagnostics, r.Documents, r.Fold, r.Levels = nil, nil, nil, nil
	m.Marginals.Documents, m.RowSums = r.Corpus.Documents, slices.Clone(m.WeightedProbability)
	total := m.Total()
	for i := range m.RowSums {
		m.RowSums[i] *= total
	}
	return err
}
