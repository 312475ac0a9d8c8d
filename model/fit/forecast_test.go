package fit

import (
	"errors"
	"math"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/process"
	"anchorage/shard"
	"anchorage/stream"
)

// A forecast has the figures of the model of memory of the corpus that a fit opens.
func TestForecast(t *testing.T) {
	path := writeDocuments(t, 3000, 8)
	shards, err := shard.Discover(t.Context(), []string{path}, shard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sample, err := stream.Sample(t.Context(), shards, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	opts := corpus.Options{Pruning: corpus.Pruning{MinDF: 2, MaxDFRatio: 0.5}, MinItems: 3, MinTokens: 5}
	docs := openCorpus(t, 0, func(o *corpus.Options) { *o = opts; o.Workers, o.Dir = 1, t.TempDir() }, path)
	options := Options{Topics: 8, Run: &Run{Workers: 1}}
	e := sample.Expect(opts)
	forecast, err := options.Forecast(e, 1)
	if err != nil {
		t.Fatal(err)
	}
	fit := options.prepared()
	want := newMemoryModel(docs, &fit, true, true)
	if forecast.Items != want.items {
		t.Fatalf("%d items, want %d", forecast.Items, want.items)
	}
	stages := want.stages()
	if len(stages) != len(forecast.Stages) {
		t.Fatalf("stages %v, want %v", forecast.Stages, stages)
	}
	for i, s := range stages {
		got := forecast.Stages[i]
		if got.Stage != s.Stage || math.Abs(float64(got.Bytes)/float64(s.Bytes)-1) > 0.05 {
			t.Errorf("%+v, want %+v", got, s)
		}
	}
}

// A ceiling that no option set moves corrections, and refuses what does not fit. It changes nothing that results depend
// on.
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
	if err := roomy.restrict(1<<40, true); err != nil || roomy.restricted || roomy.budget != free.budget {
		t.Errorf("a high ceiling: %v, %+v", err, roomy)
	}
	tight := model()
	ceiling := peak(free, "sketch") // the rectification with full corrections takes about as much
	tight.opts.Rectify.Corrections.Bytes = 8 << 30
	if err := tight.restrict(ceiling, true); err != nil || !tight.restricted || tight.budget >= 8<<30 {
		t.Errorf("a ceiling of %d: %v, a budget of %d", ceiling, err, tight.budget)
	}
	if tight.blocks != free.blocks || tight.columns != free.columns || tight.refined != free.refined {
		t.Error("the ceiling changes what results depend on")
	}
	refused := new(MemoryError)
	if err := model().restrict(ceiling-1<<20, true); !errors.As(err, &refused) || !refused.Machine ||
		refused.Limit != ceiling-1<<20 {
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
