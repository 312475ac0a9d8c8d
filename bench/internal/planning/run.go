// This file plans a fit and makes it, in a process of its own.

package planning

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"anchorage/bench/internal/fitting"
	"anchorage/bench/internal/report"
	"anchorage/corpus"
	"anchorage/internal/process"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
)

// ChildCommand is the argument by which the program makes one run, as Child does.
const ChildCommand = "plan-run"

// calibration is how long the machine is measured, as the plan command does.
const calibration = 2 * time.Second

// Order is what a child process is asked to do.
type Order struct {
	Shards  []string
	Topics  int
	Output  string // the model, a directory that does not exist
	Workers int
}

// Child reads an Order, plans the fit, makes it, and answers with a Record. The process is there for this alone.
func Child(ctx context.Context, in io.Reader, out io.Writer) error {
	var order Order
	if err := json.NewDecoder(in).Decode(&order); err != nil {
		return fmt.Errorf("only `bench plan` runs this command: %w", err)
	}
	var record Record
	err := order.run(ctx, &record)
	hide := strings.NewReplacer(filepath.Dir(order.Output)+string(filepath.Separator), "")
	return report.Reply(ctx, out, &record, &record.Failure, err, hide)
}

// run plans and fits.
func (o *Order) run(ctx context.Context, r *Record) (err error) {
	_, tuned := os.LookupEnv("GOGC")
	run := &model.Run{Workers: o.Workers, OwnsProcess: true, TunesCollector: !tuned, SpillDir: filepath.Dir(o.Output)}
	options := model.Options{Topics: o.Topics, Seed: 1, Diagnose: true, Run: run}
	documents := fitting.Documents(filepath.Dir(o.Output), o.Workers)
	shards, err := shard.Discover(ctx, o.Shards, shard.Options{})
	if err != nil {
		return err
	}
	begin, cpu := time.Now(), process.CPUSeconds()
	sample, err := stream.Sample(ctx, shards, 0, o.Workers)
	if err != nil {
		return err
	}
	rates, err := model.Calibrate(ctx, o.Topics, o.Workers, run.SpillDir, calibration)
	if err != nil {
		return err
	}
	plan, err := model.NewPlan(sample, documents, options, rates)
	if err != nil {
		return err
	}
	r.Sampled, r.PlanSeconds, r.PlanCPU = sample.Entries, time.Since(begin).Seconds(), process.CPUSeconds()-cpu
	r.plan(plan)
	if err := fitting.Fit(ctx, shards, o.Output, documents, options); err != nil {
		return err
	}
	return r.take(ctx, o.Output)
}

// plan notes a plan.
func (r *Record) plan(p *model.Plan) {
	e := p.Corpus
	for _, f := range []struct {
		to *Forecast
		of corpus.Interval
	}{{&r.Documents, e.Documents}, {&r.Entries, e.Entries}, {&r.Items, e.Items}, {&r.Kept, e.Kept}, {&r.Memory, p.MemoryBytes}, {&r.CPU, p.CPUSeconds},
		{&r.Seconds, p.Seconds}, {&r.Output, corpus.Interval{Estimate: float64(p.OutputBytes), Low: float64(p.OutputBytes), High: float64(p.OutputBytes)}},
		{&r.Passes, corpus.Interval{Estimate: float64(p.Passes), Low: float64(p.Passes), High: float64(p.Passes)}}} {
		*f.to = Forecast{Estimate: f.of.Estimate, Low: f.of.Low, High: f.of.High}
	}
}

// take notes what the fit took.
func (r *Record) take(ctx context.Context, fitted string) error {
	run, err := model.ReadRun(ctx, fitted)
	if err != nil {
		return err
	}
	manifest, err := model.ReadManifest(ctx, fitted, model.KindModel)
	if err != nil {
		return err
	}
	docs := manifest.Corpus
	r.Documents.Truth, r.Entries.Truth = float64(docs.DocumentsRead), float64(docs.Entries)
	r.Kept.Truth, r.Items.Truth = float64(docs.Items), float64(int64(docs.Items)+docs.Pruned.Total().Items)
	passes := 1 + manifest.Sketch.Passes + 1 // the reading, the eigenpairs, the evidence
	if refined := manifest.Refine; refined != nil {
		passes += refined.Epochs + refined.Passes
	}
	r.Passes.Truth = float64(passes)
	r.Stages = run.Stages
	for _, s := range run.Stages {
		r.Seconds.Truth += s.Seconds
		r.CPU.Truth += s.CPU
		r.Memory.Truth = max(r.Memory.Truth, float64(s.PeakBytes))
	}
	return filepath.WalkDir(fitted, func(_ string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			r.Output.Truth += float64(info.Size())
		}
		return err
	})
}
