package parquet

import (
	"testing"

	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/reading"
)

// TestFail checks that an error says where the row under construction is.
func TestFail(t *testing.T) {
	r := &reader{part: groupRun{in: reading.Shard{Object: access.Object{Path: "x.parquet"}},
		plan: &filePlan{groups: []groupPlan{{number: 4, firstRow: 10}}}, to: 1}, inside: true, row: 2}
	if got, want := r.fail("items", fault.Guard(func() error { panic("boom") })).Error(),
		`x.parquet, row group 4, column "items", row 13: the decoder gave up on malformed data (boom)`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
