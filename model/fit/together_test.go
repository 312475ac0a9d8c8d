package fit

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/collective"
	"anchorage/internal/durable"
	"anchorage/internal/long"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
)

// dividedItems is the number of items of the corpus that ranks share: four blocks, the last of them short.
const dividedItems = 13_000

// leftItems is how many of them pruning leaves out.
const leftItems = 7

// divided writes shards of baskets whose items belong to a few topics, and returns their folder.
func divided(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	for s := range 4 {
		file, err := os.Create(filepath.Join(folder, fmt.Sprintf("part-%d.dat", s)))
		if err != nil {
			t.Fatal(err)
		}
		w := bufio.NewWriter(file)
		for d := range 2500 + 500*s {
			topic, line := random.IntN(5), []byte(nil)
			for range 8 + random.IntN(8) {
				item := 5*int(float64(dividedItems/5)*random.Float64()*random.Float64()) + topic
				if random.IntN(8) == 0 {
					item = random.IntN(dividedItems)
				}
				line = fmt.Appendf(line, "item%d ", item)
			}
			if s == 0 { // every item occurs, and twice
				for j := range 11 {
					line = fmt.Appendf(line, "item%d ", (d*11+j)%dividedItems)
				}
			}
			w.Write(append(line, '\n'))
		}
		if err := errors.Join(w.Flush(), file.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// fitDivided fits the shards of a folder, by the ranks of ctx, and saves the model.
func fitDivided(ctx context.Context, folder, path string, options Options) error {
	shards, err := shard.Discover(ctx, []string{folder}, shard.Options{Format: shard.Baskets})
	if err != nil {
		return err
	}
	run := options.Run
	if run == nil {
		run = &Run{Workers: 1}
	}
	run.ranks = collective.From(ctx)
	end := run.Stage("read")
	keep := corpus.Everything()
	keep.KeepLeft, keep.Pruning.MaxItems = true, dividedItems-leftItems
	docs, err := stream.Open(run.Checkpoint.Reading(ctx), shards, keep)
	if err != nil {
		return err
	}
	defer docs.Close()
	end()
	options.Run = run
	out, err := run.Create(ctx, path)
	if err != nil {
		return err
	}
	defer out.Abort()
	options.Output = out
	fitted, err := Fit(ctx, docs, options)
	if err != nil {
		return err
	}
	if fold := fitted.Manifest.Fold; fold == nil || fold.Items != leftItems || fold.Topics == options.NoFoldIn {
		return fmt.Errorf("left out are %+v", fold)
	}
	return fitted.SaveTo(out)
}

// unrefined are the options whose models have equal bytes on any number of ranks.
func unrefined() Options {
	return Options{Topics: 5, Seed: 3, Refine: RefineOptions{Passes: NoRefinement}, Extras: Extras{NoFoldIn: true}}
}

// equalDirectories compares all files of two models but run.json.
func equalDirectories(t *testing.T, what, got, want string) {
	t.Helper()
	entries, err := os.ReadDir(want)
	if err != nil {
		t.Fatal(err)
	}
	others, err := os.ReadDir(got)
	if err != nil || len(others) != len(entries) {
		t.Fatalf("%s: %d files, not %d: %v", what, len(others), len(entries), err)
	}
	for _, e := range entries {
		if e.Name() == "run.json" {
			continue
		}
		a, err := os.ReadFile(filepath.Join(got, e.Name()))
		b, other := os.ReadFile(filepath.Join(want, e.Name()))
		if err != nil || other != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: %s differs: %v", what, e.Name(), errors.Join(err, other))
		}
	}
}

// TestFitOfRanks wants the directory of one process from any number of ranks, and their record in run.json.
func TestFitOfRanks(t *testing.T) {
	folder, top := divided(t), t.TempDir()
	alone := filepath.Join(top, "alone")
	if err := fitDivided(t.Context(), folder, alone, unrefined()); err != nil {
		t.Fatal(err)
	}
	for _, ranks := range long.Grid(1, 3, 1, 2, 5) {
		path := filepath.Join(top, fmt.Sprint(ranks))
		if err := collective.Together(t.Context(), ranks, func(ctx context.Context) error {
			return fitDivided(ctx, folder, path, unrefined())
		}); err != nil {
			t.Errorf("%d ranks: %v", ranks, err)
			continue
		}
		equalDirectories(t, fmt.Sprintf("%d ranks", ranks), path, alone)
		if manifest, err := model.ReadManifest(t.Context(), path, model.KindModel); err != nil ||
			manifest.Corpus.Items != dividedItems-leftItems {
			t.Fatalf("there are %d items: %v", manifest.Corpus.Items, err)
		}
		record, err := ReadRun(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if ranks == 1 {
			if record.Ranks != nil {
				t.Errorf("one rank has a record of ranks")
			}
			continue
		}
		if len(record.Ranks) != ranks {
			t.Fatalf("%d ranks: run.json has %+v", ranks, record.Ranks)
		}
		for _, rank := range record.Ranks {
			sent := int64(0)
			for _, s := range rank.Stages {
				if sent += s.Bytes; (s.Bytes > 0) != (s.Messages > 0) {
					t.Errorf("%d ranks: stage %+v", ranks, s)
				}
			}
			if len(rank.Stages) < 4 || sent == 0 {
				t.Errorf("%d ranks: %+v", ranks, rank)
			}
		}
	}
}

// TestResumeOfRanks lets one of some ranks fail in the middle of a stage, and continues with another number of ranks.
func TestResumeOfRanks(t *testing.T) {
	long.Test(t, "it makes nine fits of ranks")
	folder, top := divided(t), t.TempDir()
	alone := filepath.Join(top, "alone")
	if err := fitDivided(t.Context(), folder, alone, unrefined()); err != nil {
		t.Fatal(err)
	}
	for i, test := range []struct {
		before, after int
		stage         string // in which rank 0 of the first fails at this call of Progress
		calls         int
		at            position // from which the second continues
	}{{3, 2, "solving", 2, krylov}, {2, 5, "rectifying", 3, rectifying}, {1, 3, "rectifying", 4, rectifying}, {3, 1,
		"writing", 1, anchored}} {
		what := fmt.Sprintf("%d ranks fail in %s, and %d continue", test.before, test.stage, test.after)
		kept, path, seen := filepath.Join(top, fmt.Sprint("kept", i)), filepath.Join(top, fmt.Sprint("model", i)),
			map[string]bool{}
		fit := func(ctx context.Context, fails bool) error {
			options, of := unrefined(), CheckpointOptions{Resume: "auto", Every: -1}
			options.Run = &Run{Workers: 1}
			if collective.From(ctx).First() {
				of.Log = slog.New(resumedIn(seen))
				calls := 0
				options.Run.Progress = func(stage string, _, _ int64) {
					if stage == test.stage {
						calls++
					}
					if fails && calls == test.calls {
						panic("a rank fails")
					}
				}
			}
			var err error
			if options.Run.Checkpoint, err = OpenCheckpoint(ctx, kept, of); err != nil {
				return err
			}
			defer options.Run.Checkpoint.Close()
			return fitDivided(ctx, folder, path, options)
		}
		if err := collective.Together(t.Context(), test.before, func(ctx context.Context) error {
			return fit(ctx,
				true)
		}); err == nil {
			t.Fatalf("%s: the first run ends well", what)
		}
		clear(seen)
		if err := collective.Together(t.Context(), test.after, func(ctx context.Context) error {
			return fit(ctx,
				false)
		}); err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if !seen[string(test.at)] {
			t.Errorf("%s: the second continues from %v", what, seen)
		}
		equalDirectories(t, what, path, alone)
	}
}

// TestRanksRefuse wants options that several ranks cannot follow to be refused before any work, and disagreement too.
func TestRanksRefuse(t *testing.T) {
	for option, set := range map[string]func(o *Options){
		"Method": func(o *Options) { o.Method = PALM }, "Baseline": func(o *Options) { o.Baseline = true },
		"Levels": func(o *Options) { o.Levels = []int{2} },
		"Wishes": func(o *Options) { o.Wishes = new(model.Wishes) }, "Start": func(o *Options) { o.Start = new(model.Start) },
		"Choice":        func(o *Options) { o.Choice = new(model.ChoiceRecord) },
		"Sketch.Tasks":  func(o *Options) { o.Sketch.Tasks = new(model.TasksRecord) },
		"Sketch.Passes": func(o *Options) { o.Sketch.Passes = 1 },
	} {
		options := unrefined()
		set(&options)
		refused := new(model.OptionError)
		if err := options.CheckRanks(2); !errors.As(err, &refused) || refused.Option != option ||
			!strings.HasPrefix(refused.Reason, "on 2 ranks: ") {
			t.Errorf("%s: %v", option, err)
		}
		if err := options.CheckRanks(1); err != nil {
			t.Errorf("%s for one rank: %v", option, err)
		}
	}
	folder, path := divided(t), filepath.Join(t.TempDir(), "model")
	err := collective.Together(t.Context(), 3, func(ctx context.Context) error {
		options := unrefined()
		options.Seed += uint64(collective.From(ctx).Rank() / 2)
		return fitDivided(ctx, folder, path, options)
	})
	if differ := new(collective.DisagreementError); !errors.As(err, &differ) || differ.Rank != 2 {
		t.Errorf("other seeds: %v", err)
	}
	if err := os.Mkdir(path, 0o777); err != nil {
		t.Fatal(err)
	}
	err = collective.Together(t.Context(), 2, func(ctx context.Context) error {
		return fitDivided(ctx, folder, path,
			unrefined())
	})
	if !errors.Is(err, durable.ErrExists) {
		t.Errorf("an output that exists: %v", err)
	}
}
