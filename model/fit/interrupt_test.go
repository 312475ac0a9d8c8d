package fit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"anchorage/bayes"
	"anchorage/corpus"
	"anchorage/internal/long"
	"anchorage/internal/polls"
)

// interruptedRuns is how many of the looks of a run at its context are tried as the moment of an interrupt.
const interruptedRuns = 40

// TestInterruptedAnywhere interrupts fits by every method, and their saving, at moments from the first to the last look
// at the context. Each must end with the error of an interrupt, whatever half-done numbers the moment left, and leave
// nothing.
func TestInterruptedAnywhere(t *testing.T) {
	docs := drawnCorpus(t, 60, 4, 300)
	if err := docs.NameItems(t.Context()); err != nil { // once: runs that follow look as often as the first
		t.Fatal(err)
	}
	fits := map[string]func(ctx context.Context, docs *corpus.Corpus) (*Fitted, error){}
	for _, m := range methods {
		options := Options{Topics: 4, Seed: 1, Method: m.name, Run: &Run{Workers: 1}}
		options.Rectify.Iterations = 3
		fits[string(m.name)] = func(ctx context.Context, docs *corpus.Corpus) (*Fitted, error) {
			return Fit(ctx, docs, options)
		}
	}
	published := Published(LRJSMF)
	published.Topics, published.Seed, published.Run, published.Sketch.Passes, published.Rectify.Iterations = 4, 1,
		&Run{Workers: 1}, 6, 3
	fits["as published"] = func(ctx context.Context, docs *corpus.Corpus) (*Fitted, error) {
		return Fit(ctx, docs, published)
	}
	fits["a single pass"] = func(ctx context.Context, docs *corpus.Corpus) (*Fitted, error) {
		return Fit(ctx, docs, Options{Topics: 4, Seed: 1, Sketch: SketchOptions{Passes: 1}, Run: &Run{Workers: 1}})
	}
	for name, batch := range map[string]bool{"bayes": false, "bayes in batch": true} {
		fits[name] = func(ctx context.Context, docs *corpus.Corpus) (*Fitted, error) {
			o := BayesOptions{Run: &Run{Workers: 1}}
			o.Options = bayes.Options{Model: bayes.LDA, Topics: 4, Seed: 1, BatchSize: 50}
			o.Plan.Batch, o.Plan.Iterations = batch, 3
			return Bayes(ctx, docs, o)
		}
	}
	if err := docs.NameItems(t.Context()); err != nil { // which the first fit would do, and no other
		t.Fatal(err)
	}
	for name, fit := range fits {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "model")
			run := func(ctx context.Context) error {
				f, err := fit(ctx, docs)
				if err != nil {
					return err
				}
				return f.Save(ctx, path)
			}
			whole := polls.After(t.Context(), 0)
			if err := run(whole); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
			looks := whole.Asked()
			runs := interruptedRuns
			if !long.Tier() {
				runs /= 8
			}
			for i := range runs {
				limit := 1 + i*(looks-1)/(runs-1)
				if err := run(polls.After(t.Context(), limit)); !errors.Is(err, context.Canceled) {
					t.Errorf("interrupted at look %d of %d: %v", limit, looks, err)
				}
				if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) > 0 {
					t.Fatalf("interrupted at look %d of %d: %v is left, %v", limit, looks, left, err)
				}
			}
		})
	}
}
