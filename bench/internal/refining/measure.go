// This file fits topics with one setting and scores them.

package refining

import (
	"context"
	"log/slog"
	"math"

	"anchorage/bayes/infer"
	"anchorage/bayes/refine"
	"anchorage/bench/internal/documents"
	"anchorage/corpus"
	"anchorage/metric"
	"anchorage/model"
)

const topItems = 10 // of a topic that count

// fit finds topics with a setting of our own, and scores them.
func (g *Grid) fit(ctx context.Context, of *documents.Division, r *Record) error {
	run := &model.Run{Workers: g.Workers, Log: slog.New(slog.DiscardHandler)}
	options := model.Options{Topics: r.Topics, Seed: seed, Run: run}
	switch r.Setting {
	case none:
		options.Refine.Passes = model.NoRefinement
	case reading:
		options.Refine = model.RefineOptions{For: refine.ForReading, Hold: r.Hold}
	case prediction:
		options.Refine.For = refine.ForPrediction
	}
	fitted, err := model.Fit(ctx, of.Learning, options)
	if err != nil {
		return err
	}
	r.Program, r.Stages = "anchorage "+model.Version, run.Stages()
	for _, stage := range r.Stages {
		r.Seconds += stage.Seconds
		r.CPU += stage.CPU
	}
	r.Burstiness = math.NaN()
	if how := fitted.Manifest.Refine; how != nil {
		r.Burstiness, r.Passes = how.Burstiness, how.Epochs+how.Passes
	}
	m := fitted.Loaded()
	t, err := m.Transformer(infer.Options{})
	if err != nil {
		return err
	}
	score := documents.Predict(m.Items, t.Inferrer(), of.Test, of.Held)
	r.LogLikelihood, r.Impossible, r.Tokens = score.LogLikelihood, score.Impossible, score.Tokens
	lists := make([][]int, m.Topics())
	for k, list := range m.Prominent {
		for _, item := range list[:min(topItems, len(list))] {
			lists[k] = append(lists[k], item.Item)
		}
	}
	return r.read(ctx, of.Learning, lists, g.Workers)
}

// read scores the first items of topics, by the documents that they were learned from.
func (r *Record) read(ctx context.Context, docs *corpus.Corpus, lists [][]int, workers int) error {
	pairs, err := metric.CountPairs(ctx, docs.Pass, docs.Vocabulary.Len(), lists, workers)
	if err != nil {
		return err
	}
	r.NPMI, r.Diversity = metric.NPMI(pairs), metric.TopicDiversity(lists)
	return nil
}
