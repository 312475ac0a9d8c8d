package nights

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/bench/internal/benchtest"
	"anchorage/internal/synth"
	"anchorage/model"
)

// Nights follow each other: every one has its shard, an update with the same shards finds nothing, an update from scratch has the bytes of a
// fit, and the next night starts from the update, not from that. A second run makes nothing.
func TestNights(t *testing.T) {
	const nights = 4
	drawn := synth.Model{Items: 200, Topics: 4, Documents: 2100, Tokens: 30, Concentration: 0.1, Seed: 1}.Plant()
	shards := t.TempDir()
	if _, err := drawn.WriteShards(t.Context(), shards, 3+nights); err != nil {
		t.Fatal(err)
	}
	s := Series{Shards: []string{shards}, Nights: nights, Compare: 2, Topics: 4, Refine: model.RefineOptions{Passes: 2}, Store: t.TempDir(), Workers: 1,
		Command: "bench nights", Log: slog.New(slog.DiscardHandler)}
	results := t.TempDir()
	for range 2 {
		if err := s.Write(t.Context(), results); err != nil {
			t.Fatal(err)
		}
	}
	records, err := runLog.Read(results)
	if err != nil || len(records) != nights+1 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	documents := int64(0)
	for i, r := range records {
		documents += r.NewDocuments
		if r.Number != i || r.Shards != 3+i || r.Again != "nothing" || r.CPU <= 0 || r.Seconds <= 0 || r.NPMI == 0 || r.Diversity <= 0 {
			t.Errorf("night %d: %+v", i, r)
		}
		if i > 0 && (r.NewDocuments != 300 || r.Kept+r.Died+r.Split+r.Merged != 4 || r.MeanDistance <= 0) {
			t.Errorf("night %d: %d new documents, %d topics kept at a distance of %g", i, r.NewDocuments, r.Kept, r.MeanDistance)
		}
		if r.Compared != (i > 0 && i%2 == 0) {
			t.Errorf("night %d: compared %t", i, r.Compared)
		}
		if r.Compared && (r.Files < 8 || r.EqualFiles != r.Files || r.SameAnchors < 3 || r.ScratchCPU <= 0 || r.ScratchSketchPasses < r.SketchPasses) {
			t.Errorf("night %d: %d of %d tables are equal, %d anchors are the same, %d and %d passes", i, r.EqualFiles, r.Files, r.SameAnchors, r.SketchPasses,
				r.ScratchSketchPasses)
		}
	}
	if documents != 2100 {
		t.Errorf("%d documents came", documents)
	}
	benchtest.Says(t, "README.md", benchtest.Text(t, results, "README.md"), "# Nights of a store", "4 updates took", "nights.svg")
	if svg := benchtest.Text(t, results, "nights.svg"); !strings.Contains(svg, "<svg") {
		t.Error("the chart is none")
	}
}

// Fewer shards than nights are refused before anything is made.
func TestTooFewShards(t *testing.T) {
	shards := t.TempDir()
	if _, err := (synth.Model{Items: 50, Topics: 2, Documents: 100, Tokens: 10, Seed: 1}).Plant().WriteShards(t.Context(), shards, 2); err != nil {
		t.Fatal(err)
	}
	room := filepath.Join(t.TempDir(), "store")
	s := Series{Shards: []string{shards}, Nights: 2, Topics: 2, Store: room, Log: slog.New(slog.DiscardHandler)}
	if err := s.Write(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "2 shards are too few") {
		t.Error(err)
	}
}
