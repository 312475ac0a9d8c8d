package checkpoint

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"anchorage/internal/durable"
	"anchorage/matrix"
)

// content is a state with a value of every kind.
type content struct {
	floats   []float64
	none     []int64
	ints     []int
	n        int
	wide     int64
	x        float64
	yes      bool
	named    map[string]int
	scores   []struct{ Value float64 }
	tall     *matrix.Tall
	single   *matrix.Single
	absent   *matrix.Tall
	narrowed *matrix.Tall
}

func (c *content) take(v *Values) {
	v.Take(&c.floats, &c.none, &c.ints, &c.n, &c.wide, &c.x, &c.yes)
	v.JSON(&c.named)
	v.Take(&c.scores, &c.tall, &c.single, &c.absent, &c.narrowed)
}

// sample returns a content that differs for each n.
func sample(n int) *content {
	c := &content{floats: []float64{1, math.Inf(1), -0.5}, ints: []int{}, n: n, wide: -7, x: math.Pi, yes: true,
		named:  map[string]int{"a": 1},
		scores: []struct{ Value float64 }{{math.NaN()}}, tall: matrix.NewTall(5000, 3), single: matrix.NewSingle(2, 5),
		narrowed: matrix.NewTall(3, 9)}
	c.tall.Set(4999, 2, float64(n))
	c.single.Set(1, 4, 0.25)
	c.narrowed.Narrow(1)
	c.narrowed.Set(2, 0, 4)
	return c
}

// check fails the test unless c is sample(n).
func (c *content) check(t *testing.T, n int) {
	t.Helper()
	if !slices.Equal(c.floats, []float64{1, math.Inf(1), -0.5}) || c.none != nil || c.ints == nil || len(c.ints) != 0 ||
		c.n != n || c.wide != -7 || c.x != math.Pi ||
		!c.yes || c.named["a"] != 1 || len(c.scores) != 1 || !math.IsNaN(c.scores[0].Value) || c.absent != nil {
		t.Errorf("read %+v", c)
	}
	if c.tall.Rows() != 5000 || c.tall.At(4999, 2) != float64(n) || c.single.At(1, 4) != 0.25 || c.narrowed.Cols() != 1 ||
		c.narrowed.At(2, 0) != 4 ||
		c.narrowed.Stride() != sample(n).narrowed.Stride() {
		t.Error("the matrices differ")
	}
}

// at opens a folder that is written at every point.
func at(t *testing.T, path string, o Options) *Folder {
	t.Helper()
	if o.Resume == "" {
		o.Resume = Auto
	}
	if o.Every == 0 {
		o.Every = -1
	}
	f, err := Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestGenerations writes states, damages them one after the other, and wants the one before until none is left.
func TestGenerations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint")
	f := at(t, path, Options{})
	f.Know(Fact{"seed", "1"})
	c := f.Chain("fit")
	for n := range 5 {
		c.Point("stage", func(v *Values) { v.Take(&n) }, nil).Reached(sample(n).take)
	}
	f.Close()
	load := func() (*content, error) {
		f := at(t, path, Options{Resume: Yes})
		defer f.Close()
		f.Know(Fact{"seed", "1"})
		loaded, err := f.Chain("fit").Load()
		if err != nil || loaded == nil {
			return nil, err
		}
		var got content
		before := 0
		loaded.Take(&before)
		got.take(&loaded.Values)
		if before != got.n || loaded.Kind != "stage" {
			t.Errorf("read %d before %d, kind %q", before, got.n, loaded.Kind)
		}
		return &got, loaded.Close()
	}
	entries, _ := os.ReadDir(path)
	if len(entries) != generations || entries[1].Name() != "fit-000005.state" {
		t.Fatalf("there are %v", entries)
	}
	got, err := load()
	if err != nil {
		t.Fatal(err)
	}
	got.check(t, 4)
	newest := filepath.Join(path, entries[1].Name())
	if err := os.Truncate(newest, 2000); err != nil {
		t.Fatal(err)
	}
	if got, err = load(); err != nil {
		t.Fatal(err)
	}
	got.check(t, 3)
	os.Truncate(filepath.Join(path, entries[0].Name()), 0)
	if _, err = load(); !errors.Is(err, ErrDamaged) {
		t.Errorf("two damaged states: %v", err)
	}
}

// TestDamage flips every bit of a small state, and cuts it at every length. None of it may be read.
func TestDamage(t *testing.T) {
	folder := t.TempDir()
	f := at(t, filepath.Join(folder, "c"), Options{})
	c := f.Chain("a")
	value := 5
	c.Point("kind", nil, nil).Reached(func(v *Values) { v.Take(&value) })
	good, err := os.ReadFile(c.path(1))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "bad")
	try := func(bad []byte) {
		t.Helper()
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenState(t.Context(), path); !errors.Is(err, ErrDamaged) {
			t.Fatalf("%d bytes, %q: %v", len(bad), bad, err)
		}
	}
	for at := range good {
		try(good[:at])
		for bit := range 8 {
			bad := slices.Clone(good)
			bad[at] ^= 1 << bit
			try(bad)
		}
	}
}

// TestFacts wants a fact that has changed, come or gone to be named.
func TestFacts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	f := at(t, path, Options{})
	f.Know(Fact{"seed", "1"}, Fact{"shard", "a"}, Fact{"seed", "not added again"})
	f.Chain("fit").Point("", nil, nil).Reached(nil)
	f.Close()
	for _, test := range []struct {
		facts []Fact
		want  string
	}{
		{[]Fact{{"seed", "2"}, {"shard", "a"}}, "seed was 1, and is 2"},
		{[]Fact{{"seed", "1"}}, "shard was a, and is nothing"},
		{[]Fact{{"seed", "1"}, {"shard", "a"}, {"other", "b"}}, "other was nothing, and is b"},
	} {
		f := at(t, path, Options{})
		f.Know(test.facts...)
		_, err := f.Chain("fit").Load()
		if !errors.Is(err, ErrChanged) || err.Error() != test.want {
			t.Errorf("%v: %v", test.facts, err)
		}
		f.Close()
	}
}

// TestOpen wants a checkpoint to be begun, gone on from, refused and removed as the options say.
func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	if _, err := Open(t.Context(), path, Options{Resume: Yes}); !errors.Is(err, ErrMissing) {
		t.Errorf("nothing to resume: %v", err)
	}
	f := at(t, path, Options{})
	if _, err := Open(t.Context(), path, Options{Resume: Auto}); !errors.Is(err, durable.ErrLocked) {
		t.Errorf("held by another run: %v", err)
	}
	f.Close()
	if _, err := os.Lstat(path); err == nil {
		t.Error("a folder without a state is left")
	}
	f = at(t, path, Options{})
	f.Chain("fit").Point("", nil, nil).Reached(nil)
	os.WriteFile(filepath.Join(path, ".fit-000002.state.X.tmp"), nil, 0o666)
	f.Close()
	if _, err := Open(t.Context(), path, Options{}); !errors.Is(err, ErrUnfinished) || !errors.Is(err, durable.ErrExists) {
		t.Errorf("over a checkpoint: %v", err)
	}
	f = at(t, path, Options{Resume: Yes})
	if entries, _ := os.ReadDir(path); len(entries) != 1 {
		t.Errorf("a process that was killed has left %v", entries)
	}
	f.Close()
	f = at(t, path, Options{Resume: No, Restart: true})
	if loaded, err := f.Chain("fit").Load(); loaded != nil || err != nil {
		t.Errorf("after a restart: %v, %v", loaded, err)
	}
	if err := errors.Join(f.Saving("3"), f.Remove()); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("a finished run leaves its checkpoint")
	}
}

// TestClear wants the checkpoint of a run that died after its result was at its place to go, and no other.
func TestClear(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	f := at(t, path, Options{})
	f.Chain("fit").Point("", nil, nil).Reached(nil)
	there := func(want bool) {
		t.Helper()
		if err := Clear(path, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(path); (err == nil) != want {
			t.Errorf("it is there: %v", err == nil)
		}
	}
	there(true)
	if err := f.Saving("3"); err != nil {
		t.Fatal(err)
	}
	there(true) // its run is alive
	f.Close()
	there(false)
	there(false)
}

// TestClockBack sets the clock back between two states: the newest is that with the highest number.
func TestClockBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	f := at(t, path, Options{Every: -1})
	chain := f.Chain("fit")
	for n := range int64(2) {
		chain.Point("stage", nil, nil).Reached(func(v *Values) { v.Take(&n) })
	}
	for number, year := range map[int]int{1: 2090, 2: 2001} {
		then := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(chain.path(number), then, then); err != nil {
			t.Fatal(err)
		}
	}
	loaded, err := chain.Load()
	if err != nil {
		t.Fatal(err)
	}
	var n int64
	if loaded.Take(&n); loaded.Close() != nil || n != 1 {
		t.Errorf("state %d, %v", n, loaded.Err())
	}
}

// TestInterrupted wants an interrupt to write the state of the last point while the stage has not left it, and only
// then.
func TestInterrupted(t *testing.T) {
	for _, leave := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "c")
		f := at(t, path, Options{Every: time.Hour, Share: 1e-9})
		p := f.Chain("fit").Point("stage", nil, nil)
		p.Reached(func(v *Values) {})
		if found, _ := Exists(path); found {
			t.Error("a state is written before it is time to")
		}
		if leave {
			p.Leave()
		}
		if got := f.Interrupted(context.Canceled); got == leave {
			t.Errorf("left %v: resumable %v", leave, got)
		}
		if found, _ := Exists(path); found == leave {
			t.Errorf("left %v: a state is there: %v", leave, found)
		}
	}
}

// TestUnwritable wants a run to continue where a state cannot be written, and the one before to stay.
func TestUnwritable(t *testing.T) {
	f := at(t, filepath.Join(t.TempDir(), "c"), Options{})
	c := f.Chain("fit")
	p := c.Point("stage", nil, nil)
	p.Reached(nil)
	p.Reached(func(v *Values) {
		if v.Writing() {
			v.Fail(errors.New("no room"))
		}
	})
	if numbers, err := c.numbers(); err != nil || !slices.Equal(numbers, []int{1}) {
		t.Errorf("states %v, %v", numbers, err)
	}
}

// FuzzState reads states with right checksums and any content.
func FuzzState(f *testing.F) {
	var b bytes.Buffer
	sample(1).take(&Values{to: &b})
	f.Add([]byte(`{"kind":"stage"}`), b.Bytes()[:200])
	f.Add([]byte(`{}`), []byte{})
	f.Fuzz(func(t *testing.T, head, values []byte) {
		file := binary.LittleEndian.AppendUint32([]byte(magic), version)
		file = binary.LittleEndian.AppendUint32(file, uint32(len(head)))
		file = append(append(file, head...), values...)
		file = binary.LittleEndian.AppendUint32(file, crc32.Checksum(file, castagnoli))
		path := filepath.Join(t.TempDir(), "state")
		if err := os.WriteFile(path, file, 0o666); err != nil {
			t.Fatal(err)
		}
		loaded, err := OpenState(t.Context(), path)
		if err == nil {
			new(content).take(&loaded.Values)
			err = loaded.Close()
		}
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("error %v", err)
		}
	})
}

// TestUnreadable wants the state before one that the disk does not give back: here a folder, which cannot be read as a
// file.
func TestUnreadable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	f := at(t, path, Options{})
	c := f.Chain("a")
	for number := range 2 {
		c.Point("kind", nil, nil).Reached(func(v *Values) { v.Take(&number) })
	}
	unreadable := func(path string) {
		t.Helper()
		if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o777)); err != nil {
			t.Fatal(err)
		}
	}
	unreadable(c.path(2))
	loaded, err := f.Chain("a").Load()
	if err != nil {
		t.Fatal(err)
	}
	number := -1
	if loaded.Take(&number); loaded.Close() != nil || number != 0 {
		t.Errorf("read %d, not the state before", number)
	}
	unreadable(c.path(1))
	if loaded, err := f.Chain("a").Load(); loaded != nil || err == nil || errors.Is(err, ErrDamaged) {
		t.Errorf("without a state that can be read: %v, %v", loaded, err)
	}
}
