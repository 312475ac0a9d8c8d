package corpus

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/internal/long"
)

// writeCopy appends documents in runs of the given length and returns the path of the copy.
func writeCopy(t testing.TB, d *Documents, run int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "corpus")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w, err := NewCopyWriter(file)
	if err != nil {
		t.Fatal(err)
	}
	for from := 0; from < d.Documents(); from += run {
		part := &Documents{Offsets: []int32{0}}
		for m := from; m < min(from+run, d.Documents()); m++ {
			part.Append(d.Row(m))
		}
		if err := w.Append(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func openCopy(t testing.TB, path string) *Copy {
	t.Helper()
	c, err := OpenCopy(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// manyRows repeats random documents until there are several blocks of them.
func manyRows() *Documents {
	some, d := randomRows(1, 2000, 3000), &Documents{Offsets: []int32{0}}
	for d.Entries() < 3*blockEntries {
		for m := range some.Documents() {
			d.Append(some.Row(m))
		}
	}
	return d
}

func TestCopyRoundTrip(t *testing.T) {
	d := manyRows()
	path := writeCopy(t, d, 1000)
	c := openCopy(t, path)
	if c.Documents() != int64(d.Documents()) || c.Entries() != int64(d.Entries()) || c.Tokens() != Tokens(d.Counts) ||
		c.Items() != int(slices.Max(d.Items))+1 {
		t.Errorf("totals %+v", c.totals)
	}
	remap := randomRemap(1, 3000)
	for _, workers := range []int{1, 2, 3, 7} {
		for _, view := range []*View{nil, {}, {Remap: remap, MinItems: 3, MinTokens: 5}} {
			want, wantDropped := *d, Dropped{}
			if view != nil {
				want, wantDropped = naiveView(*view, d)
			}
			got := collected{}
			dropped, err := c.Pass(context.Background(), workers, view, got.add)
			if err != nil {
				t.Fatal(err)
			}
			if dropped != wantDropped || !sameDocuments(&got.Documents, &want) {
				t.Errorf("%d workers: other documents, or %+v dropped, want %+v", workers, dropped, wantDropped)
			}
		}
	}
	content, _ := os.ReadFile(path)
	again, _ := os.ReadFile(writeCopy(t, d, 17))
	if !slices.Equal(content, again) {
		t.Error("the runs in which documents were appended show in the file")
	}
}

// TestCopyExtremes copies documents with the largest possible items, counts and gaps.
func TestCopyExtremes(t *testing.T) {
	d := &Documents{Offsets: []int32{0}}
	d.Append(nil, nil)
	d.Append([]int32{0, math.MaxInt32}, []int32{math.MaxInt32, 1})
	d.Append([]int32{math.MaxInt32}, []int32{4})
	d.Append([]int32{62, 63, 128, 1 << 14, 1 << 15, 1 << 22, 1 << 23, 1 << 30}, []int32{1, 2, 3, 4, 5, 131, 132, 1 << 30})
	long := make([]int32, 2*blockEntries)
	for i := range long {
		long[i] = int32(i)
	}
	d.Append(long, slices.Repeat([]int32{1}, len(long)))
	for range blockEntries + 10 {
		d.Append(nil, nil)
	}
	c := openCopy(t, writeCopy(t, d, d.Documents()))
	var got collected
	if _, err := c.Pass(context.Background(), 2, nil, got.add); err != nil {
		t.Fatal(err)
	}
	if !sameDocuments(&got.Documents, d) || c.Items() != math.MaxInt32+1 {
		t.Error("other documents")
	}
}

func TestCopyEmpty(t *testing.T) {
	c := openCopy(t, writeCopy(t, &Documents{}, 1))
	dropped, err := c.Pass(context.Background(), 0, &View{}, func(*Documents) error { return errTest })
	if err != nil || dropped != (Dropped{}) || c.Documents() != 0 || c.Items() != 0 {
		t.Errorf("error %v, dropped %+v", err, dropped)
	}
}

// TestCopyDamage flips every bit of a small copy of three blocks, and truncates it at every length. The copy must be
// refused, or the documents must be the same.
func TestCopyDamage(t *testing.T) {
	d := randomRows(5, 12, 60)
	path := filepath.Join(t.TempDir(), "corpus")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w, err := NewCopyWriter(file)
	if err != nil {
		t.Fatal(err)
	}
	for m := range d.Documents() {
		one := &Documents{Offsets: []int32{0}}
		one.Append(d.Row(m))
		if err := w.Append(one); err != nil {
			t.Fatal(err)
		}
		if m%4 == 3 && m < 11 {
			if err := w.flush(); err != nil { // blocks far smaller than usual
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(t.TempDir(), "damaged")
	check := func(what string, content []byte) {
		t.Helper()
		if err := os.WriteFile(damaged, content, 0o666); err != nil {
			t.Fatal(err)
		}
		var got collected
		c, err := OpenCopy(damaged)
		if err == nil {
			_, err = c.Pass(context.Background(), 1, nil, got.add)
			c.Close()
		}
		if err == nil && !sameDocuments(&got.Documents, d) {
			t.Errorf("%s: not seen", what)
		}
		if err != nil && (!errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), damaged)) {
			t.Errorf("%s: error %v", what, err)
		}
	}
	check("nothing", content)
	for i := range content {
		for bit := range 8 {
			if !long.Tier() && bit != i%8 {
				continue
			}
			content[i] ^= 1 << bit
			check(fmt.Sprintf("bit %d of byte %d of %d", bit, i, len(content)), content)
			content[i] ^= 1 << bit
		}
		if long.Tier() || i%5 == 0 {
			check(fmt.Sprintf("cut at %d of %d", i, len(content)), content[:i])
		}
	}
	check("a byte more", append(slices.Clone(content), 0))
}

// TestCopyDamagedBlock checks that the error names the file and the first damaged block, for any number of workers.
func TestCopyDamagedBlock(t *testing.T) {
	path := writeCopy(t, manyRows(), 1000)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := openCopy(t, path)
	for _, block := range []int{1, 2} {
		content[c.offsets[block]+1000] ^= 0x10
	}
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2, 5} {
		_, err := openCopy(t, path).Pass(context.Background(), workers, nil, func(*Documents) error { return nil })
		if !errors.Is(err, ErrCorrupt) || !strings.HasPrefix(err.Error(), path+": ") ||
			!strings.Contains(err.Error(), "block 2:") {
			t.Errorf("%d workers: error %v", workers, err)
		}
	}
}

func TestOpenCopyOther(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	os.WriteFile(other, make([]byte, 1000), 0o666)
	for _, path := range []string{dir, other} {
		if _, err := OpenCopy(path); !errors.Is(err, ErrCorrupt) {
			t.Errorf("error %v", err)
		}
	}
	if _, err := OpenCopy(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestCopyPassStops(t *testing.T) {
	c := openCopy(t, writeCopy(t, manyRows(), 1000))
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	_, err := c.Pass(ctx, 2, &View{}, func(*Documents) error {
		calls++
		cancel()
		return nil
	})
	if err != context.Canceled || calls != 1 {
		t.Errorf("cancelled: error %v after %d calls", err, calls)
	}
	if _, err := c.Pass(context.Background(), 2, nil, func(*Documents) error { return errTest }); err != errTest {
		t.Errorf("function fails: error %v", err)
	}
}

func TestCopyAppendPanics(t *testing.T) {
	for _, d := range []*Documents{
		{Offsets: []int32{0, 2}, Items: []int32{3, 3}, Counts: []int32{1, 1}},
		{Offsets: []int32{0, 2}, Items: []int32{4, 3}, Counts: []int32{1, 1}},
		{Offsets: []int32{0, 1}, Items: []int32{-1}, Counts: []int32{1}},
		{Offsets: []int32{0, 1}, Items: []int32{1}, Counts: []int32{0}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v was taken", d)
				}
			}()
			new(blockEncoder).add(d.Row(0))
		}()
	}
}
