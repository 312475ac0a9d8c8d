// This file tests the spill file of the corrections: what is done about damage, full disks and interruption.

package rectify

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"anchorage/internal/durable"
	"anchorage/matrix"
)

// spilled returns corrections that were built into a spill file in folder, with vectors to multiply.
func spilled(t *testing.T, folder string) (c *corrections, z, x *matrix.Single) {
	t.Helper()
	const n, rows = 3000, 150
	c = newCorrections(n, rows, Corrections{Mode: CorrectionsSpill, SpillDir: folder}, 2)
	t.Cleanup(func() { c.Close() })
	if err := c.build(context.Background(), leaning(n, 6, rows, 0.5), 1); err != nil {
		t.Fatal(err)
	}
	return c, matrix.NewSingle(n, 4), waves(n, 4)
}

func requireEmpty(t *testing.T, folder string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

// TestSpillDamage changes a byte at every kind of place, and cuts the file off.
func TestSpillDamage(t *testing.T) {
	for _, c := range []struct {
		what string
		harm func(f *os.File, block spilledPart) error
	}{
		{"tiles", func(f *os.File, b spilledPart) error { return flip(f, b.offset+1) }},
		{"values", func(f *os.File, b spilledPart) error { return flip(f, b.offset+b.size-1) }},
		{"cut off in a block", func(f *os.File, b spilledPart) error { return f.Truncate(b.offset + b.size - 1) }},
		{"cut off before a block", func(f *os.File, b spilledPart) error { return f.Truncate(b.offset) }},
		{"empty", func(f *os.File, _ spilledPart) error { return f.Truncate(0) }},
	} {
		e, z, x := spilled(t, t.TempDir())
		if err := e.apply(context.Background(), z, x); err != nil {
			t.Fatalf("%s: before the damage: %v", c.what, err)
		}
		if err := c.harm(e.spill.File, e.stripes[3].spilled); err != nil {
			t.Fatal(err)
		}
		err := e.apply(context.Background(), z, x)
		if !isDamage(err) || !strings.Contains(err.Error(), e.spill.Name()) {
			t.Errorf("%s: error is %v", c.what, err)
		}
	}
}

func flip(f *os.File, at int64) error {
	b := make([]byte, 1)
	if _, err := f.ReadAt(b, at); err != nil {
		return err
	}
	b[0] ^= 0x10
	_, err := f.WriteAt(b, at)
	return err
}

// isDamage reports whether err says that a spill file is not what was written.
func isDamage(err error) bool {
	var failed *durable.SpillError
	return errors.As(err, &failed) && failed.Damaged
}

// TestSpillFullDisk writes to a device that is always full.
func TestSpillFullDisk(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /dev/full")
	}
	file, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	f := &spillFile{Spill: &durable.Spill{WorkFile: &durable.WorkFile{File: file}}}
	c := &corrections{placed: CorrectionsSpill, spill: f, stripes: make([]stripe, 1)}
	var failed *durable.SpillError
	if err := c.keep(0, &buffer{packed: packed{counts: []uint8{0}}}); !errors.Is(err, syscall.ENOSPC) ||
		!errors.As(err, &failed) || failed.Path != "/dev/full" || failed.Damaged {
		t.Errorf("error is %v", err)
	}
}

func TestSpillNoFolder(t *testing.T) {
	c := newCorrections(100, 10, Corrections{Mode: CorrectionsSpill, SpillDir: filepath.Join(t.TempDir(), "none")}, 1)
	if err := c.build(context.Background(), leaning(100, 3, 10, 1), 1); !errors.Is(err, os.ErrNotExist) || isDamage(err) {
		t.Errorf("error is %v", err)
	}
}

// TestSpillLeavesNothing ends runs of ENN in every way and looks for files.
func TestSpillLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	opts := Options{Iterations: 4, Corrections: Corrections{Mode: CorrectionsSpill, SpillDir: folder}, Rows: 60, Seed: 1}
	if _, err := ENN(context.Background(), planted(t, 4, 600, 3, 0.5), opts); err != nil {
		t.Fatal(err)
	}
	requireEmpty(t, folder)

	ctx, cancel := context.WithCancel(context.Background())
	opts.Report = func(i Iteration) {
		if i.Corrections != CorrectionsSpill || i.CorrectionBytes == 0 {
			t.Errorf("iteration %d: %d bytes by %s", i.Number, i.CorrectionBytes, i.Corrections)
		}
		cancel()
	}
	if _, err := ENN(ctx, planted(t, 4, 600, 3, 0.5), opts); !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled: %v", err)
	}
	requireEmpty(t, folder)
}

func TestBlockThereAndBack(t *testing.T) {
	for _, p := range []packed{{}, {tiles: []uint16{0}, counts: []uint8{0, 0}},
		{tiles: []uint16{2, 1}, counts: []uint8{1, 1, 0, 1}, columns: []uint8{0, 47, 3},
			values: []float32{1e-45, math.MaxFloat32, 1}}} {
		block := appendBlock([]byte("before"), &p)[6:]
		back := packed{values: []float32{9, 9}, counts: []uint8{1}}
		part := spilledPart{tiles: len(p.tiles), counts: len(p.counts), entries: len(p.values)}
		part.unpack(block, &back)
		if !slices.Equal(back.tiles, p.tiles) || !slices.Equal(back.counts, p.counts) ||
			!slices.Equal(back.columns, p.columns) || !slices.Equal(back.values, p.values) {
			t.Errorf("%+v came back as %+v", p, back)
		}
	}
}
