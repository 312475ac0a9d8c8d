// This file makes updates and fits as the commands do, and measures them.

package nights

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"anchorage/corpus"
	"anchorage/internal/process"
	"anchorage/metric"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/store"
	"anchorage/stream"
)

// learned is what a fit took and made.
type learned struct {
	seconds, cpu    float64
	manifest        model.Manifest
	anchors         []string
	npmi, diversity float64
	stages          []model.StageTime
}

// update is what an update did.
type update struct {
	learned
	fresh     int64            // documents of the shards that were new
	generated *store.Generated // nil if there was nothing to do
}

// documents are the options by which commands open documents.
func (s *Series) documents() corpus.Options {
	return corpus.Options{Pruning: corpus.Pruning{MinDF: corpus.ByKind, MaxDFRatio: corpus.ByKind}, MinItems: corpus.ByKind, MinTokens: corpus.ByKind,
		Workers: s.Workers}
}

func (s *Series) options(run *model.Run) model.Options {
	return model.Options{Topics: s.Topics, Seed: 1, Run: run, Refine: s.Refine}
}

// stopwatch measures a part of a run, without what is left out of it.
type stopwatch struct {
	begin        time.Time
	seconds, cpu float64
}

func started() *stopwatch { return &stopwatch{begin: time.Now(), cpu: process.CPUSeconds()} }

// without runs fn and leaves out what it takes.
func (s *stopwatch) without(fn func() error) error {
	begin, cpu := time.Now(), process.CPUSeconds()
	err := fn()
	s.seconds -= time.Since(begin).Seconds()
	s.cpu += process.CPUSeconds() - cpu
	return err
}

// stop returns what was measured.
func (s *stopwatch) stop() (seconds, cpu float64) {
	return s.seconds + time.Since(s.begin).Seconds(), process.CPUSeconds() - s.cpu
}

// update updates the store. From scratch it makes a generation even if nothing is new.
func (s *Series) update(ctx context.Context, shards []shard.Shard, fromScratch bool) (*update, error) {
	watch := started()
	w, err := store.Begin(ctx, s.path(), store.Options{Workers: s.Workers, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	defer w.Close()
	names, err := store.ParseDatePattern("")
	if err != nil {
		return nil, err
	}
	plan, err := w.Plan(ctx, shards, store.PlanOptions{Names: names})
	if err != nil || plan.Nothing() && w.State.Generation > 0 && !fromScratch {
		return new(update), err
	}
	added, err := w.Add(ctx, plan, store.AddOptions{Reading: "nights"})
	if err != nil {
		return nil, err
	}
	u := new(update)
	for _, s := range added.Shards {
		u.fresh += s.Documents
	}
	run := &model.Run{Workers: s.Workers}
	u.generated, err = w.Generate(ctx, plan, added, store.GenerateOptions{Run: run, Corpus: s.documents(), Retain: 3,
		Fit: func(ctx context.Context, docs *corpus.Corpus, _ *model.Output, before *store.Before) (*model.Fitted, error) {
			options := s.options(run)
			if before != nil && !fromScratch {
				start, err := model.ReadStart(ctx, before.Path)
				if err != nil {
					return nil, err
				}
				start.Generation, options.Start = before.Number, start
			}
			return u.fit(ctx, docs, options, watch)
		}})
	if err != nil {
		return nil, err
	}
	u.seconds, u.cpu = watch.stop()
	u.stages = run.Stages()
	return u, nil
}

// fit fits the shards from scratch and saves the model.
func (s *Series) fit(ctx context.Context, shards []shard.Shard, path string) (l *learned, err error) {
	watch := started()
	run := &model.Run{Workers: s.Workers, SpillDir: s.Store}
	opening := s.documents()
	opening.Dir = s.Store
	docs, err := stream.Open(ctx, shards, opening)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, docs.Close()) }()
	l = new(learned)
	fitted, err := l.fit(ctx, docs, s.options(run), watch)
	if err != nil {
		return nil, err
	}
	if err := fitted.Save(ctx, path); err != nil {
		return nil, err
	}
	l.seconds, l.cpu = watch.stop()
	return l, nil
}

// topItems is how many prominent items of a topic count.
const topItems = 10

// fit fits a model and scores it, the latter off the watch.
func (l *learned) fit(ctx context.Context, docs *corpus.Corpus, options model.Options, watch *stopwatch) (*model.Fitted, error) {
	fitted, err := model.Fit(ctx, docs, options)
	if err != nil {
		return nil, err
	}
	l.manifest = fitted.Manifest
	for _, item := range fitted.Topics.Anchors {
		l.anchors = append(l.anchors, fitted.Vocabulary.ID(item))
	}
	return fitted, watch.without(func() error {
		var lists [][]int
		for _, list := range fitted.Overview().Prominent {
			var items []int
			for _, item := range list[:min(topItems, len(list))] {
				items = append(items, item.Item)
			}
			lists = append(lists, items)
		}
		pairs, err := metric.CountPairs(ctx, docs.Pass, docs.Vocabulary.Len(), lists, options.Run.Workers)
		if err != nil {
			return err
		}
		l.npmi, l.diversity = metric.NPMI(pairs), metric.TopicDiversity(lists)
		return nil
	})
}

// take notes what an update took and made.
func (r *Record) take(u *update) {
	r.Seconds, r.CPU, r.Stages, r.NewDocuments = u.seconds, u.cpu, u.stages, u.fresh
	r.Documents, r.Items, r.NPMI, r.Diversity = u.manifest.Corpus.Documents, u.manifest.Corpus.Items, u.npmi, u.diversity
	r.SketchPasses = u.manifest.Sketch.Passes
	if of := u.manifest.Refine; of != nil {
		r.RefinePasses, r.Moved, r.LogLikelihood = of.Epochs+of.Passes, of.Moved, of.LogLikelihood
	}
	if drift := u.generated.Drift; drift != nil {
		s := drift.Summary
		r.Kept, r.Born, r.Died, r.Split, r.Merged, r.MeanDistance = s.Kept, s.Born, s.Died, s.Split, s.Merged, s.MeanDistance
	}
}

// takeScratch notes what a fit from scratch took and made.
func (r *Record) takeScratch(l *learned) {
	r.ScratchSeconds, r.ScratchCPU, r.ScratchNPMI, r.ScratchDiversity = l.seconds, l.cpu, l.npmi, l.diversity
	r.ScratchSketchPasses = l.manifest.Sketch.Passes
	if of := l.manifest.Refine; of != nil {
		r.ScratchRefinePasses, r.ScratchLogLikelihood = of.Epochs+of.Passes, of.LogLikelihood
	}
}
