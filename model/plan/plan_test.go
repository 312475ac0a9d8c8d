package plan

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/shard"
	"anchorage/stream"
)

// sampleOf draws a sample of drawn documents, and returns the options of a corpus of them.
func sampleOf(t *testing.T, items, topics int) (*corpus.Sample, corpus.Options) {
	t.Helper()
	docs, _ := synth.Model{Items: items, Topics: topics, Documents: 2 * items, Tokens: 15, Concentration: 0.1,
		Seed: 1}.Draw()
	var text []byte
	for d := range docs.Documents() {
		items, counts := docs.Row(d)
		for at, item := range items {
			text = append(text, strings.Repeat(fmt.Sprintf("%d ", item), int(counts[at]))...)
		}
		text = append(text, '\n')
	}
	path := filepath.Join(t.TempDir(), "a.dat")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	shards, err := shard.Discover(t.Context(), []string{path}, shard.Options{Format: shard.Baskets})
	if err != nil {
		t.Fatal(err)
	}
	sample, err := stream.Sample(t.Context(), shards, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	return sample, corpus.Options{Pruning: corpus.Pruning{MinDF: 2, MaxDFRatio: 0.5}, MinItems: 3, MinTokens: 5}
}

// A plan has the stages of the forecast, all with time.
func TestPlan(t *testing.T) {
	sample, opts := sampleOf(t, 3000, 8)
	plan, err := New(sample, opts, fit.Options{Topics: 8, Run: &fit.Run{Workers: 1}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, stage := range plan.Stages {
		if !(stage.MemoryBytes > 0) || !(stage.CPU > 0) || !(stage.Seconds > 0) {
			t.Errorf("%+v", stage)
		}
	}
	if m := plan.MemoryBytes; !(m.Low <= m.Estimate && m.Estimate <= m.High) || len(plan.Stages) < 5 ||
		plan.Refusal != nil ||
		plan.ScratchBytes == 0 || plan.OutputBytes == 0 {
		t.Errorf("%+v", plan)
	}
}

// A plan says what its limit will refuse, and options that a fit refuses are refused.
func TestPlanRefusal(t *testing.T) {
	sample, opts := sampleOf(t, 500, 4)
	plan, err := New(sample, opts, fit.Options{Topics: 4, Run: &fit.Run{MemoryLimit: 60 << 20}}, 1)
	if err != nil || plan.Refusal == nil || plan.Refusal.Limit != 60<<20 || plan.Refusal.Machine {
		t.Errorf("%v, %+v", err, plan)
	}
	if _, err := New(sample, opts, fit.Options{Topics: 1}, 1); !errors.As(err, new(*model.OptionError)) {
		t.Errorf("one topic: %v", err)
	}
}

// More passes, topics and refinement take longer.
func TestPlanTime(t *testing.T) {
	sample, opts := sampleOf(t, 500, 4)
	cpu := func(o fit.Options) float64 {
		plan, err := New(sample, opts, o, 1)
		if err != nil {
			t.Fatal(err)
		}
		return plan.CPUSeconds.Estimate
	}
	base := cpu(fit.Options{Topics: 4})
	unrefined := fit.Options{Topics: 4}
	unrefined.Refine.Passes = fit.NoRefinement
	more := fit.Options{Topics: 4}
	more.Sketch.Passes = 20
	for name, of := range map[string][2]float64{"without refinement": {cpu(unrefined), base},
		"fewer passes": {base, cpu(more)}, "fewer topics": {base, cpu(fit.Options{Topics: 40})}} {
		if !(of[0] < of[1]) {
			t.Errorf("%s: %g, want less than %g", name, of[0], of[1])
		}
	}
}

// Ranks share the work, and what each holds.
func TestPlanOfRanks(t *testing.T) {
	sizes := Sizes{Documents: 1e5, Entries: 1e7, Items: 1e5}
	var of [2]*Plan
	for i, ranks := range []int{1, 8} {
		var err error
		if of[i], err = OfSizes(sizes, fit.Options{Topics: 50}, ranks); err != nil {
			t.Fatal(err)
		}
	}
	if one, eight := of[0], of[1]; one.Ranks != 0 || eight.Ranks != 8 ||
		!(eight.CPUSeconds.Estimate < one.CPUSeconds.Estimate/4) || !(eight.ScratchBytes < one.ScratchBytes/4) {
		t.Errorf("of one process %+v, of a rank of eight %+v", one, eight)
	}
}

// A plan of a million items has its basis on disk where memory has room for only the rest, if there is a folder.
func TestPlanOfBasis(t *testing.T) {
	for _, test := range []struct {
		limit         int64
		folder        string
		basis, refuse bool
	}{{0, "x", false, false}, {3 << 30, "x", true, false}, {3 << 30, "", false, true}, {2 << 30, "x", false, true}} {
		run := &fit.Run{Workers: 1, MemoryLimit: test.limit, SpillDir: test.folder}
		o := fit.Options{Topics: 100, Run: run, Refine: fit.RefineOptions{Passes: fit.NoRefinement}}
		plan, err := OfSizes(Sizes{Items: 1e6, Entries: 4e7}, o, 1)
		if err != nil {
			t.Fatal(err)
		}
		if plan.BasisBytes > 2<<30 != test.basis || (plan.Refusal != nil) != test.refuse {
			t.Errorf("limit %d, folder %q: %d bytes of a basis, refusal %v", test.limit, test.folder, plan.BasisBytes,
				plan.Refusal)
		}
	}
}
