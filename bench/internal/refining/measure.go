// This file fits topics with one setting and scores them.

package refining

import (
	"context"
	"log/slog"
	"math"

	"anchorage/corpus"
	"anchorage/infer"
	"anchorage/metric"
	"anchorage/model"
	"anchorage/svi"
)

const (
	topItems = 10    // of a topic that count
	least    = 1e-12 // the probability of a token to which the topics give none
)

// fit finds topics with a setting of our own, and scores them.
func (g *Grid) fit(ctx context.Context, of *division, r *Record) error {
	run := &model.Run{Workers: g.Workers, Log: slog.New(slog.DiscardHandler)}
	options := model.Options{Topics: r.Topics, Seed: seed, Run: run}
	switch r.Setting {
	case none:
		options.Refine.Passes = model.NoRefinement
	case reading:
		options.Refine = model.RefineOptions{For: svi.ForReading, Hold: r.Hold}
	case prediction:
		options.Refine.For = svi.ForPrediction
	}
	fitted, err := model.Fit(ctx, of.learning, options)
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
	m := fitted.Model()
	if err := r.predict(m, of.test, of.held); err != nil {
		return err
	}
	lists := make([][]int, m.Topics())
	for k, list := range m.Prominent {
		for _, item := range list[:min(topItems, len(list))] {
			lists[k] = append(lists[k], item.Item)
		}
	}
	return r.read(ctx, of.learning, lists, g.Workers)
}

// predict infers documents from their test tokens, and scores the held ones.
func (r *Record) predict(m *model.Model, test, held *corpus.Documents) error {
	t, err := m.Transformer(infer.Options{})
	if err != nil {
		return err
	}
	w, mixture, sum, impossible := t.Inferrer().Worker(), make([]float32, m.Topics()), 0.0, int64(0)
	r.Tokens = 0
	for d := range test.Documents() {
		items, counts := held.Row(d)
		if len(items) == 0 {
			continue
		}
		known, times := test.Row(d)
		w.Infer(mixture, known, times)
		for i, item := range items {
			p := 0.0
			for k, b := range m.Items.Row(int(item)) {
				p += b * float64(mixture[k])
			}
			if p < least {
				p = least
				impossible += int64(counts[i])
			}
			sum += float64(counts[i]) * math.Log(p)
			r.Tokens += int64(counts[i])
		}
	}
	r.LogLikelihood, r.Impossible = sum/float64(r.Tokens), float64(impossible)/float64(r.Tokens)
	return nil
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
