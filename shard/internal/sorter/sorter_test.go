package sorter

import (
	"anchorage/shard/internal/fault"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestSorter sorts more than memory holds, in several rounds of merging, and compares with a stable sort.
func TestSorter(t *testing.T) {
	dir := t.TempDir()
	s, err := New(Options{MinMemory, dir})
	if err != nil {
		t.Fatal(err)
	}
	s.memory = 4 << 10 // far less than is allowed, to have hundreds of runs
	type record struct{ key, payload string }
	var want []record
	state := uint64(1)
	for i := range 20_000 {
		state = state*6364136223846793005 + 1442695040888963407
		r := record{fmt.Sprint("key ", state>>33%500), fmt.Sprint(i, strings.Repeat("x", int(state>>40%50)))}
		want = append(want, r)
		if err := s.Add([]byte(r.key), []byte(r.payload)); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.runs) <= mergeWays*2 {
		t.Fatalf("only %d runs", len(s.runs))
	}
	slices.SortStableFunc(want, func(a, b record) int { return strings.Compare(a.key, b.key) })
	if err := s.Sort(func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	for i, r := range want {
		key, payload, err := s.Next()
		if err != nil || string(key) != r.key || string(payload) != r.payload {
			t.Fatalf("record %d is %q %q, %v; want %v", i, key, payload, err, r)
		}
	}
	if _, _, err := s.Next(); err == nil {
		t.Error("there is more than was put in")
	}
	s.Close()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if _, err := New(Options{Memory: 1000}); fault.ReasonOf(err) != fault.SortMemory {
		t.Errorf("too little memory: %v", err)
	}
}
