package fit

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"anchorage/corpus"
	"anchorage/internal/process"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
)

// sampleOf draws a sample of drawn documents, and returns the options of a corpus of them.
func sampleOf(t *testing.T, items, topics int) (string, *corpus.Sample, corpus.Options) {
	t.Helper()
	path := writeDocuments(t, items, topics)
	shards, err := shard.Discover(t.Context(), []string{path}, shard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sample, err := stream.Sample(t.Context(), shards, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	return path, sample, corpus.Options{Pruning: corpus.Pruning{MinDF: 2, MaxDFRatio: 0.5}, MinItems: 3, MinTokens: 5}
}

// A plan has the figures of the model of memory of the corpus that a fit opens.
func TestPlanMemory(t *testing.T) {
	path, sample, opts := sampleOf(t, 3000, 8)
	docs := openCorpus(t, 0, func(o *corpus.Options) { *o = opts; o.Workers, o.Dir = 1, t.TempDir() }, path)
	options := Options{Topics: 8, Run: &Run{Workers: 1}}
	plan, err := NewPlan(sample, opts, options, UsualRates(1))
	if err != nil {
		t.Fatal(err)
	}
	fit := options.prepared()
	want := newMemoryModel(docs, &fit, true, true)
	if got := int(plan.Corpus.Kept.Estimate); got != want.items {
		t.Fatalf("%d items, want %d", got, want.items)
	}
	stages := want.stages()
	if len(stages) != len(plan.Stages) {
		t.Fatalf("stages %v, want %v", plan.Stages, stages)
	}
	for i, s := range stages {
		got := plan.Stages[i]
		if got.Stage != s.Stage || math.Abs(float64(got.MemoryBytes)/float64(s.Bytes)-1) > 0.05 || !(got.CPU > 0) || !(got.Seconds > 0) {
			t.Errorf("%+v, want %+v", got, s)
		}
	}
	if m := plan.MemoryBytes; !(m.Low <= m.Estimate && m.Estimate <= m.High) || plan.Refusal != nil || plan.ScratchBytes == 0 || plan.OutputBytes == 0 {
		t.Errorf("%+v", plan)
	}
	if lines := strings.Count(plan.Lines(), "\n"); lines != 2 {
		t.Errorf("%d lines:\n%s", lines+1, plan.Lines())
	}
}

// A plan says what its limit will refuse, and options that a fit refuses are refused.
func TestPlanRefusal(t *testing.T) {
	_, sample, opts := sampleOf(t, 500, 4)
	plan, err := NewPlan(sample, opts, Options{Topics: 4, Run: &Run{MemoryLimit: 60 << 20}}, UsualRates(1))
	if err != nil || plan.Refusal == nil || plan.Refusal.Limit != 60<<20 || plan.Refusal.Machine || !strings.Contains(plan.Lines(), "more than the limit of 60 MiB") {
		t.Errorf("%v, %+v", err, plan)
	}
	if _, err := NewPlan(sample, opts, Options{Topics: 1}, UsualRates(1)); !errors.As(err, new(*model.OptionError)) {
		t.Errorf("one topic: %v", err)
	}
}

// More passes, topics and refinement take longer, and a faster machine less.
func TestPlanTime(t *testing.T) {
	_, sample, opts := sampleOf(t, 500, 4)
	cpu := func(o Options, r Rates) float64 {
		plan, err := NewPlan(sample, opts, o, r)
		if err != nil {
			t.Fatal(err)
		}
		return plan.CPUSeconds.Estimate
	}
	usual := UsualRates(1)
	fast := usual
	fast.Gather, fast.Multiply, fast.Local = usual.Gather/10, usual.Multiply/10, usual.Local/10
	base := cpu(Options{Topics: 4}, usual)
	unrefined := Options{Topics: 4}
	unrefined.Refine.Passes = NoRefinement
	more := Options{Topics: 4}
	more.Sketch.Passes = 20
	for name, of := range map[string][2]float64{"without refinement": {cpu(unrefined, usual), base}, "faster": {cpu(Options{Topics: 4}, fast), base},
		"fewer passes": {base, cpu(more, usual)}, "fewer topics": {base, cpu(Options{Topics: 40}, usual)}} {
		if !(of[0] < of[1]) {
			t.Errorf("%s: %g, want less than %g", name, of[0], of[1])
		}
	}
}

// A calibration measures positive rates and leaves no file.
func TestCalibrate(t *testing.T) {
	dir := t.TempDir()
	r, err := Calibrate(t.Context(), 10, 2, dir, 20*time.Millisecond)
	if err != nil || !(r.Gather > 0 && r.Multiply > 0 && r.Local > 0 && r.Write > 0 && r.Speedup > 0) {
		t.Errorf("%+v, %v", r, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Calibrate(ctx, 10, 2, dir, time.Millisecond); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its context: %v", err)
	}
}

// A ceiling that nobody chose moves corrections, and refuses what does not fit. It changes nothing that results depend on.
func TestConfine(t *testing.T) {
	model := func() *memoryModel {
		o := Options{Topics: 100, Run: &Run{Workers: 1}}
		o = o.prepared()
		m := optionsModel(&o, true, true)
		m.corpus.Entries, m.corpus.Documents = 20e6, 1e6
		m.setSizes(200_000, 30<<20)
		return m
	}
	free := model()
	peak := func(m *memoryModel, stage string) int64 {
		for _, s := range m.stages() {
			if s.Stage == stage {
				return s.Bytes
			}
		}
		t.Fatalf("no stage %s", stage)
		return 0
	}
	roomy := model()
	if err := roomy.confine(1 << 40); err != nil || roomy.restricted || roomy.budget != free.budget {
		t.Errorf("a high ceiling: %v, %+v", err, roomy)
	}
	tight := model()
	ceiling := peak(free, "sketch") // the rectification with full corrections takes about as much
	tight.asked, tight.budget = 8<<30, 8<<30
	if err := tight.confine(ceiling); err != nil || !tight.restricted || tight.budget >= 8<<30 {
		t.Errorf("a ceiling of %d: %v, a budget of %d", ceiling, err, tight.budget)
	}
	if tight.blocks != free.blocks || tight.columns != free.columns || tight.refined != free.refined {
		t.Error("the ceiling changes what results depend on")
	}
	refused := new(MemoryError)
	if err := model().confine(ceiling - 1<<20); !errors.As(err, &refused) || !refused.Machine || refused.Limit != ceiling-1<<20 {
		t.Errorf("below it: %v", err)
	}
	// Only a run that owns its process has a ceiling.
	process.LimitMemory(1<<30, true)
	defer process.LimitMemory(0, true)
	if got := new(Run).ceiling(); got != 0 {
		t.Errorf("a run in the process of another has the ceiling %d", got)
	}
	if got := (&Run{OwnsProcess: true}).ceiling(); got != 1<<30 {
		t.Errorf("the ceiling is %d", got)
	}
}
