package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"anchorage/bayes/refine"
	"anchorage/corpus"
	"anchorage/internal/polls"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
)

// refineTask makes the pass of a task of a refinement and saves it under a name.
func (r *rounds) refineTask(ctx context.Context, task shard.Task, from, name string) error {
	mine, err := task.Shards(r.shards)
	if err != nil {
		return err
	}
	start := new(model.Model)
	if err := start.ReadRefining(ctx, r.path(from)); err != nil {
		return err
	}
	docs, err := stream.Open(ctx, mine, corpus.Options{Vocabulary: start.Vocabulary, MinItems: 3, MinTokens: 5, Passes: 1,
		Log: quiet})
	if err != nil {
		return err
	}
	defer docs.Close()
	o := r.options
	o.Sketch.Tasks = &model.TasksRecord{Numbers: []int{task.Number}, Of: task.Of, Shards: len(r.shards),
		SHA256: shard.Fingerprint(r.shards)}
	s, err := RefineTask(ctx, start, docs, o)
	if err != nil {
		return err
	}
	return save(ctx, r.path(name), o.Run, s.SaveTo)
}

// refineMerge merges sums and makes the step from a model, "" for none, under a name.
func (r *rounds) refineMerge(from, name string, parts ...string) error {
	ctx, merger := r.t.Context(), new(model.Merger)
	for _, part := range parts {
		if err := merger.Add(ctx, r.path(part)); err != nil {
			return err
		}
	}
	if from == "" {
		s, err := Merged(ctx, merger, Options{Run: r.options.Run})
		if err != nil {
			return err
		}
		return save(ctx, r.path(name), r.options.Run, s.SaveTo)
	}
	start := new(model.Model)
	if err := start.ReadRefining(ctx, r.path(from)); err != nil {
		return err
	}
	f, err := RefineStep(ctx, start, merger, r.options.Run)
	if err != nil {
		return err
	}
	return save(ctx, r.path(name), r.options.Run, f.SaveTo)
}

// TestRefineRounds makes a survey and two passes by three tasks, of which each is killed and repeated, and by two. The
// models must have the same bytes, and be near that of two passes in one process, whose documents do not forget.
func TestRefineRounds(t *testing.T) {
	for _, purpose := range []refine.Purpose{refine.ForReading, refine.ForPrediction} {
		t.Run(string(purpose), func(t *testing.T) { refineRounds(t, purpose) })
	}
}

func refineRounds(t *testing.T, purpose refine.Purpose) {
	r := &rounds{t: t, folder: t.TempDir(), options: Options{Topics: 4, Seed: 3, Run: &Run{Workers: 2}}}
	r.options.Refine = RefineOptions{For: purpose, Passes: 2}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var paths []string
	for i := range 4 {
		paths = append(paths, r.path(fmt.Sprintf("shard-%d.parquet", i)))
		writeShard(t, paths[i], "word-%d", uint64(i+1))
	}
	var err error
	r.shards, err = shard.Discover(t.Context(), paths, shard.Options{})
	must(err)
	docs := openCorpus(t, 0, nil, paths...)
	spectral := r.options
	spectral.Refine = RefineOptions{Passes: NoRefinement}
	must(mustFit(t, docs, spectral).Save(t.Context(), r.path("start")))
	from := "start"
	for pass := range 3 {
		var names []string
		for number := range 3 {
			task, name := shard.Task{Number: number, Of: 3}, fmt.Sprintf("sums-%d-%d", pass+1, number)
			counted := polls.After(t.Context(), 0)
			must(r.refineTask(counted, task, from, name))
			killed, again := polls.After(t.Context(), 1+counted.Asked()*(number+1)/5), name+"-again"
			if err := r.refineTask(killed, task, from, again); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: interrupted: %v", name, err)
			}
			if _, err := os.Stat(r.path(again)); err == nil {
				t.Error("an interrupted task leaves something")
			}
			must(r.refineTask(t.Context(), task, from, again))
			r.same(name, again)
			must(r.refineTask(t.Context(), shard.Task{Number: number % 2, Of: 2}, from, name+"-two"))
			names = append(names, name)
		}
		next := fmt.Sprintf("model-%d", pass)
		must(r.refineMerge("", next+"-some", names[2], names[0]))
		must(r.refineMerge(from, next, names[1], next+"-some"))
		must(r.refineMerge(from, next+"-flat", names...))
		must(r.refineMerge(from, next+"-two", names[1]+"-two", names[0]+"-two"))
		r.same(next, next+"-flat")
		r.same(next, next+"-two")
		from = next
	}
	got, err := model.Load(t.Context(), r.path("model-2"))
	must(err)
	one := mustFit(t, docs, func() Options {
		o := r.options
		o.NoCertificate = true
		return o
	}()).Loaded()
	far, norm := 0.0, 0.0
	for i := range one.Items.Rows() {
		for k, b := range one.Items.Row(i) {
			d := b - got.Items.Row(i)[k]
			far, norm = far+d*d, norm+b*b
		}
	}
	a, b := one.Manifest.Refine, got.Manifest.Refine
	most := 0.01
	if purpose == refine.ForPrediction {
		most = 0.05 // the first pass of one process is an epoch
	}
	if far = math.Sqrt(far / norm); far > most || a.For != b.For || a.Passes+a.Epochs != b.Passes ||
		math.Abs(a.LogLikelihood-b.LogLikelihood) > 0.02 {
		t.Errorf("%.3g of the norm of B from one process; %+v by tasks, %+v in one process", far, *b, *a)
	}
	if before := r.manifest("model-1").Refine.LogLikelihood; purpose == refine.ForReading && b.LogLikelihood < before+1e-4 {
		t.Errorf("the log-likelihood is %v, and was %v a pass before", b.LogLikelihood, before)
	}
	if r.manifest("model-0").Refine != nil || !slices.Equal(got.Anchors, one.Anchors) || got.Manifest.Certificate == nil {
		t.Error("a survey refines, or a pass changes what is not refined")
	}
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"another pass":    {r.refineMerge("model-0", "x", "sums-2-0", "sums-1-1", "sums-2-2"), "sums-1-1 has sums of pass 1"},
		"another model":   {r.refineMerge("model-1", "x", "sums-2-0", "sums-2-1", "sums-2-2"), "did not start from"},
		"no model":        {r.refineMerge("", "x", "sums-2-0", "sums-2-1", "sums-2-2"), "give the model that its tasks started"},
		"a task twice":    {r.refineMerge("", "x", "sums-2-0", "sums-2-0"), "twice"},
		"other tasks":     {r.refineMerge("", "x", "sums-2-0", "sums-2-1-two"), "is of tasks on other shards"},
		"another purpose": {r.another(purpose), "have refined the topics for " + string(purpose)},
		"a shard changed": {r.changed(paths[0]), "is none of the shards"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, c.err, c.want)
		}
	}
}

// manifest returns that of a model.
func (r *rounds) manifest(name string) model.Manifest {
	m, err := model.ReadManifest(r.t.Context(), r.path(name), model.KindModel)
	if err != nil {
		r.t.Fatal(err)
	}
	return m
}

// another makes a pass for another purpose than those before.
func (r *rounds) another(than refine.Purpose) error {
	other := *r
	other.options.Refine.For = refine.ForReading
	if than == refine.ForReading {
		other.options.Refine.For = refine.ForPrediction
	}
	return other.refineTask(r.t.Context(), shard.Task{Of: 1}, "model-1", "x")
}

// changed makes a pass after a shard has changed.
func (r *rounds) changed(path string) error {
	if err := os.Remove(path); err != nil {
		r.t.Fatal(err)
	}
	writeShard(r.t, path, "word-%d", 77)
	found, err := shard.Discover(r.t.Context(), []string{path}, shard.Options{})
	if err != nil {
		return err
	}
	r.shards[0] = found[0]
	return r.refineTask(r.t.Context(), shard.Task{Of: 1}, "model-1", "x")
}
