package transform

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"anchorage/bench/internal/report"
	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
)

// TestWrite measures every method on a drawn corpus, and reads the results.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	paths, err := (synth.Model{Items: 200, Topics: 4, Documents: 600, Seed: 1}).Plant().WriteShards(t.Context(), dir, 2)
	if err != nil {
		t.Fatal(err)
	}
	shards, err := shard.Discover(t.Context(), paths[:1], shard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	docs, err := stream.Open(t.Context(), shards, corpus.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	fitted, err := model.Fit(t.Context(), docs, model.Options{Topics: 4, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	path, results := filepath.Join(dir, "model"), filepath.Join(dir, "results")
	if err := fitted.Save(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	o := Options{Model: path, Shards: paths[1:], Documents: 50, MinItems: 3, Least: time.Millisecond, Workers: []int{1, 2}, Export: true, Log: slog.New(slog.DiscardHandler)}
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	folder, err := report.NewFolder(results)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Write(t.Context(), folder, report.NewOrigin("bench", 1)); err != nil {
		t.Fatal(err)
	}
	if err := folder.Commit(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"README.md": "| collapsed | dirichlet | 0.003 | 1 | 50 |", "runs.csv": "log_likelihood,impossible,tokens,distance\ncollapsed,dirichlet,0.003,1,50,", "settings.csv": "200,4,50,"} {
		content, err := os.ReadFile(filepath.Join(results, name))
		if err != nil || !strings.Contains(string(content), want) {
			t.Errorf("%s (%v) does not contain %q:\n%s", name, err, want, content)
		}
	}
	if info, err := os.Stat(filepath.Join(results, "topics.f32")); err != nil || info.Size() != 4*200*4 {
		t.Errorf("the topics: %v, %v", info, err)
	}
	o.Workers = []int{0}
	if o.Check() == nil {
		t.Error("no workers are taken")
	}
}
