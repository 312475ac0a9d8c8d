package fit

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"anchorage/corpus"
	"anchorage/internal/checkpoint"
	"anchorage/internal/durable"
	"anchorage/internal/long"
	"anchorage/internal/polls"
	"anchorage/internal/synth"
	"anchorage/model"
)

// resumedRuns is how many moments of a fit are tried as that of the first interrupt.
const resumedRuns = 12

// resumable are fits by every method, and by every stage that keeps a state.
func resumable() map[string]Options {
	fits := map[string]Options{}
	for _, m := range methods {
		options := Options{Topics: 4, Seed: 1, Method: m.name}
		options.Rectify.Iterations = 3
		fits[string(m.name)] = options
	}
	published := Published(LRJSMF)
	published.Topics, published.Seed, published.Sketch.Passes, published.Rectify.Iterations = 4, 1, 6, 3
	fits["as published"] = published
	fits["settling"] = Options{Topics: 4, Seed: 1}
	fits["for reading"] = Options{Topics: 4, Seed: 1, Refine: RefineOptions{For: "reading"}}
	fits["for prediction"] = Options{Topics: 6, Seed: 1, Refine: RefineOptions{For: "prediction"}}
	fits["a single pass"] = Options{Topics: 4, Seed: 1, Sketch: SketchOptions{Passes: 1}}
	fits["levels"] = Options{Topics: 6, Levels: []int{2, 4}, Seed: 1}
	fits["levels of a single pass"] = Options{Topics: 5, Levels: []int{3}, Seed: 1, Sketch: SketchOptions{Passes: 1}}
	fits["no rectification"] = Options{Topics: 4, Seed: 1, Baseline: true}
	return fits
}

// keptIn returns a Run with a checkpoint at path that is written at every point or, if only interrupts are to write it,
// at none. It tells of the states in it.
func keptIn(t *testing.T, ctx context.Context, path string, interrupts bool, of states) *Run {
	t.Helper()
	options := checkpoint.Options{Resume: checkpoint.Auto, Every: -1, Log: slog.New(of)}
	if interrupts {
		options.Share, options.Every = 1e-9, 1000*time.Hour
	}
	folder, err := checkpoint.Open(ctx, path, options)
	if err != nil {
		t.Fatal(err)
	}
	return &Run{Workers: 1, Checkpoint: &Checkpoint{folder}}
}

// states tells at which position a run continues, and of which positions it has written a state.
type states struct {
	slog.Handler
	resumed, written func(at string) // may be nil
}

// resumedIn notes in seen where runs continue.
func resumedIn(seen map[string]bool) states {
	return states{Handler: slog.DiscardHandler, resumed: func(at string) { seen[at] = true }}
}

// writtenAt calls the function after each state that a run writes.
func writtenAt(note func(at string)) states {
	return states{Handler: slog.DiscardHandler, written: note}
}

func (states) Enabled(context.Context, slog.Level) bool { return true }

func (s states) Handle(_ context.Context, record slog.Record) error {
	note := map[string]func(at string){"resuming": s.resumed, "checkpoint": s.written}[record.Message]
	if note == nil {
		return nil
	}
	record.Attrs(func(a slog.Attr) bool {
		if a.Key == "at" {
			note(a.Value.String())
		}
		return true
	})
	return nil
}

// fitKept fits and saves at path, with a checkpoint beside it, which goes once the model is saved.
func fitKept(t *testing.T, ctx context.Context, docs *corpus.Corpus, options Options, path string, interrupts bool,
	of states) error {
	t.Helper()
	options.Run = keptIn(t, ctx, path+".checkpoint", interrupts, of)
	defer options.Run.Checkpoint.Close()
	if err := fitInto(ctx, docs, options, path); err != nil {
		return options.Run.Checkpoint.Interrupted(err)
	}
	return options.Run.Checkpoint.Remove()
}

// fitInto fits a model of one or more levels and saves it.
func fitInto(ctx context.Context, docs *corpus.Corpus, options Options, path string) error {
	out, err := model.Create(ctx, path, nil)
	if err != nil {
		return err
	}
	defer out.Abort()
	options.Output = out
	f, err := Fit(ctx, docs, options)
	if err != nil {
		return err
	}
	return f.SaveTo(out)
}

// sameModel fails the test unless two directories have the same files, except run.json.
func sameModel(t *testing.T, got, want string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(want), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == "run.json" {
			return err
		}
		a, err := os.ReadFile(filepath.Join(got, name))
		if err != nil {
			return err
		}
		b, err := os.ReadFile(filepath.Join(want, name))
		if err == nil && !bytes.Equal(a, b) {
			t.Errorf("%s differs", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestResumedAnywhere interrupts fits at moments from the first to the last look at the context, again while they
// resume, and lets them end; and it interrupts them after the first state of each position. The model must have the
// bytes of one that was never interrupted and has no checkpoint, and no checkpoint must be left.
func TestResumedAnywhere(t *testing.T) {
	shardPath := filepath.Join(t.TempDir(), "a.parquet")
	writeDrawn(t, shardPath, "word-%d", synth.Model{Items: 60, Topics: 4, Documents: 300, Tokens: 30,
		Concentration: 0.1, Seed: 4})
	seen, runs := map[string]bool{}, resumedRuns
	if !long.Tier() {
		runs = 2
	}
	for name, options := range resumable() {
		docs := func() *corpus.Corpus { return openCorpus(t, options.Sketch.Passes, nil, shardPath) }
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			want := filepath.Join(parent, "want")
			plain := options
			plain.Run = &Run{Workers: 1}
			if err := fitInto(t.Context(), docs(), plain, want); err != nil {
				t.Fatal(err)
			}
			whole, positions := polls.After(t.Context(), 0), map[string]bool{}
			if err := fitKept(t, whole, docs(), options, filepath.Join(parent, "whole"), false, writtenAt(func(at string) {
				positions[at] = true
			})); err != nil {
				t.Fatal(err)
			}
			sameModel(t, filepath.Join(parent, "whole"), want)
			looks := whole.Asked()
			for i := range runs {
				path := filepath.Join(parent, "model")
				limit := 1 + (2*i+1)*(looks-1)/(2*runs)
				for round := 0; ; round++ {
					ctx := polls.After(t.Context(), limit)
					if round > 2 {
						ctx = polls.After(t.Context(), 0)
					}
					err := fitKept(t, ctx, docs(), options, path, i%2 == 1, resumedIn(seen))
					if err == nil {
						break
					}
					if !errors.Is(err, context.Canceled) {
						t.Fatalf("interrupted at look %d of %d, round %d: %v", limit, looks, round, err)
					}
					limit = max(limit/2, 1)
				}
				ended(t, path, want)
				if t.Failed() {
					t.Fatalf("interrupted at look %d of %d", limit, looks)
				}
			}
			if !long.Tier() {
				return
			}
			path := filepath.Join(parent, "model")
			for at := range positions {
				ctx, cancel := context.WithCancel(t.Context())
				err := fitKept(t, ctx, docs(), options, path, false, writtenAt(func(written string) {
					if written == at {
						cancel()
					}
				}))
				cancel()
				if !errors.Is(err, context.Canceled) {
					t.Fatalf("interrupted after the state of %q: %v", at, err)
				}
				if err := fitKept(t, t.Context(), docs(), options, path, false, resumedIn(seen)); err != nil {
					t.Fatal(err)
				}
				ended(t, path, want)
				if t.Failed() {
					t.Fatalf("interrupted after the state of %q", at)
				}
			}
		})
	}
	if !long.Tier() {
		return // too few moments for all positions
	}
	for _, p := range []position{krylov, sketched, rectifying, rectified, anchored, refining, refined, solved} {
		if !seen[string(p)] {
			t.Errorf("no fit went on from %q", p)
		}
	}
}

// ended fails the test unless the model at path has the files of want and no checkpoint beside it. It removes the model.
func ended(t *testing.T, path, want string) {
	t.Helper()
	sameModel(t, path, want)
	if _, err := os.Lstat(path + ".checkpoint"); err == nil {
		t.Fatal("the checkpoint is left")
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

// TestResumedFromFiles interrupts fits whose basis, or vectors, are in a file at the writes to these: the states that
// interrupts write have what is in them, and fits that resume give the same model. No file is left.
func TestResumedFromFiles(t *testing.T) {
	docs := drawnCorpus(t, 3000, 8, 4000)
	folder, writes, last, cancel := t.TempDir(), 0, -1, func() {}
	defer durable.Inject(func(operation string) error {
		if operation == "write at" {
			if writes++; writes == last {
				cancel()
			}
		}
		return nil
	})()
	limit := newMemoryModel(docs, &Options{Topics: 8, Run: &Run{}}, true, false).stages()
	sketched := slices.IndexFunc(limit, func(s StageMemory) bool { return s.Stage == "sketch" })
	fit := func(path string, of states) error {
		var ctx context.Context
		ctx, cancel = context.WithCancel(t.Context())
		run := keptIn(t, ctx, path+".checkpoint", true, of)
		defer run.Checkpoint.Close()
		run.MemoryLimit, run.SpillDir, writes = limit[sketched].Bytes-1<<20, folder, 0
		err := fitInto(ctx, docs, Options{Topics: 8, Seed: 1, Refine: RefineOptions{Passes: NoRefinement}, Run: run}, path)
		if err == nil {
			err = run.Checkpoint.Remove()
		}
		return err
	}
	want := filepath.Join(t.TempDir(), "want")
	if err := fit(want, states{Handler: slog.DiscardHandler}); err != nil {
		t.Fatal(err)
	}
	all := writes
	for at := all - 6; at <= all; at++ { // the last are those of the vectors
		last = at
		seen, path := map[string]bool{}, filepath.Join(t.TempDir(), "model")
		err := fit(path, writtenAt(func(at string) { seen[at] = true }))
		if !errors.As(err, new(*InterruptedError)) || len(seen) == 0 {
			t.Fatalf("write %d of %d: %v after states %v", at, all, err, seen)
		}
		last = -1
		if err := fit(path, resumedIn(seen)); err != nil {
			t.Fatal(err)
		}
		sameModel(t, path, want)
		if at == all && !seen["sketched"] {
			t.Errorf("resumed at %v", seen)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("%v, %v is left", left, err)
	}
}
