// Package planning measures plans of fits against what the fits then take.
package planning

import (
	"context"
	_ "embed"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"anchorage/bench/internal/documents"
	"anchorage/bench/internal/run"
	"anchorage/corpus"
	"anchorage/internal/objects"
	"anchorage/internal/process"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/model/plan"
	"anchorage/stream"
)

//go:embed page.md
var page string

// Part plans a fit of each corpus, as anchorage plan does, and then makes the fit in the same process.
var Part = &run.Part{
	Name: "plan", Title: "Plans and what fits then took",
	Uses:  run.With("model/plan"),
	About: "Measure plans of fits against what the fits take",
	Settings: []run.Setting{
		{Name: "data", Default: "data", Help: "folder of the corpora", How: true},
		{Name: "corpora", Default: "retail:25,nips:25,kos:25,wiki:50,reddit:100",
			Help: "folders of the data, each with a number of topics", How: true},
	},
	Keys: []string{"corpus", "topics"},
	Cells: func(v *run.Values) (cells []run.Values, err error) {
		for _, text := range v.List("corpora") {
			name, topics, _ := strings.Cut(text, ":")
			if _, err := strconv.Atoi(topics); err != nil {
				return nil, fmt.Errorf("--corpora has %q: write NAME:TOPICS", text)
			}
			cells = append(cells, v.With("corpus", name, "topics", topics))
		}
		return cells, nil
	},
	Measure: measure, Alone: true,
	Page: page,
}

// measure plans and fits.
func measure(ctx context.Context, j *run.Job) (err error) {
	r := &fit.Run{Workers: j.Workers, SpillDir: j.Scratch}
	options := fit.Options{Topics: j.Int("topics"), Seed: 1, Extras: fit.Extras{Diagnose: true}, Run: r}
	limits := corpus.Options{Workers: j.Workers, Dir: j.Scratch}
	shards, err := documents.Shards(ctx, filepath.Join(j.Text("data"), j.Text("corpus")))
	if err != nil {
		return err
	}
	begin, cpu := time.Now(), process.CPUSeconds()
	sample, err := stream.Sample(ctx, shards, 0, j.Workers)
	if err != nil {
		return err
	}
	forecast, err := plan.New(sample, limits, options, 1)
	if err != nil {
		return err
	}
	j.Row("workers", j.Workers, "sampled_entries", sample.Entries, "plan_seconds", time.Since(begin), "plan_cpu_seconds",
		process.CPUSeconds()-cpu)
	path := filepath.Join(j.Scratch, "model")
	if err := documents.Fit(ctx, shards, path, limits, options); err != nil {
		return err
	}
	return report(ctx, j, forecast, path)
}

// report reports what was forecast, and what the fit took.
func report(ctx context.Context, j *run.Job, plan *plan.Plan, path string) error {
	ran, err := fit.ReadRun(ctx, path)
	if err != nil {
		return err
	}
	manifest, err := model.ReadManifest(ctx, path, model.KindModel)
	if err != nil {
		return err
	}
	j.Stages(ran.Stages)
	seconds, cpu, peak := 0.0, 0.0, int64(0)
	for _, s := range ran.Stages {
		seconds, cpu, peak = seconds+s.Seconds, cpu+s.CPU, max(peak, s.PeakBytes)
	}
	passes := 1 + manifest.Sketch.Passes + 1 // the reading, the eigenpairs, the evidence
	if refined := manifest.Refine; refined != nil {
		passes += refined.AllPasses()
	}
	size, err := objects.Size(ctx, path)
	certain := func(v float64) corpus.Interval { return corpus.Interval{Estimate: v, Low: v, High: v} }
	docs, e := manifest.Corpus, plan.Corpus
	for _, f := range []struct {
		figure string
		unit   float64 // in which the page has it
		of     corpus.Interval
		truth  float64
	}{{"documents", 1, e.Documents, float64(docs.DocumentsRead)}, {"entries, M", 1e6, e.Entries, float64(docs.Entries)},
		{"items", 1, e.Items, float64(int64(docs.Items) + docs.Pruned.Total().Items)}, {"items kept", 1, e.Kept,
			float64(docs.Items)},
		{"memory, MiB", 1 << 20, plan.MemoryBytes, float64(peak)}, {"model, MiB", 1 << 20, certain(float64(plan.OutputBytes)),
			float64(size)},
		{"passes", 1, certain(float64(plan.Passes)), float64(passes)}, {"CPU s", 1, plan.CPUSeconds, cpu}, {"seconds", 1,
			plan.Seconds, seconds}} {
		j.Add("forecasts", "figure", f.figure, "estimate", f.of.Estimate/f.unit, "low", f.of.Low/f.unit, "high",
			f.of.High/f.unit, "truth", f.truth/f.unit)
	}
	return err
}
