package sorter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/shard/fault"
)

type record struct{ key, payload string }

// goOn is a check that never ends the work.
func goOn() error { return nil }

// small returns a sorter that uses less memory than is allowed, to have many runs.
func small(t *testing.T, memory int) (*Sorter, string) {
	t.Helper()
	dir := t.TempDir()
	s, err := New(Options{Memory: MinMemory, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	s.memory = memory
	t.Cleanup(s.Close)
	return s, dir
}

// drawn returns n records whose keys repeat; payloads tell their order.
func drawn(n, keys int) []record {
	random := rand.New(rand.NewPCG(uint64(n), uint64(keys)))
	var records []record
	for i := range n {
		records = append(records, record{fmt.Sprint("key ", random.IntN(keys)), fmt.Sprint(i,
			strings.Repeat("x", random.IntN(50)))})
	}
	return records
}

// TestAgainstStableSort sorts records in memory, in a few runs, and in several rounds of merging, and compares with the
// stable sort of the standard library.
func TestAgainstStableSort(t *testing.T) {
	for _, test := range []struct{ records, keys, memory, runs int }{
		{0, 1, MinMemory, 0}, {1, 1, MinMemory, 0}, {2, 1, MinMemory, 0}, {1000, 10, MinMemory, 0}, {1000, 1, 16 << 10, 2},
		{1000, 1000, 16 << 10, 2}, {5000, 50, 16 << 10, 10}, {20_000, 500, 4 << 10, 2*mergeWays + 1}, {300, 7, 1, 299},
	} {
		t.Run(fmt.Sprint(test.records, " records of ", test.keys, " keys in ", test.memory), func(t *testing.T) {
			s, dir := small(t, test.memory)
			want := drawn(test.records, test.keys)
			for _, r := range want {
				if err := s.Add([]byte(r.key), []byte(r.payload)); err != nil {
					t.Fatal(err)
				}
			}
			if len(s.runs) < test.runs || test.runs == 0 && len(s.runs) > 0 {
				t.Fatalf("%d runs, want at least %d", len(s.runs), test.runs)
			}
			slices.SortStableFunc(want, func(a, b record) int { return strings.Compare(a.key, b.key) })
			if err := s.Sort(goOn); err != nil {
				t.Fatal(err)
			}
			for i, r := range want {
				key, payload, err := s.Next()
				if err != nil || string(key) != r.key || string(payload) != r.payload {
					t.Fatalf("record %d is %q %q, %v; want %v", i, key, payload, err, r)
				}
			}
			for range 2 {
				if _, _, err := s.Next(); err != io.EOF {
					t.Errorf("after the last record: %v", err)
				}
			}
			s.Close()
			s.Close()
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// TestOddRecords sorts empty keys and payloads, bytes of every value, and records larger than the memory.
func TestOddRecords(t *testing.T) {
	large := bytes.Repeat([]byte{0xff}, 60<<10)
	want := []record{{"", ""}, {"", "second"}, {"\x00", ""}, {"\x00\x00", "a"}, {"a", string(large)}, {string(large),
		""}, {"\xff", "z"}}
	for _, memory := range []int{MinMemory, 1} {
		s, _ := small(t, memory)
		for _, r := range want {
			if err := s.Add([]byte(r.key), []byte(r.payload)); err != nil {
				t.Fatal(err)
			}
		}
		sorted := slices.Clone(want)
		slices.SortStableFunc(sorted, func(a, b record) int { return strings.Compare(a.key, b.key) })
		if err := s.Sort(goOn); err != nil {
			t.Fatal(err)
		}
		for i, r := range sorted {
			if key, payload, err := s.Next(); err != nil || string(key) != r.key || string(payload) != r.payload {
				t.Errorf("memory %d: record %d is %.20q %.20q, %v", memory, i, key, payload, err)
			}
		}
	}
}

func TestOptions(t *testing.T) {
	for memory, want := range map[int64]fault.Reason{0: fault.Unspecified, MinMemory: fault.Unspecified,
		1 << 62: fault.Unspecified,
		1:       fault.SortMemory, MinMemory - 1: fault.SortMemory, -1: fault.SortMemory} {
		s, err := New(Options{Memory: memory})
		if got := fault.ReasonOf(err); got != want || (err == nil) != (want == fault.Unspecified) {
			t.Errorf("%d bytes: %v", memory, err)
		}
		if err == nil && s.memory < MinMemory {
			t.Errorf("%d bytes became %d", memory, s.memory)
		}
	}
}

// TestNoRoom names a directory that does not exist: the error says that it is about room for sorting.
func TestNoRoom(t *testing.T) {
	s, err := New(Options{Memory: MinMemory, Dir: filepath.Join(t.TempDir(), "nowhere")})
	if err != nil {
		t.Fatal(err)
	}
	s.memory = 1
	if err := s.Add([]byte("a"), nil); err != nil {
		t.Fatalf("the first record needs no file: %v", err)
	}
	if err := s.Add([]byte("b"), nil); fault.ReasonOf(err) != fault.SortSpace {
		t.Errorf("got %v", err)
	}
	s.Close()
}

// TestEnded ends the work between merges.
func TestEnded(t *testing.T) {
	s, dir := small(t, 1)
	for i := range 3 * mergeWays {
		if err := s.Add([]byte{byte(i)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Sort(func() error { return context.Canceled }); err != context.Canceled {
		t.Errorf("got %v", err)
	}
	s.Close()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestDamagedRun cuts and changes the file of a run: that must be an error, not other records.
func TestDamagedRun(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"cut in a record":   func(b []byte) []byte { return b[:len(b)-1] },
		"cut in the length": func(b []byte) []byte { return b[:1] },
		"huge key":          func(b []byte) []byte { return append([]byte{0xff, 0xff, 0xff, 0xff, 0x0f, 0}, b...) },
		"huge payload":      func(b []byte) []byte { return append([]byte{0, 0xff, 0xff, 0xff, 0x7f}, b...) },
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := small(t, 1)
			for _, key := range []string{"a", "b"} {
				if err := s.Add([]byte(key), []byte("payload")); err != nil {
					t.Fatal(err)
				}
			}
			whole, err := os.ReadFile(s.runs[0])
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(s.runs[0], damage(whole), 0o666); err != nil {
				t.Fatal(err)
			}
			err = s.Sort(goOn)
			for err == nil {
				_, _, err = s.Next()
			}
			if !errors.Is(err, errRun) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestRunGone removes the file of a run before it is read.
func TestRunGone(t *testing.T) {
	s, _ := small(t, 1)
	for _, key := range []string{"a", "b", "c"} {
		if err := s.Add([]byte(key), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(s.runs[1]); err != nil {
		t.Fatal(err)
	}
	if err := s.Sort(goOn); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
