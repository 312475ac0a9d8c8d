package bench

import (
	"context"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"anchorage/corpus"
	"anchorage/shard"
	"anchorage/stream"
)

// tinyTopics is a grid that takes seconds.
func tinyTopics(t *testing.T, peer string) *Topics {
	t.Helper()
	t.Setenv(fakePeer, peer)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &Topics{Data: "../testdata", Corpora: []string{"wiki"}, MinDF: []int64{20, 60}, MaxDFRatio: 0.2, MaxItems: []int{0, 400}, Topics: []int{4},
		Methods: []string{"default", "nmf"}, Seeds: 2, Python: self, Scratch: t.TempDir(), Command: []string{self, childArgument},
		Log: slog.New(slog.DiscardHandler)}
}

// results returns the records of a folder.
func results(t *testing.T, folder string) []TopicsRecord {
	t.Helper()
	records, err := readTopicsRecords(filepath.Join(folder, topicsRuns))
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func readText(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTopics(t *testing.T) {
	grid, folder := tinyTopics(t, "works"), filepath.Join(t.TempDir(), "results")
	if err := grid.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	records := results(t, folder)
	if len(records) != 2*2*2*2 {
		t.Fatalf("%d runs", len(records))
	}
	for _, r := range records {
		if r.Failure != "" {
			t.Fatalf("%+v", r)
		}
		checkTopicsRecord(t, &r)
	}
	readme := readText(t, folder, "README.md")
	for _, want := range []string{"## wiki", "| df ≥ 20, ≤ 20 %, first 400 by tf·idf | 400 | 4 | default | 2 |", "growth-wiki-df60-0.2.svg", "df-wiki-0.2.svg", "**"} {
		if !strings.Contains(readme, want) {
			t.Errorf("README.md does not say %q:\n%s", want, readme)
		}
	}
	for _, chart := range []string{"growth-wiki-df20-0.2.svg", "growth-wiki-df60-0.2.svg", "df-wiki-0.2.svg"} {
		if svg := readText(t, folder, chart); !strings.Contains(svg, "NPMI, λ = 0.6") || !strings.Contains(svg, "wiki, K = 4") {
			t.Errorf("%s has no panels", chart)
		}
	}
	if left, err := os.ReadDir(grid.Scratch); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	t.Run("resumed", func(t *testing.T) {
		before := readText(t, folder, topicsRuns)
		grid.Command = []string{"no-such-program"}
		if err := grid.Write(t.Context(), folder); err != nil || readText(t, folder, topicsRuns) != before || readText(t, folder, "README.md") != readme {
			t.Errorf("a complete grid was made again: %v", err)
		}
		grid.Seeds = 3
		if err := grid.Write(t.Context(), folder); err == nil {
			t.Error("a greater grid needs no process")
		}
	})
}

// checkTopicsRecord holds a record against the topics that the fake peer finds, or against what must hold of ours.
func checkTopicsRecord(t *testing.T, r *TopicsRecord) {
	t.Helper()
	if len(r.Rankings) != 2 || r.Rankings[0].Lambda != 1 || r.Rankings[1].Lambda != 0.6 || r.Documents != 1560 || r.Entries < int64(r.Items)*r.MinDF {
		t.Errorf("%+v", r)
	}
	for _, ranking := range r.Rankings {
		if ranking.LeastDocuments < r.MinDF || ranking.ThinTopics != 0 || !(ranking.NPMI > -1 && ranking.NPMI < 1) || !(ranking.Diversity > 0 && ranking.Diversity <= 1) {
			t.Errorf("%+v", r)
		}
	}
	if r.Method != "nmf" {
		if a := r.Anchors; a == nil || a.MedianDF < float64(r.MinDF) || !(a.LargestPivot > 0) || a.NonPositive != 0 || r.Seconds <= 0 || len(r.Stages) < 4 {
			t.Errorf("%+v", r)
		}
		return
	}
	if r.Anchors != nil || r.Program != "fake 1.0" || r.Seconds != 2 || r.CPU != 3 || r.PeakBytes != 7 || len(r.Stages) != 4 {
		t.Errorf("%+v", r)
	}
	for _, ranking := range r.Rankings {
		if ranking.Diversity != 1 { // its topics share no items
			t.Errorf("%+v", r)
		}
	}
	want := naiveNPMI(t, r)
	if got := r.Rankings[0].NPMI; math.Abs(got-want) > 1e-12 {
		t.Errorf("NPMI %v, want %v: %+v", got, want, r)
	}
}

// naiveNPMI computes the coherence of the fake peer's topics anew, λ = 1, from a dense matrix of documents and items.
func naiveNPMI(t *testing.T, r *TopicsRecord) float64 {
	t.Helper()
	shards, err := shard.Discover(t.Context(), []string{"../testdata/wiki"}, shard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	source := corpus.Options{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler),
		Pruning: corpus.Pruning{MinDF: r.MinDF, MaxDFRatio: r.MaxDFRatio, MaxItems: r.MaxItems}}
	docs, err := stream.Open(t.Context(), shards, source)
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	var has []map[int]bool
	tf := make([]int, r.Items)
	err = docs.Pass(t.Context(), func(docs *corpus.Documents) error {
		for d := range docs.Documents() {
			items, counts := docs.Row(d)
			row := make(map[int]bool)
			for j, i := range items {
				row[int(i)] = true
				tf[i] += int(counts[j])
			}
			has = append(has, row)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	share := func(items ...int) float64 {
		n := 0
		for _, row := range has {
			if !slices.ContainsFunc(items, func(i int) bool { return !row[i] }) {
				n++
			}
		}
		return float64(n) / float64(len(has))
	}
	mean := 0.0
	for k := range r.Topics {
		var of []int
		for i := k; i < r.Items; i += r.Topics {
			of = append(of, i)
		}
		slices.SortStableFunc(of, func(a, b int) int { return tf[b] - tf[a] })
		for a := range topicsWords {
			for b := range a {
				if both := share(of[a], of[b]); both > 0 {
					mean += math.Log(both/share(of[a])/share(of[b])) / -math.Log(both) / 45 / float64(r.Topics)
				} else {
					mean -= 1.0 / 45 / float64(r.Topics)
				}
			}
		}
	}
	return mean
}

// What ends a run is a record or, where the program is missing, none; the grid goes on.
func TestTopicsFailures(t *testing.T) {
	for _, test := range []struct{ peer, want string }{
		{"broken", "nmf ended with exit status 1: ValueError: no topics today"},
		{"mute", "nmf answered with what is no JSON"},
		{"short", "topics.npy is cut off in topic 3 of 4"},
		{"absent", ""},
	} {
		grid, folder := tinyTopics(t, test.peer), filepath.Join(t.TempDir(), "results")
		grid.MinDF, grid.MaxItems, grid.Seeds, grid.Methods = []int64{60}, []int{0}, 1, []string{"nmf", "lsi"}
		if err := grid.Write(t.Context(), folder); err != nil {
			t.Fatal(err)
		}
		records := results(t, folder)
		if test.want == "" {
			if len(records) != 0 {
				t.Errorf("%s: %+v", test.peer, records)
			}
			continue
		}
		if len(records) != 2 || !strings.Contains(records[0].Failure, test.want) || strings.Contains(records[0].Failure, grid.Scratch) {
			t.Errorf("%s: %+v", test.peer, records)
		}
		if readme := readText(t, folder, "README.md"); !strings.Contains(readme, "K = 4, nmf, seed 1: "+records[0].Failure) {
			t.Errorf("README.md is silent about %q:\n%s", records[0].Failure, readme)
		}
		t.Setenv(fakePeer, "works")
		if err := grid.Write(t.Context(), folder); err != nil || results(t, folder)[0].Failure == "" {
			t.Errorf("%s: a failed run is made again unasked: %v", test.peer, err)
		}
		grid.Again = AgainFailed
		if err := grid.Write(t.Context(), folder); err != nil {
			t.Fatal(err)
		}
		if again := results(t, folder); len(again) != 2 || again[0].Failure != "" || again[1].Failure != "" {
			t.Errorf("%s: still %+v", test.peer, again)
		}
	}
}

func TestTopicsTooManyItems(t *testing.T) {
	grid, folder := tinyTopics(t, "works"), t.TempDir()
	grid.MinDF, grid.MaxItems, grid.Seeds, grid.Methods = []int64{60}, []int{100_000}, 1, []string{"default"}
	if err := grid.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	if records := results(t, folder); len(records) != 1 || !strings.Contains(records[0].Failure, "there are only") {
		t.Errorf("%+v", records)
	}
}

// A run that takes too long is ended with all that it has started, and so is one that is interrupted, without a record.
func TestTopicsEnded(t *testing.T) {
	grid, folder := tinyTopics(t, "slow"), t.TempDir()
	grid.MinDF, grid.MaxItems, grid.Seeds, grid.Methods = []int64{60}, []int{0}, 1, []string{"nmf"}
	grid.Limit = 3 * time.Second
	if err := grid.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	if records := results(t, folder); len(records) != 1 || records[0].Failure != "it takes longer than 3s" {
		t.Errorf("%+v", records)
	}
	grid.Again, grid.Limit = AgainAll, 0
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := grid.Write(ctx, folder); err == nil || ctx.Err() == nil {
		t.Errorf("an interrupted grid: %v", err)
	}
	if records := results(t, folder); len(records) != 1 {
		t.Errorf("%+v", records)
	}
}

func TestTopicsRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), topicsRuns)
	if records, err := readTopicsRecords(path); err != nil || len(records) != 0 {
		t.Fatalf("no file: %v, %v", records, err)
	}
	first := TopicsRecord{TopicsRun: TopicsRun{Corpus: "a", Topics: 5, Seed: 1, Method: "nmf"}, Failure: "none"}
	second := TopicsRecord{TopicsRun: TopicsRun{Corpus: "a", Topics: 5, Seed: 2, Method: "nmf"}, Failure: "none"}
	again := first
	again.Failure = "later"
	for _, r := range []TopicsRecord{first, second, again} {
		if err := appendRecord(path, &r); err != nil {
			t.Fatal(err)
		}
	}
	records, err := readTopicsRecords(path)
	if err != nil || len(records) != 2 || records[0].Failure != "later" || records[1].Seed != 2 {
		t.Errorf("%+v, %v", records, err)
	}
	for _, line := range []string{"{", `{"corpus":"a"}`, `{"corpus":"a","failure":"x","colour":"red"}`} {
		if err := os.WriteFile(path, []byte("\n"+line+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readTopicsRecords(path); err == nil || !strings.Contains(err.Error(), "line 2 is no record") {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestTopicsCheck(t *testing.T) {
	good := *tinyTopics(t, "works")
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Topics){
		"no corpora":    func(g *Topics) { g.Corpora = nil },
		"a path":        func(g *Topics) { g.Corpora = []string{"../wiki"} },
		"method":        func(g *Topics) { g.Methods = []string{"guess"} },
		"one topic":     func(g *Topics) { g.Topics = []int{1} },
		"no seeds":      func(g *Topics) { g.Seeds = 0 },
		"negative":      func(g *Topics) { g.MaxItems = []int{-1} },
		"ratio":         func(g *Topics) { g.MaxDFRatio = math.NaN() },
		"again":         func(g *Topics) { g.Again = "sometimes" },
		"negative time": func(g *Topics) { g.Limit = -1 },
	} {
		grid := good
		spoil(&grid)
		if err := grid.Check(); err == nil {
			t.Errorf("%s passes", name)
		}
	}
}

func TestTopicsChildRefuses(t *testing.T) {
	if err := TopicsChild(t.Context(), strings.NewReader("hello"), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "bench topics alone") {
		t.Errorf("%v", err)
	}
}
