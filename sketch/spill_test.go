package sketch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/checkpoint"
	"anchorage/internal/durable"
	"anchorage/matrix"
)

// spilledTopics is the number of topics of drawn documents.
const spilledTopics = 6

// sketchOf returns drawn documents, their sketch by some options, and these.
func sketchOf(t *testing.T, opts Options) (corpus.Pass, *Sketch, Options) {
	t.Helper()
	const n = 5000
	docs := inBatches(drawn(n, spilledTopics, 3000), 500)
	opts.Columns, opts.Seed, opts.Workers = spilledTopics+10, 11, 2
	s, err := Accumulate(t.Context(), docs, numbered(n), opts)
	if err != nil {
		t.Fatal(err)
	}
	return docs, s, opts
}

// pairsOf returns the eigenpairs of drawn documents by some options.
func pairsOf(t *testing.T, opts Options) (*Eigen, error) {
	t.Helper()
	docs, s, opts := sketchOf(t, opts)
	return s.Krylov(t.Context(), docs, spilledTopics, opts)
}

// TestSpilledBasis puts the basis away: the pairs have the bits of those from memory, and no file is left. Passes in
// single precision put the block away that they multiply.
func TestSpilledBasis(t *testing.T) {
	singles := 0
	for _, opts := range []Options{{Passes: 2}, {Passes: 7}, {}, {Passes: 9, MaxBlocks: 2}, {Tolerance: 1e-5, MaxBlocks: 3}} {
		want, err := pairsOf(t, opts)
		if err != nil {
			t.Fatal(err)
		}
		opts.SpillDir = t.TempDir()
		var written atomic.Int64
		undo := durable.Inject(func(operation string) error {
			if operation == "write at" {
				written.Add(1)
			}
			return nil
		})
		got, err := pairsOf(t, opts)
		undo()
		if err != nil {
			t.Fatal(err)
		}
		singles += got.Singles
		if !slices.Equal(got.Values, want.Values) || got.Passes != want.Passes || written.Load() == 0 {
			t.Errorf("%+v: values %v after %d passes, want %v after %d; %d writes", opts, got.Values, got.Passes, want.Values,
				want.Passes, written.Load())
		}
		for i := range want.Vectors.Rows() {
			if !slices.Equal(got.Vectors.Row(i), want.Vectors.Row(i)) {
				t.Fatalf("%+v: row %d differs", opts, i)
			}
		}
		if left, err := os.ReadDir(opts.SpillDir); err != nil || len(left) > 0 {
			t.Errorf("%v, %v is left", left, err)
		}
	}
	if singles == 0 {
		t.Error("no pass is in single precision")
	}
}

// TestSpilledRestart wants nothing in memory beside the last block and the vectors that a restart makes: the model of
// memory counts no more.
func TestSpilledRestart(t *testing.T) {
	ctx := t.Context()
	docs, s, opts := sketchOf(t, Options{MaxBlocks: 2, SpillDir: t.TempDir()})
	b := basis{marginals: &s.Marginals, k: spilledTopics, opts: opts}
	defer b.release()
	if err := b.begin(ctx, s); err != nil {
		t.Fatal(err)
	}
	for len(b.blocks) < 3 {
		if err := b.extend(ctx, docs); err != nil {
			t.Fatal(err)
		}
	}
	if b.room == nil {
		t.Fatal("the last pass was not in single precision")
	}
	if err := b.shorten(ctx); err != nil {
		t.Fatal(err)
	}
	if len(b.blocks) != 2 || !b.blocks[0].IsAway() || b.room != nil {
		t.Errorf("%d blocks, the first away: %v, room for another precision: %v", len(b.blocks), b.blocks[0].IsAway(),
			b.room != nil)
	}
}

// TestSpilledBasisIsKept takes a basis to a checkpoint and back: a file or memory may have the blocks, before and
// afterwards.
func TestSpilledBasisIsKept(t *testing.T) {
	folder, err := checkpoint.Open(t.Context(), filepath.Join(t.TempDir(), "c"), checkpoint.Options{Every: -1})
	if err != nil {
		t.Fatal(err)
	}
	for name, dirs := range map[string][2]string{"to memory": {t.TempDir(), ""}, "to a file": {"", t.TempDir()}} {
		sent := basis{h: []float64{3}, applied: 2, opts: Options{SpillDir: dirs[0]}}
		for b := range 3 {
			block := matrix.NewTall(5000, 4)
			for i := range block.Rows() {
				block.Set(i, b, float64(i))
			}
			sent.blocks = append(sent.blocks, block)
		}
		if err := sent.spill(t.Context()); err != nil {
			t.Fatal(err)
		}
		passes := 7
		folder.Chain(name).Point("", func(v *checkpoint.Values) { sent.checkpoint(t.Context(), v, &passes) }, nil).Reached(nil)
		loaded, err := folder.Chain(name).Load()
		if err != nil {
			t.Fatal(err)
		}
		got := basis{opts: Options{SpillDir: dirs[1]}}
		passes = 0
		if got.checkpoint(t.Context(), &loaded.Values, &passes); loaded.Close() != nil || passes != 7 || len(got.blocks) != 3 ||
			!slices.Equal(got.h, sent.h) {
			t.Fatalf("%s: %v, %d passes, %+v", name, loaded.Err(), passes, got)
		}
		for b, block := range got.blocks {
			if away := dirs[1] != "" && b < 2; block.IsAway() != away {
				t.Errorf("%s: block %d is away: %v", name, b, !away)
			}
			for first := 0; first < block.Rows(); first += checkedRows {
				rows, err := block.Load(nil, first, min(first+checkedRows, block.Rows()))
				if err != nil || rows[b] != float64(first) {
					t.Errorf("%s: block %d, row %d: %v, %v", name, b, first, rows[:4], err)
				}
			}
		}
		sent.release()
		got.release()
	}
}

// TestSpillFails lets every operation on files fail in turn: the error says which file, and nothing is left.
func TestSpillFails(t *testing.T) {
	for fails := int64(1); ; fails++ {
		var at atomic.Int64
		folder := t.TempDir()
		undo := durable.Inject(func(operation string) error {
			if operation == "remove" {
				return nil
			}
			if at.Add(1) == fails {
				return syscall.ENOSPC
			}
			return nil
		})
		_, err := pairsOf(t, Options{Passes: 5, MaxBlocks: 3, SpillDir: folder})
		undo()
		if at.Load() < fails {
			if fails < 8 || err != nil {
				t.Errorf("%d operations, %v", at.Load(), err)
			}
			return
		}
		var failed *durable.SpillError
		if !errors.As(err, &failed) || !errors.Is(err, syscall.ENOSPC) || !strings.HasPrefix(failed.Path, folder) {
			t.Fatalf("operation %d fails: %v", fails, err)
		}
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("%v, %v is left", left, err)
		}
	}
}

// TestDamagedSpill changes a byte of a file, and cuts it off: who reads the rows learns it, and who reads others does
// not.
func TestDamagedSpill(t *testing.T) {
	block := matrix.NewTall(2500, 5)
	for i := range block.Rows() {
		block.Set(i, 3, float64(i))
	}
	away, err := putAway(t.Context(), block, t.TempDir(), "basis", 2)
	if err != nil {
		t.Fatal(err)
	}
	defer block.Release()
	read := func(first int) error {
		rows, err := block.Load(nil, first, min(first+checkedRows, block.Rows()))
		if err == nil && rows[3] != float64(first) {
			t.Errorf("row %d has %v", first, rows[:5])
		}
		return err
	}
	for first := 0; first < block.Rows(); first += checkedRows {
		if err := read(first); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := away.file.WriteAt([]byte{1}, away.row*1500+17); err != nil {
		t.Fatal(err)
	}
	if err := away.file.Truncate(away.row * 2200); err != nil {
		t.Fatal(err)
	}
	var failed *durable.SpillError
	if err := read(0); err != nil {
		t.Error(err)
	}
	if err := read(1024); !errors.As(err, &failed) || !failed.Damaged || !strings.Contains(err.Error(), "checksum") {
		t.Error(err)
	}
	if err := read(2048); !errors.As(err, &failed) || !failed.Damaged || !strings.Contains(err.Error(), "ends") {
		t.Error(err)
	}
	b := basis{away: []*awayMatrix[float64]{away}}
	if err := b.unread(t.Context()); !errors.As(err, &failed) {
		t.Error(err)
	}
}
