package anchor

import (
	"context"
	"slices"
	"testing"
)

func TestStages(t *testing.T) {
	model := plant(random(31), 60, 4)
	both := []Stage{StageCorrections, StageMixtures}
	for _, polish := range []bool{false, true} {
		var got []Stage
		opts := Options{RowSums: RowSumsExact, Polish: polish, Report: func(stage Stage) { got = append(got, stage) }}
		if _, err := LAW(context.Background(), tallOf(model.y), model.rowSums, opts); err != nil {
			t.Fatal(err)
		}
		want := append([]Stage{StagePivots}, both...)
		if polish {
			want = append(want, both...)
		}
		if want = append(want, StageTopics); !slices.Equal(got, want) {
			t.Errorf("polish %v: stages %v, want %v", polish, got, want)
		}
	}
}
