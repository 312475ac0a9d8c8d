// Package nights rehearses a store over many nights: on the first most shards are there, and on each of the others one
// comes. It records what every update takes and what becomes of the topics, and compares some updates with fits of the
// same shards from scratch.
package nights

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"anchorage/bench/internal/documents"
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

//go:embed page.md
var page string

// Part makes a store and updates it night by night, as anchorage update does. Shards of equal numbers of documents are
// made by anchorage convert CORPUS -o SHARDS --shard-documents N.
var Part = &run.Part{
	Name: "nights", Title: "Nights of a store",
	Uses:  run.With("store"),
	About: "Rehearse a store over many nights",
	Settings: []run.Setting{
		{Name: "data", Default: "data", Help: "folder of the corpora", How: true},
		{Name: "corpus", Default: "reddit", Help: "a folder of shards, which come in the order of their names"},
		{Name: "topics", Default: "50", Help: "topics, K"},
		{Name: "nights", Default: "30",
			Help: "nights after the first, with a shard each; all other shards are there on the first"},
		{Name: "compare", Default: "10", Help: "nights after which an update is compared with a fit from scratch", How: true},
	},
	Keys: []string{"corpus", "topics", "nights", "night"},
	Cells: func(v *run.Values) (cells []run.Values, err error) {
		if v.Int("nights") < 1 || v.Int("compare") < 1 {
			return nil, errors.New("--nights and --compare must be positive")
		}
		for night := range v.Int("nights") + 1 {
			cells = append(cells, v.With("night", night))
		}
		return cells, nil
	},
	Shared: []string{"corpus", "topics", "nights"},
	Prepare: func(ctx context.Context, j *run.Job) error { // a command that continues makes the store of the night before
		if j.Int("night") == 0 {
			return nil
		}
		shards, err := shardsOf(ctx, j, j.Int("night")-1)
		if err != nil {
			return err
		}
		_, err = update(ctx, j, shards, false)
		return err
	},
	Measure: measure,
	Page:    page,
}

// shardsOf returns the shards of a night.
func shardsOf(ctx context.Context, j *run.Job, night int) ([]shard.Shard, error) {
	shards, err := documents.Shards(ctx, filepath.Join(j.Text("data"), j.Text("corpus")))
	if err != nil {
		return nil, err
	}
	if nights := j.Int("nights"); len(shards) <= nights {
		return nil, fmt.Errorf("%d shards are too few for a first night and %d others", len(shards), nights)
	}
	return shards[:len(shards)-j.Int("nights")+night], nil
}

func storeOf(j *run.Job) string { return filepath.Join(j.Shared, "store") }

// measure makes a night.
func measure(ctx context.Context, j *run.Job) error {
	night := j.Int("night")
	shards, err := shardsOf(ctx, j, night)
	if err != nil {
		return err
	}
	u, err := update(ctx, j, shards, false)
	if err != nil {
		return err
	}
	if u.generated == nil {
		return errors.New("there was nothing to update")
	}
	j.Row("workers", j.Workers, "shards", len(shards), "items", u.manifest.Corpus.Items, "new_documents", u.fresh,
		"documents", u.manifest.Corpus.Documents)
	u.report(j, "")
	j.Stages(u.stages)
	if drift := u.generated.Drift; drift != nil {
		s := drift.Summary
		j.Row("kept", s.Kept, "born", s.Born, "died", s.Died, "split", s.Split, "merged", s.Merged, "mean_distance",
			s.MeanDistance)
	}
	again, err := update(ctx, j, shards, false)
	if err != nil {
		return err
	}
	if j.Row("again", "nothing"); again.generated != nil {
		j.Row("again", "a new generation")
	}
	compared := night > 0 && night%j.Int("compare") == 0
	if j.Row("compared", compared); !compared {
		return nil
	}
	return compare(ctx, j, u, shards)
}

// compare compares a night's update with a fit of the same shards from scratch. An update from scratch must have the
// bytes of that fit; the store then continues with the generation of the night.
func compare(ctx context.Context, j *run.Job, u *updated, shards []shard.Shard) error {
	path := filepath.Join(j.Scratch, "fit")
	scratch, err := learn(ctx, j, shards, path)
	if err != nil {
		return err
	}
	scratch.report(j, "scratch_")
	made, err := update(ctx, j, shards, true)
	if err != nil {
		return err
	}
	want, err := model.ReadManifest(ctx, path, model.KindModel)
	if err != nil {
		return err
	}
	got, err := model.ReadManifest(ctx, made.generated.Path, model.KindModel)
	if err != nil {
		return err
	}
	j.Row("same_anchors", run.Common(scratch.anchors, u.anchors), "files", len(want.Outputs), "equal_files",
		run.Common(want.Outputs, got.Outputs))
	w, err := store.Begin(ctx, storeOf(j), store.Options{Workers: j.Workers, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer w.Close()
	_, err = w.Rollback(ctx, u.generated.Number)
	return err
}

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
