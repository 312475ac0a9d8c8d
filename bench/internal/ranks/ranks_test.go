package ranks

import (
	"path/filepath"
	"testing"

	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/corpus"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
)

// fitted fits the sample with a seed and saves the model.
func fitted(t *testing.T, seed uint64) string {
	t.Helper()
	shards, err := shard.Discover(t.Context(), []string{"../../../testdata/wiki"}, shard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	docs, err := stream.Open(t.Context(), shards, corpus.Options{Pruning: corpus.Pruning{MinDF: 20}})
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	f, err := model.Fit(t.Context(), docs, model.Options{Topics: 5, Seed: seed, Run: &model.Run{}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model")
	if err := f.Save(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCompare(t *testing.T) {
	one, other := fitted(t, 1), fitted(t, 2)
	same, err := compare(t.Context(), one, one)
	if err != nil || same.Files == 0 || same.EqualFiles != same.Files || same.SameAnchors != 5 || same.Values+same.Joint+same.Topics+same.Probabilities != 0 {
		t.Errorf("a model differs from itself: %+v: %v", same, err)
	}
	differs, err := compare(t.Context(), one, other)
	if err != nil || differs.EqualFiles == differs.Files || differs.Topics == 0 || differs.Values == 0 || differs.Values > 0.1 {
		t.Errorf("models of two seeds: %+v: %v", differs, err)
	}
}

func TestWrite(t *testing.T) {
	one := Fit{Refined: true, Run: model.RunRecord{Seconds: 2, Stages: []model.StageTime{{Name: "sketch", PeakBytes: 300 << 20}}}}
	three := Fit{Ranks: 3, Refined: true, Differs: Difference{Files: 9, EqualFiles: 7, SameAnchors: 5, Topics: 2.5e-7},
		Run: model.RunRecord{Seconds: 3, Ranks: &model.RanksRecord{Size: 3, Stages: []model.RanksStage{
			{Name: "sketch", Bytes: 12_300_000, MostBytes: 5_000_000, Messages: 70, PeakBytes: []int64{1 << 20, 120 << 20, 110 << 20}}}}}}
	s := &Series{Name: "wiki", Topics: 5}
	path := filepath.Join(t.TempDir(), "results")
	folder, err := report.NewFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Write(folder, []Fit{one, three}, report.NewOrigin("go run ./bench ranks", 2)); err != nil {
		t.Fatal(err)
	}
	if err := folder.Commit(); err != nil {
		t.Fatal(err)
	}
	benchtest.Only(t, path, "README.md", "runs.csv", "stages.csv")
	benchtest.Says(t, "README.md", benchtest.Text(t, path, "README.md"), "| 3 | yes | 3.0 | 7 of 9 | 5 of 5 | 0 | 2.5e-07 |", "| sketch |  | 12.3 |", "| sketch | 300 | 120 |")
	benchtest.Says(t, "stages.csv", benchtest.Text(t, path, "stages.csv"), "3,1,sketch,12300000,5000000,70,0,125829120")
}
