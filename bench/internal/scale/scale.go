// Package scale measures how time and memory of a fit grow with the numbers of items and documents, and how near the
// topics are to those that the documents were drawn from.
package scale

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"anchorage/bench/internal/documents"
	"anchorage/bench/internal/run"
	"anchorage/corpus"
	"anchorage/internal/process"
	"anchorage/internal/synth"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/shard"
)

//go:embed page.md
var page string

// Part makes a series of fits along items and one along documents, over corpora with Zipf item frequencies.
var Part = &run.Part{
	Name: "scale", Title: "How a fit scales",
	About: "Measure how time and memory of a fit grow with items and documents",
	Settings: []run.Setting{
		{Name: "items", Default: "10000,30000,100000,300000,1000000,3000000",
			Help: "numbers of items of the series along items, N; empty for none", How: true},
		{Name: "documents-per-item", Default: "2", Help: "documents of that series for every item, M/N", How: true},
		{Name: "tokens", Default: "20", Help: "mean length of its documents", How: true},
		{Name: "documents", Default: "1000000,3000000,10000000",
			Help: "numbers of documents of the series along documents, M; empty for none", How: true},
		{Name: "document-items", Default: "1000000", Help: "items of that series", How: true},
		{Name: "document-tokens", Default: "45", Help: "mean length of its documents", How: true},
		{Name: "topics", Default: "100", Help: "topics of the corpora and of the fits, K", How: true},
		{Name: "seed", Default: "1", Help: "seed of the corpora", How: true},
		{Name: "refine", Default: "auto", Help: "auto or none, as of anchorage fit"},
		{Name: "min-df", Default: "1", Help: "fewest documents of an item that is kept"},
		{Name: "passes", Default: "0", Help: "over the documents to eigenpairs; 0 for as many as accuracy needs"},
		{Name: "memory-limit", Default: "0", Help: "MiB that the fit may take; 0 for what the machine has"},
		{Name: "paper", Default: "false", Help: "everything as published"},
	},
	Keys:   []string{"axis", "items", "documents", "tokens", "topics", "seed", "flags"},
	Cells:  cells,
	Shared: []string{"items", "documents", "tokens", "topics", "seed"}, Prepare: prepare,
	Measure: measure, Alone: true,
	Page: page,
}

func cells(v *run.Values) (cells []run.Values, err error) {
	for _, n := range v.Ints("items") {
		cells = append(cells, v.With("axis", "items", "items", n, "documents", n*v.Int("documents-per-item")))
	}
	for _, m := range v.Ints("documents") {
		cells = append(cells, v.With("axis", "documents", "items", v.Int("document-items"), "documents", m, "tokens",
			v.Int("document-tokens")))
	}
	for _, c := range cells {
		err = errors.Join(err, drawn(c, 0).Check())
	}
	return cells, err
}

// drawn returns what the corpus of a run is drawn from.
func drawn(v run.Values, workers int) synth.Model {
	return synth.Model{Items: v.Int("items"), Topics: v.Int("topics"), Documents: v.Int("documents"),
		Tokens: v.Int("tokens"), Seed: v.Seed("seed"), Workers: workers}
}

// prepare writes the corpus as Parquet shards, at least 4, of at most 50,000 documents.
func prepare(ctx context.Context, j *run.Job) error {
	return drawn(j.Values, j.Workers).Plant().WriteShards(ctx, j.Shared, max(4, (j.Int("documents")+49_999)/50_000))
}

// measure makes a fit as `anchorage fit` does, and then compares its topics with the drawn ones.
func measure(ctx context.Context, j *run.Job) error {
	begin, folder := time.Now(), filepath.Join(j.Scratch, "model")
	if err := learn(ctx, j, folder); err != nil {
		return err
	}
	ran, err := fit.ReadRun(ctx, folder)
	if err != nil {
		return err
	}
	manifest, err := model.ReadManifest(ctx, folder, model.KindModel)
	if err != nil {
		return err
	}
	seconds, cpu := time.Since(begin).Seconds(), process.CPUSeconds()
	docs := manifest.Corpus
	if docs.DocumentsRead != int64(j.Int("documents")) {
		return fmt.Errorf("the fit has read %d documents of %d", docs.DocumentsRead, j.Int("documents"))
	}
	visits := fit.StageTime{Name: "– its visits of documents"}
	for _, pass := range ran.Passes {
		visits.Seconds += pass.VisitSeconds
		visits.CPU += pass.VisitCPU
	}
	j.Row("workers", j.Workers, "items_kept", docs.Items, "documents_kept", docs.Documents, "entries", docs.Entries,
		"passes", manifest.Sketch.Passes, "largest_residual", manifest.Sketch.LargestResidual)
	if r := manifest.Rectify; r != nil {
		j.Row("iterations", r.Iterations, "converged", r.Converged, "density", r.Density)
	}
	j.Row("visit_seconds", visits.Seconds, "visit_cpu_seconds", visits.CPU, "seconds", seconds, "cpu_seconds", cpu,
		"peak_bytes", ran.PeakBytes)
	j.Stages(append(ran.Stages, visits, fit.StageTime{Name: "whole", Seconds: seconds, CPU: cpu,
		PeakBytes: ran.PeakBytes}))

	corpus := drawn(j.Values, j.Workers).Plant()
	found, err := model.Load(ctx, folder)
	if err != nil {
		return err
	}
	items, err := synth.ItemsOf(found.Vocabulary)
	if err != nil {
		return err
	}
	recovered := corpus.Truth.Recover(synth.Estimate{Items: items, Row: found.ItemRow, Correlations: found.TopicJoint,
		Anchors: found.Anchors})
	oracle, err := corpus.Oracle(ctx)
	if err != nil {
		return err
	}
	floor := corpus.Truth.Recover(oracle.Estimate())
	j.Row("error_b", recovered.ErrorB, "floor_b", floor.ErrorB, "error_a", recovered.ErrorA, "floor_a", floor.ErrorA,
		"distance_a", recovered.DistanceA, "anchors", recovered.Anchors)
	return nil
}

// learn writes the model of the shards in the shared folder.
func learn(ctx context.Context, j *run.Job, folder string) error {
	shards, err := shard.Discover(ctx, []string{j.Shared}, shard.Options{})
	if err != nil {
		return err
	}
	var o fit.Options
	if j.Bool("paper") {
		o = fit.Published(fit.LRJSMF)
	}
	o.Topics, o.Seed, o.Run = j.Int("topics"), 1, &fit.Run{Workers: j.Workers, SpillDir: j.Scratch,
		MemoryLimit: int64(j.Int("memory-limit")) << 20}
	if passes := j.Int("passes"); passes > 0 {
		o.Sketch.Passes = passes
	}
	if j.Text("refine") == "none" {
		o.Refine.Passes = fit.NoRefinement
	}
	return documents.Fit(ctx, shards, folder, corpus.Options{MinItems: 3, MinTokens: 5, Dir: j.Scratch, Workers: j.Workers,
		Passes: j.Int("passes"), Pruning: corpus.Pruning{MinDF: int64(j.Int("min-df")), MaxDFRatio: 0.5}}, o)
}
