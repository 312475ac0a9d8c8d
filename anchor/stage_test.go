package anchor

import (
	"context"
	"maps"
	"testing"
)

// TestProgress wants the stages that take long to tell how far they are, up to their end.
func TestProgress(t *testing.T) {
	model := plant(random(31), 60, 4)
	last := map[Stage][2]int{}
	opts := Options{RowSums: RowSumsExact, Polish: true, Workers: 2, Progress: func(stage Stage, done,
		total int) {
		last[stage] = [2]int{done, total}
	}}
	if _, err := LAW(context.Background(), tallOf(model.y), model.rowSums, opts); err != nil {
		t.Fatal(err)
	}
	want := map[Stage][2]int{StagePivots: {4, 4}, StageCorrections: {4, 4}, StageMixtures: {60, 60}}
	if !maps.Equal(last, want) {
		t.Errorf("%v, want %v", last, want)
	}
}
