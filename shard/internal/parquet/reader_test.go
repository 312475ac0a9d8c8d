package parquet

import (
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/fault"
	"anchorage/shard/internal/reading"
	"errors"
	"os"
	"runtime"
	"testing"
)

// TestGuard checks that a panic becomes an error that can be told from others.
func TestGuard(t *testing.T) {
	var recovered *fault.Recovered
	err := fault.Guard(func() error {
		var decoder []int
		_ = decoder[len(os.Args)]
		return nil
	})
	if !errors.As(err, &recovered) {
		t.Fatalf("got %v", err)
	}
	if _, ok := recovered.Value.(runtime.Error); !ok {
		t.Errorf("the value is %v", recovered.Value)
	}
	r := &reader{part: groupRun{in: reading.Shard{Object: access.Object{Path: "x.parquet"}}, plan: &filePlan{groups: []groupPlan{{number: 4, firstRow: 10}}}, to: 1}, inside: true, row: 2}
	if got, want := r.fail("items", fault.Guard(func() error { panic("boom") })).Error(),
		`x.parquet, row group 4, column "items", row 13: the decoder gave up on malformed data (boom)`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
