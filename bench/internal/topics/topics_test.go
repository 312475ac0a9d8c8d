package topics

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/corpus"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
)

// tinyTopics is a grid that takes seconds.
func tinyTopics(t *testing.T, peer string) *Grid {
	t.Helper()
	t.Setenv(fakePeer, peer)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &Grid{Data: "../../../testdata", Corpora: []string{"wiki"}, MinDF: []int64{20, 60}, MaxDFRatio: 0.2, MaxItems: []int{0, 400}, Topics: []int{4},
		Methods: []string{"default", "nmf"}, Seeds: 1, Python: self, Scratch: t.TempDir(), Command: []string{self, childArgument},
		Log: slog.New(slog.DiscardHandler)}
}

// results returns the records of a folder.
func results(t *testing.T, folder string) []Record {
	t.Helper()
	records, err := runLog.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func TestTopics(t *testing.T) {
	grid, folder := tinyTopics(t, "works"), filepath.Join(t.TempDir(), "results")
	if err := grid.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	records := results(t, folder)
	if len(records) != 2*2*2 {
		t.Fatalf("%d runs", len(records))
	}
	for _, r := range records {
		if r.Failure != "" {
			t.Fatalf("%+v", r)
		}
		checkTopicsRecord(t, &r)
	}
	readme := benchtest.Text(t, folder, "README.md")
	benchtest.Says(t, "README.md", readme, "## wiki", "| df ≥ 20, ≤ 20 %, first 400 by tf·idf | 400 | 4 | default | 1 |",
		"growth-wiki-df60-0.2.svg", "df-wiki-0.2.svg", "**")
	benchtest.Results(t, folder)
	for _, chart := range []string{"growth-wiki-df20-0.2.svg", "growth-wiki-df60-0.2.svg", "df-wiki-0.2.svg"} {
		if svg := benchtest.Text(t, folder, chart); !strings.Contains(svg, "NPMI, λ = 0.6") || !strings.Contains(svg, "wiki, K = 4") {
			t.Errorf("%s has no panels", chart)
		}
	}
	if left, err := os.ReadDir(grid.Scratch); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	t.Run("resumed", func(t *testing.T) {
		before := benchtest.Text(t, folder, report.RunsFile)
		grid.Command = []string{"no-such-program"}
		if err := grid.Write(t.Context(), folder); err != nil || benchtest.Text(t, folder, report.RunsFile) != before || benchtest.Text(t, folder, "README.md") != readme {
			t.Errorf("a complete grid was made again: %v", err)
		}
		grid.Seeds = 2
		if err := grid.Write(t.Context(), folder); err == nil {
			t.Error("a greater grid needs no process")
		}
	})
}

// checkTopicsRecord holds a record against the topics that the fake peer finds, or against what must hold of ours.
func checkTopicsRecord(t *testing.T, r *Record) {
	t.Helper()
	if r.Documents != 1614 || r.Entries < int64(r.Items)*r.MinDF {
		t.Errorf("%+v", r)
	}
	for _, ranking := range r.Rankings {
		if ranking.LeastDocuments < r.MinDF || ranking.ThinTopics != 0 || !(ranking.NPMI > -1 && ranking.NPMI < 1) || !(ranking.Diversity > 0 && ranking.Diversity <= 1) {
			t.Errorf("%+v", r)
		}
	}
	if r.Method != "nmf" {
		if a := r.Anchors; !(a.MedianDF >= float64(r.MinDF)) || !(a.LargestPivot > 0) || a.NonPositive != 0 || r.Seconds <= 0 || len(r.Stages) < 4 {
			t.Errorf("%+v", r)
		}
		return
	}
	if !math.IsNaN(r.Anchors.MedianDF) || !math.IsNaN(r.Anchors.NonPositive) || r.Program != "fake 1.0" || r.Seconds != 2 || r.CPU != 3 || r.PeakBytes != 7 || len(r.Stages) != 4 {
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
func naiveNPMI(t *testing.T, r *Record) float64 {
	t.Helper()
	shards, err := shard.Discover(t.Context(), []string{"../../../testdata/wiki"}, shard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	source := corpus.Options{Dir: t.TempDir(),
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
		for a := range topWords {
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
		{"broken", "nmf: the process ended with exit status 1: ValueError: no topics today"},
		{"mute", "nmf did not answer with JSON"},
		{"short", "topics.npy is cut off in topic 3 of 4"},
		{"absent", ""},
	} {
		grid, folder := tinyTopics(t, test.peer), filepath.Join(t.TempDir(), "results")
		grid.MinDF, grid.MaxItems, grid.Seeds, grid.Methods = []int64{60}, []int{0}, 1, []string{"nmf"}
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
		if len(records) != 1 || !strings.Contains(records[0].Failure, test.want) || strings.Contains(records[0].Failure, grid.Scratch) {
			t.Errorf("%s: %+v", test.peer, records)
		}
		benchtest.Results(t, folder)
		if readme := benchtest.Text(t, folder, "README.md"); !strings.Contains(readme, "K = 4, nmf, seed 1: "+records[0].Failure) {
			t.Errorf("README.md is silent about %q:\n%s", records[0].Failure, readme)
		}
		t.Setenv(fakePeer, "works")
		if err := grid.Write(t.Context(), folder); err != nil || results(t, folder)[0].Failure == "" {
			t.Errorf("%s: a failed run is made again unasked: %v", test.peer, err)
		}
		grid.Again = report.AgainFailed
		if err := grid.Write(t.Context(), folder); err != nil {
			t.Fatal(err)
		}
		if again := results(t, folder); len(again) != 1 || again[0].Failure != "" {
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
	grid.Limit = 2 * time.Second
	if err := grid.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	if records := results(t, folder); len(records) != 1 || records[0].Failure != "it takes longer than 2s" {
		t.Errorf("%+v", records)
	}
	grid.Again, grid.Limit = report.AgainAll, 0
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	grid.Stderr = onWrite(cancel) // the method says that it is slow
	if err := grid.Write(ctx, folder); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted grid: %v", err)
	}
	if records := results(t, folder); len(records) != 1 {
		t.Errorf("%+v", records)
	}
}

// onWrite calls a function when something is written.
type onWrite func()

func (w onWrite) Write(p []byte) (int, error) {
	w()
	return len(p), nil
}

func TestTopicsRecords(t *testing.T) {
	folder := t.TempDir()
	if records, err := runLog.Read(folder); err != nil || len(records) != 0 {
		t.Fatalf("no file: %v, %v", records, err)
	}
	first := newRecord(Run{Corpus: "a", MinDF: 2, MaxDFRatio: 0.3, MaxItems: 7, Topics: 5, Seed: 1, Method: "nmf"})
	first.Failure = "none"
	second := newRecord(Run{Corpus: "a", Topics: 5, Seed: 2, Method: "default"})
	second.Items, second.Documents, second.Entries, second.Seconds, second.CPU, second.PeakBytes = 1, 2, 3, 4.5, 5.5, 6
	second.Workers, second.Program, second.Anchors = 2, "anchorage 0", Anchors{10.5, 0.25, 0}
	second.Rankings = [2]Ranking{{0.1, 0.2, 3, 4}, {-0.5, 0.6, 7, 8}}
	second.Stages = []model.StageTime{{Name: "read", Seconds: 1, CPU: 2}, {Name: "fit", Seconds: 3}}
	again := first
	again.Failure = "later"
	for _, r := range []Record{first, second, again} {
		if err := runLog.Put(folder, &r); err != nil {
			t.Fatal(err)
		}
	}
	records, err := runLog.Read(folder)
	if err != nil || len(records) != 2 || records[0].Failure != "later" || records[0].Run != first.Run || !reflect.DeepEqual(records[1], second) {
		t.Errorf("%+v, %v", records, err)
	}
	benchtest.Says(t, "the header", benchtest.Text(t, folder, report.RunsFile), "npmi_1,diversity_1,least_documents_1,thin_topics_1,npmi_0.6,", ",nmf,later,")
	empty := newRecord(Run{Corpus: "b"})
	if err := runLog.Put(folder, &empty); err != nil {
		t.Fatal(err)
	}
	if _, err := runLog.Read(folder); err == nil || !strings.Contains(err.Error(), "row 4 is not a record") {
		t.Errorf("%v", err)
	}
}

func TestTopicsCheck(t *testing.T) {
	good := *tinyTopics(t, "works")
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Grid){
		"no corpora":    func(g *Grid) { g.Corpora = nil },
		"a path":        func(g *Grid) { g.Corpora = []string{"../wiki"} },
		"method":        func(g *Grid) { g.Methods = []string{"guess"} },
		"one topic":     func(g *Grid) { g.Topics = []int{1} },
		"no seeds":      func(g *Grid) { g.Seeds = 0 },
		"negative":      func(g *Grid) { g.MaxItems = []int{-1} },
		"ratio":         func(g *Grid) { g.MaxDFRatio = math.NaN() },
		"again":         func(g *Grid) { g.Again = "sometimes" },
		"negative time": func(g *Grid) { g.Limit = -1 },
	} {
		grid := good
		spoil(&grid)
		if err := grid.Check(); err == nil {
			t.Errorf("%s passes", name)
		}
	}
}

func TestTopicsChildRefuses(t *testing.T) {
	if err := Child(t.Context(), strings.NewReader("hello"), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "only `bench topics` runs") {
		t.Errorf("%v", err)
	}
}

// Groups, means and the marks of the best method.
func TestTopicsTable(t *testing.T) {
	made := func(method string, seed uint64, npmi float64) Record {
		r := newRecord(Run{Corpus: "a", MinDF: 2, MaxDFRatio: 1, Topics: 5, Seed: seed, Method: method})
		r.Items, r.Rankings[0].NPMI = 100, npmi
		return r
	}
	failed := made("lda", 1, 9)
	failed.Failure = "none"
	groups := groupRecords([]Record{made("nmf", 1, 0.3), made("default", 1, 0.2), made("other", 1, -0.5), made("default", 2, 0.6), failed})
	if len(groups) != 3 || groups[0].run.Method != "default" || groups[1].run.Method != "nmf" || groups[2].run.Method != "other" || len(groups[0].records) != 2 {
		t.Fatalf("%+v", groups)
	}
	var b strings.Builder
	writeTable(&b, groups)
	benchtest.Says(t, "the table", b.String(), "| vocabulary | N | K | method | seeds | NPMI, λ = 1 |",
		"| df ≥ 2, ≤ 100 % | 100 | 5 | default | 2 | **0.400 ± 0.283** |", "| nmf | 1 | 0.300 |", "| other | 1 | −0.500 |", "| – |")
	limited := Run{MinDF: 1, MaxDFRatio: 0.5, MaxItems: 40}
	if got := limited.vocabulary(); got != "df ≥ 1, ≤ 50 %, first 40 by tf·idf" {
		t.Errorf("vocabulary %q", got)
	}
}

func TestFitOptions(t *testing.T) {
	for _, v := range Variants {
		o, err := FitOptions(v.Name, 7, 3, 2)
		if err != nil || o.Topics != 7 || o.Seed != 3 || v.Note == "" || isPeer(v.Name) {
			t.Errorf("%s: %+v, %v", v.Name, o, err)
		}
	}
	if _, err := FitOptions("guess", 7, 3, 2); err == nil {
		t.Error("a method that is not there has options")
	}
	for _, p := range peerMethods {
		if !isPeer(p.name) || p.note == "" {
			t.Errorf("%s is not a peer", p.name)
		}
	}
}
