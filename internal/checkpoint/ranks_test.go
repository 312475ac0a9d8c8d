package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"anchorage/internal/collective"
	"anchorage/matrix"
)

// shared is a state of what several ranks share, beside what all have.
type shared struct {
	content
	part   *matrix.Tall
	narrow *matrix.Single
}

func (s *shared) take(v *Values) {
	s.content.take(v)
	v.Take(&s.part, &s.narrow, &s.n)
}

// sharedRows has blocks for up to six ranks, the last of them short.
const sharedRows = 5*matrix.BlockRows + 9

// sharedSample returns the part of a sample that the rank of ctx holds.
func sharedSample(ctx context.Context, n int) *shared {
	layout := collective.From(ctx).Layout()
	s := &shared{content: *sample(n), part: matrix.NewShared[float64](layout, sharedRows, 3),
		narrow: matrix.NewShared[float32](layout, sharedRows, 4)}
	first, last := s.part.HeldRows()
	s.narrow.Narrow(2)
	for i := first; i < last; i++ {
		s.part.Set(i, 1, float64(n*i))
		s.narrow.Set(i, 0, float32(i))
	}
	return s
}

// ofState returns the state that the given number of ranks writes, as bytes.
func ofState(t *testing.T, folder string, ranks int) []byte {
	t.Helper()
	err := collective.Together(t.Context(), ranks, func(ctx context.Context) error {
		f, err := Open(ctx, folder, Options{Every: -1})
		if err != nil {
			return err
		}
		defer f.Close()
		f.Know(Fact{"seed", "1"})
		s := sharedSample(ctx, 7)
		f.Chain("fit").Point("stage", nil, nil).Reached(s.take)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	state, err := os.ReadFile(filepath.Join(folder, "fit-000001.state"))
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// TestRanks writes a state with some ranks and reads it with others. It has the same bytes, and comes back.
func TestRanks(t *testing.T) {
	alone := ofState(t, filepath.Join(t.TempDir(), "alone"), 1)
	f := at(t, filepath.Join(t.TempDir(), "none"), Options{})
	f.Know(Fact{"seed", "1"})
	c := f.Chain("fit")
	c.Point("stage", nil, nil).Reached(sharedSample(t.Context(), 7).take)
	if one, err := os.ReadFile(c.path(1)); err != nil || !bytes.Equal(one, alone) {
		t.Fatalf("one rank writes another state than a process without: %v", err)
	}
	for _, writers := range []int{2, 3, 8} {
		folder := filepath.Join(t.TempDir(), "c")
		if state := ofState(t, folder, writers); !bytes.Equal(state, alone) {
			t.Fatalf("%d ranks write another state than one", writers)
		}
		for _, readers := range []int{1, 2, 5} {
			if err := readTogether(t.Context(), folder, readers, 7); err != nil {
				t.Errorf("written by %d ranks, read by %d: %v", writers, readers, err)
			}
		}
	}
}

// readTogether reads the state of a sample with some ranks, and compares it.
func readTogether(ctx context.Context, folder string, ranks, n int) error {
	return collective.Together(ctx, ranks, func(ctx context.Context) error {
		f, err := Open(ctx, folder, Options{Resume: Yes})
		if err != nil {
			return err
		}
		defer f.Close()
		f.Know(Fact{"seed", "1"})
		loaded, err := f.Chain("fit").Load()
		if err != nil || loaded == nil || loaded.Kind != "stage" {
			return errors.Join(err, fmt.Errorf("no state but %v", loaded))
		}
		var got shared
		got.take(&loaded.Values)
		if err := loaded.Close(); err != nil {
			return err
		}
		want := sharedSample(ctx, n)
		first, last := got.part.HeldRows()
		if low, high := want.part.HeldRows(); low != first || high != last || got.n != n || got.narrow.Cols() != 2 ||
			got.narrow.Stride() != want.narrow.Stride() {
			return fmt.Errorf("read rows %d to %d, number %d, %d columns", first, last, got.n, got.narrow.Cols())
		}
		for i := first; i < last; i++ {
			if got.part.At(i, 1) != want.part.At(i, 1) || got.narrow.At(i, 0) != want.narrow.At(i, 0) {
				return fmt.Errorf("row %d is %v", i, got.part.Row(i))
			}
		}
		return nil
	})
}

// TestRanksFail wants every rank to get the error of what rank 0 finds, and all to continue where it cannot write.
func TestRanksFail(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "c")
	ofState(t, folder, 2)
	eachRank := func(what string, o Options, damaged bool, want func(err error) bool) {
		t.Helper()
		seen := make([]error, 3)
		if err := collective.Together(t.Context(), 3, func(ctx context.Context) error {
			f, err := Open(ctx, folder, o)
			if err == nil {
				defer f.Close()
				f.Know(Fact{"seed", map[bool]string{true: "1", false: "2"}[damaged]})
				var loaded *Loaded
				if loaded, err = f.Chain("fit").Load(); loaded != nil {
					var got shared
					got.take(&loaded.Values)
					err = loaded.Close()
				}
			}
			seen[collective.From(ctx).Rank()] = err
			return nil // so that the others are not ended by it
		}); err != nil {
			t.Fatal(err)
		}
		for r, err := range seen {
			if err == nil || !want(err) || err.Error() != seen[0].Error() {
				t.Errorf("%s: rank %d: %v", what, r, err)
			}
		}
	}
	eachRank("unfinished", Options{}, true, func(err error) bool { return errors.Is(err, ErrUnfinished) })
	eachRank("changed", Options{Resume: Yes}, false, func(err error) bool { return errors.Is(err, ErrChanged) })
	if err := os.Truncate(filepath.Join(folder, "fit-000001.state"), 5000); err != nil {
		t.Fatal(err)
	}
	eachRank("damaged", Options{Resume: Yes}, true, func(err error) bool { return errors.Is(err, ErrDamaged) })
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	eachRank("missing", Options{Resume: Yes}, true, func(err error) bool { return errors.Is(err, ErrMissing) })

	err := collective.Together(t.Context(), 3, func(ctx context.Context) error {
		f, err := Open(ctx, folder, Options{Every: -1})
		if err != nil {
			return err
		}
		if collective.From(ctx).First() {
			if err := os.RemoveAll(folder); err != nil { // a state cannot be written
				return err
			}
		}
		p := f.Chain("fit").Point("stage", nil, nil)
		p.Reached(sharedSample(ctx, 1).take)
		p.Leave()
		return collective.From(ctx).Barrier(ctx)
	})
	if err != nil {
		t.Error(err)
	}
}

// TestRanksShort wants a matrix that its shape does not fit to be an error on all ranks, not a wait for each other.
func TestRanksShort(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "c")
	ofState(t, folder, 1)
	seen := make([]error, 3)
	if err := collective.Together(t.Context(), 3, func(ctx context.Context) error {
		f, err := Open(ctx, folder, Options{Resume: Yes})
		if err != nil {
			return err
		}
		defer f.Close()
		f.Know(Fact{"seed", "1"})
		loaded, err := f.Chain("fit").Load()
		if err != nil {
			return err
		}
		for range 12 { // there are fewer
			var m *matrix.Tall
			loaded.Take(&m)
			var s []float64
			loaded.Take(&s)
		}
		seen[collective.From(ctx).Rank()] = loaded.Close()
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for r, err := range seen {
		if !errors.Is(err, ErrDamaged) || err.Error() != seen[0].Error() {
			t.Errorf("rank %d: %v", r, err)
		}
	}
}
