package scale

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/bench/internal/benchtest"
	"anchorage/internal/synth"
	"anchorage/model"
)

// fittedModel makes the model of a run and returns its folder.
func fittedModel(t *testing.T, run Run, flags string) string {
	t.Helper()
	series, root := tinyScale(t, "works"), t.TempDir()
	paths, err := series.shards(t.Context(), run, filepath.Join(root, "corpora"))
	if err != nil {
		t.Fatal(err)
	}
	order := `{"shards":["` + strings.Join(paths, `","`) + `"],"output":"` + root + `/model","topics":3,"flags":["--min-df","` + flags + `"],"workers":1}`
	if err := Fit(t.Context(), strings.NewReader(order)); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, "model")
}

// What is read row by row is what the whole model says, and the floor is that of a naive count.
func TestRecoverModel(t *testing.T) {
	run := Run{Items: 120, Documents: 2000, Tokens: 20, Topics: 3, Seed: 1}
	for _, minDF := range []string{"1", "100"} { // with and without items that the model lacks
		folder := fittedModel(t, run, minDF)
		got, err := run.recover(t.Context(), folder)
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.Load(t.Context(), folder)
		if err != nil {
			t.Fatal(err)
		}
		truth := run.model().Plant().Truth
		items := make([]int32, m.Vocabulary.Len())
		for i := range items {
			item, _ := synth.ParseItem(m.Vocabulary.ID(i))
			items[i] = int32(item)
		}
		want := truth.Recover(synth.Estimate{Items: items, Row: func(dst []float64, i int) { copy(dst, m.Items.Row(i)) },
			Correlations: m.TopicJoint, Anchors: m.Anchors})
		if got.ErrorB != want.ErrorB || got.ErrorA != want.ErrorA || got.DistanceA != want.DistanceA || got.Anchors != want.Anchors {
			t.Errorf("min-df %s: %+v, want %+v", minDF, got, want)
		}
		oracle, err := run.model().Plant().Oracle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.FloorB/oracle.ExpectedErrorB()-1) > 0.3 || !(got.FloorB < got.ErrorB) {
			t.Errorf("the floor of B is %v", got.FloorB)
		}
	}
}

// A model of other topics or items cannot be compared.
func TestRecoverRefuses(t *testing.T) {
	run := Run{Items: 120, Documents: 400, Tokens: 20, Topics: 3, Seed: 1}
	folder := fittedModel(t, run, "1")
	other := run
	other.Topics = 4
	if _, err := other.recover(t.Context(), folder); err == nil || !strings.Contains(err.Error(), "3 anchors and 9 joint probabilities of 4 topics") {
		t.Errorf("%v", err)
	}
	if got, err := run.recover(t.Context(), filepath.Join(folder, "none")); err == nil || !math.IsNaN(got.ErrorB) {
		t.Errorf("%+v, %v", got, err)
	}
}

// Tables and charts show the runs that were compared, and those of earlier programs are left out.
func TestRecoveryTables(t *testing.T) {
	first, second, old := scaleRecord(1000, 50), scaleRecord(4000, 50), scaleRecord(2000, 50)
	second.Recovery.ErrorB, old.Recovery = 0.25, unknownRecovery()
	groups := groupRecords([]Record{first, second, old})
	var b strings.Builder
	groups[0].writeRecovery(&b)
	benchtest.Says(t, "the table", b.String(), "| 1000 | 0.3 | 0.2 | 1.50 | 0.06 | 0.02 | 3.00 | 0.05 | 0.75 |\n| 4000 | 0.25 | 0.2 | 1.25 | ")
	rows := recoveryRows(groups)
	if len(rows) != 1 || len(rows[0]) != 2 || len(rows[0][0].Ticks) != 2 || rows[0][0].Series[0].Points[1].Y != 0.25 || rows[0][1].Series[1].Points[0].Y != 0.02 {
		t.Errorf("%+v", rows)
	}
	if rows := recoveryRows(groupRecords([]Record{first, old})); len(rows) != 0 {
		t.Errorf("one size is drawn as %+v", rows)
	}
	b.Reset()
	g := groupRecords([]Record{old})[0]
	if g.writeRecovery(&b); b.Len() != 0 {
		t.Errorf("nothing was compared:\n%s", b.String())
	}
}
