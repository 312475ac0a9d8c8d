// This file makes updates and fits as the commands do, and measures them.

package nights

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"anchorage/bench/internal/run"
	"anchorage/bench/internal/systems"
	"anchorage/corpus"
	"anchorage/internal/process"
	"anchorage/metric"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/shard"
	"anchorage/store"
	"anchorage/stream"
)

// learned is what a fit took and made.
type learned struct {
	begin           time.Time
	seconds, cpu    float64 // without what scores took
	manifest        model.Manifest
	anchors         []string
	npmi, diversity float64
	stages          []fit.StageTime
}

// updated is what an update did.
type updated struct {
	learned
	fresh     int64            // documents of the shards that were new
	generated *store.Generated // nil if there was nothing to do
}

func started() learned { return learned{begin: time.Now(), cpu: -process.CPUSeconds()} }

func (l *learned) stop() {
	l.seconds += time.Since(l.begin).Seconds()
	l.cpu += process.CPUSeconds()
}

// report reports what a fit took and made, in columns whose names have a prefix.
func (l *learned) report(j *run.Job, prefix string) {
	j.Row(prefix+"seconds", l.seconds, prefix+"cpu_seconds", l.cpu, prefix+"sketch_passes", l.manifest.Sketch.Passes,
		prefix+"npmi", l.npmi, prefix+"diversity", l.diversity)
	if r := l.manifest.Refine; r != nil {
		j.Row(prefix+"refine_passes", r.AllPasses(), prefix+"moved", r.Moved, prefix+"log_likelihood", r.LogLikelihood)
	}
}

// update updates the store. From scratch it makes a generation even if nothing is new.
func update(ctx context.Context, j *run.Job, shards []shard.Shard, fromScratch bool) (*updated, error) {
	u := &updated{learned: started()}
	w, err := store.Begin(ctx, storeOf(j), store.Options{Workers: j.Workers, Log: slog.New(slog.DiscardHandler)})
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
		return u, err
	}
	added, err := w.Add(ctx, plan, store.AddOptions{Reading: "nights"})
	if err != nil {
		return nil, err
	}
	for _, s := range added.Shards {
		u.fresh += s.Documents
	}
	r := &fit.Run{Workers: j.Workers}
	next, err := w.Open(ctx, plan, added, store.GenerateOptions{Fit: fit.Options{Topics: j.Int("topics"), Seed: 1, Run: r},
		FromScratch: fromScratch,
		Corpus:      corpus.Options{Workers: j.Workers}, Retain: 3})
	if err != nil {
		return nil, err
	}
	defer next.Close()
	if err := next.Learn(ctx); err != nil {
		return nil, err
	}
	if err := u.score(ctx, next.Fitted, next.Documents, j.Workers); err != nil {
		return nil, err
	}
	if err := next.Continue(ctx); err != nil {
		return nil, err
	}
	u.generated, err = next.Commit(ctx)
	u.stop()
	u.stages = r.Stages()
	return u, err
}

// learn fits the shards from scratch and saves the model.
func learn(ctx context.Context, j *run.Job, shards []shard.Shard, path string) (_ *learned, err error) {
	l := started()
	docs, err := stream.Open(ctx, shards, corpus.Options{Workers: j.Workers, Dir: j.Scratch})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, docs.Close()) }()
	fitted, err := fit.Fit(ctx, docs, fit.Options{Topics: j.Int("topics"), Seed: 1, Run: &fit.Run{Workers: j.Workers,
		SpillDir: j.Scratch}})
	if err != nil {
		return nil, err
	}
	if err := l.score(ctx, fitted, docs, j.Workers); err != nil {
		return nil, err
	}
	err = fitted.Save(ctx, path)
	l.stop()
	return &l, err
}

// score scores a model.
func (l *learned) score(ctx context.Context, fitted *fit.Fitted, docs *corpus.Corpus, workers int) error {
	scoring := started()
	l.manifest = fitted.Manifest
	for _, item := range fitted.Topics.Anchors {
		l.anchors = append(l.anchors, fitted.Vocabulary.ID(item))
	}
	lists := systems.Prominent(fitted.Overview())
	pairs, err := metric.CountPairs(ctx, docs.Pass, docs.Vocabulary.Len(), lists, workers)
	if err != nil {
		return err
	}
	l.npmi, l.diversity = metric.NPMI(pairs), metric.TopicDiversity(lists)
	scoring.stop()
	l.seconds, l.cpu = l.seconds-scoring.seconds, l.cpu-scoring.cpu
	return nil
}
