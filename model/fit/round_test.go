package fit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/polls"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
)

// rounds are tasks of the same shards, and folders for what they save.
type rounds struct {
	t       *testing.T
	folder  string
	shards  []shard.Shard
	items   *corpus.Vocabulary
	options Options
}

// task makes the pass of one of three tasks from a round, "" for the first, and saves it under a name.
func (r *rounds) task(ctx context.Context, number int, from, name string) error {
	t := shard.Task{Number: number, Of: 3}
	mine, err := t.Shards(r.shards)
	if err != nil {
		return err
	}
	o := r.options
	o.Sketch.Tasks = &model.TasksRecord{Numbers: []int{number}, Of: 3, Shards: len(r.shards),
		SHA256: shard.Fingerprint(r.shards)}
	if from != "" {
		o.Sketch.From = new(model.Model)
		if err := o.Sketch.From.ReadRound(ctx, r.path(from)); err != nil {
			return err
		}
	}
	docs, err := stream.Open(ctx, mine, corpus.Options{Vocabulary: r.items, MinItems: 3, MinTokens: 5, Passes: 1, Log: quiet})
	if err != nil {
		return err
	}
	defer docs.Close()
	s, err := Sketch(ctx, docs, o)
	if err != nil {
		return err
	}
	return save(ctx, r.path(name), o.Run, s.SaveTo)
}

func (r *rounds) path(name string) string { return filepath.Join(r.folder, name) }

// merge merges sums from a round, and saves the result under a name.
func (r *rounds) merge(from, name string, parts ...string) error {
	ctx := r.t.Context()
	var merger model.Merger
	for _, part := range parts {
		if err := merger.Add(ctx, r.path(part)); err != nil {
			return err
		}
	}
	o := Options{Run: &Run{Workers: 1}}
	if from != "" {
		o.Sketch.From = new(model.Model)
		if err := o.Sketch.From.ReadRound(ctx, r.path(from)); err != nil {
			return err
		}
	}
	s, err := Merged(ctx, &merger, o)
	if err != nil {
		return err
	}
	return save(ctx, r.path(name), o.Run, s.SaveTo)
}

// same reports which files of two directories differ, without run.json and those that are excepted.
func (r *rounds) same(a, b string, except ...string) {
	r.t.Helper()
	entries, err := os.ReadDir(r.path(a))
	if err != nil || len(entries) < 3 {
		r.t.Fatalf("%s has %d files: %v", a, len(entries), err)
	}
	for _, e := range entries {
		one, _ := os.ReadFile(filepath.Join(r.path(a), e.Name()))
		other, err := os.ReadFile(filepath.Join(r.path(b), e.Name()))
		if err != nil || string(one) != string(other) && !slices.Contains(append(except, "run.json"), e.Name()) {
			r.t.Errorf("%s of %s and of %s differ: %v", e.Name(), a, b, err)
		}
	}
}

// TestRounds makes two passes and that of the evidence by three tasks, of which each is killed and repeated somewhere,
// and wants the bytes of subspace iteration in one process, so also its anchors. Mixes are refused.
func TestRounds(t *testing.T) {
	r := &rounds{t: t, folder: t.TempDir(), options: Options{Topics: 4, Seed: 3, Run: &Run{Workers: 2}}}
	r.options.Sketch.Power, r.options.Sketch.Passes = true, 2
	var paths []string
	for i := range 4 {
		paths = append(paths, r.path(fmt.Sprintf("shard-%d.parquet", i)))
		writeShard(t, paths[i], "word-%d", uint64(i+1))
	}
	var err error
	if r.shards, err = shard.Discover(t.Context(), paths, shard.Options{}); err != nil {
		t.Fatal(err)
	}
	r.items = openCorpus(t, 0, nil, paths...).Vocabulary
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	from := ""
	for pass := range 3 {
		name := func(number int) string { return fmt.Sprintf("sums-%d-%d", pass+1, number) }
		for number := range 3 {
			counted := polls.After(t.Context(), 0)
			must(r.task(counted, number, from, name(number)))
			killed := polls.After(t.Context(), 1+counted.Asked()*(number+1)/5)
			again := name(number) + "-again"
			if err := r.task(killed, number, from, again); !errors.Is(err, context.Canceled) {
				t.Errorf("pass %d, task %d: interrupted: %v", pass+1, number, err)
			}
			if _, err := os.Stat(r.path(again)); err == nil {
				t.Error("an interrupted task leaves something")
			}
			must(r.task(t.Context(), number, from, again))
			r.same(name(number), again)
		}
		next := fmt.Sprintf("round-%d", pass+1)
		must(r.merge("", next+"-some", name(2), name(0)))
		must(r.merge(from, next, name(1), next+"-some"))
		must(r.merge(from, next+"-flat", name(0), name(1), name(2)))
		r.same(next, next+"-flat", "manifest.json") // which has the order
		from = next
	}
	one := r.options
	docs, err := stream.Open(t.Context(), r.shards, corpus.Options{Vocabulary: r.items, MinItems: 3, MinTokens: 5,
		Passes: 2, Dir: t.TempDir(), Log: quiet})
	must(err)
	defer docs.Close()
	s, err := Sketch(t.Context(), docs, one)
	must(err)
	must(save(t.Context(), r.path("one"), one.Run, s.SaveTo))
	r.same("one", "round-3", "manifest.json")
	anchors := func(name string) []int {
		sketched, err := LoadSketched(t.Context(), r.path(name), &Run{Workers: 2})
		must(err)
		rectified, err := sketched.Rectify(t.Context(), r.options)
		must(err)
		f, err := rectified.Anchor(t.Context(), r.options)
		must(err)
		return f.Topics.Anchors
	}
	if a, b := anchors("one"), anchors("round-3"); len(a) != 4 || !slices.Equal(a, b) {
		t.Errorf("anchors %v in one process, %v by tasks", a, b)
	}
	r.refuses()
}

// refuses makes mistakes with what TestRounds has left. Each must be named.
func (r *rounds) refuses() {
	ctx := r.t.Context()
	other := *r
	other.options.Seed = 4
	if err := other.task(ctx, 1, "", "seeded"); err != nil {
		r.t.Fatal(err)
	}
	fewer := *r
	fewer.shards = r.shards[:3]
	if err := fewer.task(ctx, 1, "", "fewer"); err != nil {
		r.t.Fatal(err)
	}
	if err := fewer.merge("", "seeded-round", "fewer", "fewer"); err == nil || !strings.Contains(err.Error(), "twice") {
		r.t.Errorf("a doubled task: %v", err)
	}
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"another pass":       {r.merge("round-1", "x", "sums-2-0", "sums-1-1", "sums-2-2"), "sums-1-1 has sums of pass 1, and"},
		"another basis":      {r.merge("round-2", "x", "sums-2-0", "sums-2-1", "sums-2-2"), "did not start from"},
		"no basis":           {r.merge("", "x", "sums-2-0", "sums-2-1", "sums-2-2"), "give what their tasks started from"},
		"a basis too many":   {r.merge("round-1", "x", "sums-1-0", "sums-1-1", "sums-1-2"), "did not start from"},
		"other options":      {r.merge("", "x", "sums-1-0", "seeded", "sums-1-2"), "seeded was made by other options"},
		"other shards":       {r.merge("", "x", "sums-1-0", "fewer", "sums-1-2"), "fewer is of tasks on other shards"},
		"a basis among sums": {r.merge("", "x", "sums-1-0", "round-1"), "round-1 has the basis of pass 1"},
		"a finished sketch":  {r.merge("", "x", "sums-1-0", "one"), "one was made with 2 passes"},
		"another seed":       {other.task(ctx, 0, "round-1", "x"), "seed: 4, not 3"},
		"shards left out":    {fewer.task(ctx, 0, "round-1", "x"), "shards: 3, not 4"},
		"a task of sums":     {r.task(ctx, 0, "sums-1-0", "x"), "is nothing that a pass starts from"},
		"a task of a sketch": {r.task(ctx, 0, "round-3", "x"), "is nothing that a pass starts from"},
		"topics of a basis":  {func() error { _, err := LoadSketched(ctx, r.path("round-1"), nil); return err }(), "no eigenpairs yet"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			r.t.Errorf("%s: %v", name, c.err)
		}
	}
	round := new(model.Model)
	if err := round.ReadRound(ctx, r.path("round-1")); err != nil {
		r.t.Fatal(err)
	}
	task := round.Manifest
	task.Inputs = slices.Clone(task.Inputs[1:3])
	if err := round.CheckTask(&task); err != nil {
		r.t.Error(err)
	}
	task.Inputs[1].SHA256 = "of another day"
	var input *model.InputError
	if err := round.CheckTask(&task); !errors.As(err, &input) || input.Path != task.Inputs[1].Path {
		r.t.Errorf("a shard that has changed: %v", err)
	}
	if _, err := os.Stat(r.path("x")); err == nil {
		r.t.Error("a mistake leaves something")
	}
	few := *r.items
	few.DocumentFrequency = make([]int64, few.Len()) // as of other documents
	other = *r
	if other.items = &few; other.task(ctx, 0, "", "x") == nil {
		r.t.Error("documents with more of an item than the vocabulary counts are read")
	}
}
