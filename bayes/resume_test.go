package bayes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/checkpoint"
	"anchorage/internal/long"
	"anchorage/internal/synth"
)

// saved returns the bytes of a checkpoint.
func saved(t testing.TB, f *Fitter) []byte {
	t.Helper()
	_, path := kept(t, f)
	states, err := checkpoint.States(path)
	if err != nil || len(states) != 1 {
		t.Fatalf("%d states: %v", len(states), err)
	}
	b, err := os.ReadFile(states[0])
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// kept keeps the state of a fit, and returns a context from which another continues, and where the state is.
func kept(t testing.TB, f *Fitter) (context.Context, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "checkpoint")
	folder, err := checkpoint.Open(t.Context(), path, checkpoint.Options{Every: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close() })
	chain := folder.Chain("bayes")
	chain.Point("inferring", nil, nil).Reached(f.checkpoint)
	loaded, err := chain.Load()
	if err != nil {
		t.Fatal(err)
	}
	return chain.Point("inferring", nil, loaded).In(t.Context()), path
}

// plans are the ways of fitting that must come out the same however they are run.
var plans = []Plan{{Epochs: 2, TestEvery: 3}, {Epochs: 2, TestEvery: 3, InOrder: true}, {Batch: true, Iterations: 4,
	Tolerance: 1e-300}}

// TestSameForAnyWorkers wants the same bytes from every number of workers.
func TestSameForAnyWorkers(t *testing.T) {
	d := draw(synth.Model{Items: 5000, Topics: 5, Documents: 300, Tokens: 30, Seed: 5}) // two blocks of a tall matrix
	for _, model := range Models {
		for _, plan := range plans {
			var want []byte
			for _, workers := range long.Grid(2, 1, 3, 2, 7) {
				f := d.fitter(t, Options{Model: model, Topics: 6, BatchSize: 64, Workers: workers}, plan)
				if err := f.Run(context.Background()); err != nil {
					t.Fatal(err)
				}
				got := saved(t, f)
				if want == nil {
					want = got
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%s, %+v: %d workers give another result", model, plan, workers)
				}
			}
		}
	}
}

// TestResume interrupts a fit at every step and continues from what was saved.
func TestResume(t *testing.T) {
	d := draw(synth.Model{Items: 200, Topics: 4, Documents: 200, Tokens: 25, Seed: 5})
	for _, model := range Models {
		for _, plan := range plans {
			o := Options{Model: model, Topics: 5, BatchSize: 64, Seed: 9}
			whole := d.fitter(t, o, plan)
			if err := whole.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			want := saved(t, whole)
			for stop := int64(1); stop < whole.State.Step; stop += 2 {
				ctx, cancel := context.WithCancel(context.Background())
				first := d.fitter(t, o, plan)
				first.Report = func(p Progress) error {
					if p.Step == stop {
						cancel()
					}
					return nil
				}
				if err := first.Run(ctx); !errors.Is(err, context.Canceled) {
					t.Fatalf("%s, %+v: error %v", model, plan, err)
				}
				if first.State.Step != stop {
					t.Fatalf("stopped after %d steps, not %d", first.State.Step, stop)
				}
				second := d.fitter(t, o, plan)
				from, _ := kept(t, first)
				if err := second.Run(from); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(saved(t, second), want) {
					t.Errorf("%s, %+v: another result after continuing from step %d", model, plan, stop)
				}
				if err := first.Run(context.Background()); err != nil { // in the same process, too
					t.Fatal(err)
				}
				if !bytes.Equal(saved(t, first), want) {
					t.Errorf("%s, %+v: another result after a pause at step %d", model, plan, stop)
				}
			}
		}
	}
}

// TestShuffle wants every document once per epoch, in an order that differs between epochs and seeds and agrees for any
// number of workers, and what is skipped to be the beginning.
func TestShuffle(t *testing.T) {
	const n = 3000
	docs := &corpus.Documents{Offsets: []int32{0}}
	for m := range n {
		docs.Items, docs.Counts = append(docs.Items, int32(m)), append(docs.Counts, 2)
		docs.Offsets = append(docs.Offsets, int32(m+1))
	}
	d := drawn{docs: docs}
	order := func(s *Shuffled, epoch uint64, skip int64, workers int) []int32 {
		var all []int32
		err := s.Epoch(context.Background(), epoch, skip, workers, func(docs *corpus.Documents) error {
			all = append(all, docs.Items...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	for _, entries := range []int64{n, 5 * bucketBytes / 8} { // one bucket, and several
		s, err := Shuffle(context.Background(), d.pass, entries, t.TempDir(), 3)
		if err != nil {
			t.Fatal(err)
		}
		first := order(s, 0, 0, 1)
		seen := make(map[int32]bool)
		distance := 0.0
		for at, item := range first {
			seen[item] = true
			distance += math.Abs(float64(item) - float64(at))
		}
		if len(first) != n || len(seen) != n {
			t.Fatalf("%d documents, %d different ones, want %d", len(first), len(seen), n)
		}
		// Two independent uniform numbers are a third apart on average.
		if distance /= n * n; math.Abs(distance-1./3) > 0.02 {
			t.Errorf("documents move by %v of all on average, want a third", distance)
		}
		if fmt.Sprint(order(s, 0, 0, 4)) != fmt.Sprint(first) {
			t.Error("the order depends on the workers")
		}
		if fmt.Sprint(order(s, 1, 0, 2)) == fmt.Sprint(first) {
			t.Error("two epochs have the same order")
		}
		for _, skip := range []int64{1, 700, 2999} {
			if fmt.Sprint(order(s, 0, skip, 2)) != fmt.Sprint(first[skip:]) {
				t.Errorf("skipping %d documents changes the others", skip)
			}
		}
		s.Close()
	}
}

// TestEvenBatches wants batches that differ by one document at most and hold all of them.
func TestEvenBatches(t *testing.T) {
	for _, n := range []int64{1, 9, 10, 11, 99, 101} {
		f := &Fitter{State: &State{Options: Options{BatchSize: 10}, Corpus: Totals{Documents: n}}}
		least, most := n, int64(0)
		for b := range f.perEpoch() {
			size := f.batchStart(b+1) - f.batchStart(b)
			least, most = min(least, size), max(most, size)
		}
		if f.batchStart(f.perEpoch()) != n || most > 10 || most-least > 1 {
			t.Errorf("%d documents: batches of %d to %d, up to document %d", n, least, most, f.batchStart(f.perEpoch()))
		}
	}
}

// TestMiscounted wants an error of a corpus that has changed since it was counted.
func TestMiscounted(t *testing.T) {
	d := draw(synth.Model{Items: 60, Topics: 3, Documents: 100, Tokens: 20, Seed: 5})
	for _, by := range []int64{-1, 1} {
		other := d
		other.corpus.Documents += by
		f := other.fitter(t, Options{Model: LDA, Topics: 3, BatchSize: 30}, Plan{InOrder: true})
		if err := f.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "it has changed") {
			t.Errorf("%+d documents: error %v", by, err)
		}
	}
}
