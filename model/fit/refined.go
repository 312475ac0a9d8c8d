// This file implements the refinement: from topics to those that the documents make most likely.

package fit

import (
	"cmp"
	"context"
	"math"

	"anchorage/bayes/refine"
	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/thinning"
)

// readingRelevance is the λ of the prominent items of topics that were refined for reading: docs/method.md.
const readingRelevance = 0.9

// Refine improves the topics by the likelihood of the documents of a corpus, from which they were fitted; see
// refine.Topics. Mixtures, shares, A, reliability and findings then are those of the refined topics, and anchors and
// what was measured of them remain. It makes passes over the documents even if opts.Refine says NoRefinement; for
// prediction the first two read them 16 times each, once for each part. Topics are refined once. The error is an
// *OptionError, or that of the corpus; then f is of no use.
func (f *Fitted) Refine(ctx context.Context, docs *corpus.Corpus, opts Options) error {
	opts.Run = f.run
	opts = opts.prepared()
	switch {
	case f.Manifest.Anchor == nil:
		return badOption("Refine.Passes", "only topics that were found by anchors are refined")
	case f.Manifest.Refine != nil:
		return badOption("Refine.Passes", "the topics were refined already")
	}
	if err := opts.Check(); err != nil {
		return err
	}
	end := f.run.Stage("refine")
	defer end()
	t := f.Topics
	start := &refine.Start{Mixtures: t.Mixtures, Reliability: t.Reliability, Weights: f.Marginals.Weights,
		Frequency: f.Marginals.TermFrequency, Joint: f.thinning(ctx).Joint(t.TopicJoint), Documents: f.Marginals.Documents,
		Before: docs.Before(), Here: docs.Here()}
	how := refine.Options{For: opts.Refine.For, Passes: max(opts.Refine.Passes, 0), Seed: opts.Seed,
		Errors: f.Manifest.Certificate != nil, Workers: f.run.Workers}
	if cmp.Or(how.For, refine.ForAuto) == refine.ForAuto && docs.Account.Kind == corpus.Baskets {
		how.For = refine.ForPrediction // what repeats there are quantities, not words that a reader sees
	}
	how.Report = func(pass int, logLikelihood float64) {
		values := []any{"pass", pass}
		if !math.IsNaN(logLikelihood) {
			values = append(values, "log_likelihood", logLikelihood)
		}
		f.run.log().Debug("refinement", values...)
	}
	if f.begun != nil && f.begun.Refined != "" {
		topics, err := f.begun.earlier(ctx, f.Vocabulary, start, t.Anchors, f.run.Workers)
		if err != nil {
			return err
		}
		f.Manifest.Start.Topics = topics
	}
	within := ctx
	if kept := f.run.kept; kept != nil {
		within = kept.within(ctx, refining, f.snapshot(docs))
	}
	found, err := refine.Topics(within, f.run.watched(docs, "refining"), start, how)
	if err != nil {
		return err
	}
	return f.refined(ctx, found, opts.Anchor.Relevance == 0)
}

// refined takes over what a refinement has found beside the mixtures; it orders prominent items again if that is open.
func (f *Fitted) refined(ctx context.Context, found *refine.Result, open bool) error {
	if err := f.take(ctx, found); err != nil {
		return err
	}
	if open && found.For == refine.ForReading {
		f.relevance = readingRelevance
		f.Manifest.Anchor.Relevance = f.relevance
	}
	total := 0.0
	for _, a := range found.Alpha {
		total += a
	}
	last := found.LogLikelihood[len(found.LogLikelihood)-1]
	f.Manifest.Refine = &model.RefineRecord{Course: found.Course, LogLikelihood: last, Concentration: total,
		Dispersion: found.Dispersion}
	if err := f.noteFindings(ctx); err != nil {
		return err
	}
	if f.Manifest.Certificate != nil {
		c := *f.Manifest.Certificate
		c.SetErrors(found.Errors, found.Unrelated, f.Manifest.Anchor.Findings.Duplicates)
		f.Manifest.Certificate = &c
		if f.Certify(f.thinning(ctx).Shares(f.Topics.Prior), true); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	f.run.found("for", found.For, "burstiness", found.Burstiness, "passes", found.AllPasses(),
		"settled", found.Settled,
		"log_likelihood", last, "concentration", total, "dispersion", found.Dispersion)
	return nil
}

// take makes the rest of the topics those of refined mixtures. Topics are those of thinned documents. For reading the
// refinement has worked with such, and p(item) stays what it was. For prediction it has worked with tokens of whole
// documents, whose quantities are converted.
func (f *Fitted) take(ctx context.Context, found *refine.Result) error {
	t, weights := f.Topics, f.Marginals.Weights
	t.TopicJoint = found.Joint
	if found.For == refine.ForPrediction {
		for i, tf := range f.Marginals.TermFrequency {
			t.RowSums[i] = float64(tf)
		}
		toSumOne(t.RowSums)
		t.Stats.Weightless = 0
		if weights != nil {
			if err := t.Reweigh(ctx); err != nil {
				return err
			}
			reciprocal := make([]float64, len(weights))
			for i, weight := range weights {
				reciprocal[i] = 1 / weight
			}
			t.TopicJoint = thinning.New(ctx, t.Mixtures.Layout(), reciprocal, t.K, t.BRow).Joint(t.TopicJoint)
			for i, weight := range weights {
				t.RowSums[i] *= weight
			}
			toSumOne(t.RowSums)
		}
	}
	if err := t.Reweigh(ctx); err != nil {
		return err
	}
	f.shareWeightless(ctx)
	return nil
}
