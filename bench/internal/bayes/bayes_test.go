package bayes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/bayes"
	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/corpus"
	"anchorage/internal/synth"
)

// drawnShards writes a corpus to a folder of a given name.
func drawnShards(t *testing.T, name string, m synth.Model) string {
	t.Helper()
	shards := filepath.Join(t.TempDir(), name)
	if err := os.Mkdir(shards, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Plant().WriteShards(t.Context(), shards, 2); err != nil {
		t.Fatal(err)
	}
	return shards
}

// tinyGrid is a grid that takes a second, on a corpus of its own.
func tinyGrid(t *testing.T) *Grid {
	t.Helper()
	shards := drawnShards(t, "drawn", synth.Model{Items: 120, Topics: 4, Documents: 900, Tokens: 30, Seed: 2})
	return &Grid{Corpora: []string{shards}, Models: []string{"bnmf", "cnmf", "lda"}, Topics: []int{3, 6}, Sizes: []int{50}, Pieces: []int{0}, Documents: []int64{0}, Epochs: []int{1},
		Delays: []float64{1}, Priors: []string{chapter}, Algorithms: []string{stochastic}, Beginnings: []string{random}, Seeds: 1, Seed: 1, Items: 100, MaxDFRatio: 1,
		Command: "go run ./bench bayes drawn", Log: slog.New(slog.DiscardHandler)}
}

func TestCheck(t *testing.T) {
	if err := tinyGrid(t).Check(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Grid){
		"no shards":                         func(g *Grid) { g.Corpora = nil },
		`--models has "nmf"`:                func(g *Grid) { g.Models = []string{"nmf"} },
		`--priors has "flat"`:               func(g *Grid) { g.Priors = []string{"flat"} },
		"--algorithms is empty":             func(g *Grid) { g.Algorithms = nil },
		`--beginnings has "x"`:              func(g *Grid) { g.Beginnings = []string{"x"} },
		"2 or more":                         func(g *Grid) { g.Sizes = []int{1} },
		"3 tokens or more":                  func(g *Grid) { g.Pieces = []int{2} },
		"must not be negative":              func(g *Grid) { g.Documents = []int64{-1} },
		"must be positive":                  func(g *Grid) { g.Epochs = []int{0} },
		"a seed at least":                   func(g *Grid) { g.Seeds = 0 },
		"more items":                        func(g *Grid) { g.Items = 5 },
		"t₀ must be":                        func(g *Grid) { g.Delays = []float64{0} },
		"from 0 to 1,":                      func(g *Grid) { g.MaxDFRatio = 1.5 },
		`two corpora have the name "drawn"`: func(g *Grid) { g.Corpora = append(g.Corpora, "elsewhere/drawn/") },
	} {
		g := tinyGrid(t)
		change(g)
		if err := g.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Every combination is made once, those that differ in nothing that counts too.
func TestRuns(t *testing.T) {
	g := tinyGrid(t)
	g.Sizes, g.Delays, g.Priors, g.Algorithms, g.Seeds = []int{50, 60}, []float64{1, 64}, AllPriors, AllAlgorithms, 2
	runs := g.runs("x")
	// Of the batch algorithm there are no sizes, step sizes, or other hyperparameters than the chapter's.
	if want := 2 * 2 * 3 * (2*2*3 + 1); len(runs) != want {
		t.Errorf("%d runs, want %d", len(runs), want)
	}
	if runs[0].Seed != 1 || runs[len(runs)-1].Seed != 2 || runs[0].Corpus != "x" {
		t.Errorf("%+v", runs[0])
	}
}

// A folder of fits: tables, charts, and what a second command adds.
func TestWrite(t *testing.T) {
	g, root := tinyGrid(t), t.TempDir()
	results := filepath.Join(root, "results")
	if err := g.Write(t.Context(), results); err != nil {
		t.Fatal(err)
	}
	files := []string{"README.md", "correlations.csv", "curves.csv", "figure11.3-drawn.svg", "figure11.4.svg", "gain.svg", "runs.csv", "stages.csv", "topics.csv"}
	benchtest.Only(t, root, "results")
	benchtest.Only(t, results, files...)
	benchtest.Results(t, root)
	benchtest.Says(t, "README.md", benchtest.Text(t, results, "README.md"), g.Command, "| online LDA | chapter | 1 | ", "of 1 comparisons", "### drawn", "| topic | share | items |",
		"## Figure 11.3: drawn", "correlated NMF with K = 6 and |C| = 50 on drawn")
	if readme := benchtest.Text(t, results, "README.md"); strings.Contains(readme, root) || strings.Contains(readme, g.Corpora[0]) {
		t.Error("README.md names a folder of this machine")
	}
	records, err := read(results)
	if err != nil || len(records) != 6 {
		t.Fatalf("%d records: %v", len(records), err)
	}
	for _, r := range records {
		if r.Documents != 710 || len(r.curve) != 2 || r.curve[1].LogLikelihood != r.Last || !(r.Apart > -math.Log(100)-0.1 && r.Apart < -3) || r.C0 != 5 {
			t.Errorf("%+v", r)
		}
	}
	// A second command makes what is not there, and leaves the other rows as they are.
	before := benchtest.Text(t, results, "runs.csv")
	fits := 0
	g.Log = slog.New(slog.NewTextHandler(onFit(func() { fits++ }), nil))
	g.Models, g.Priors, g.Algorithms, g.Beginnings, g.Seeds, g.Pieces = []string{"lda"}, []string{chapter, learned, window}, AllAlgorithms, AllBeginnings, 2, []int{0, 10}
	g.Topics = []int{3}
	if err := g.Write(t.Context(), results); err != nil {
		t.Fatal(err)
	}
	benchtest.Only(t, results, files...)
	if after := benchtest.Text(t, results, "runs.csv"); !strings.HasPrefix(after, before) || strings.Count(after, "\n") != 7+fits || fits != 2*2*2*(3+1)-1 {
		t.Errorf("%d fits were made:\n%s", fits, after)
	}
	benchtest.Says(t, "README.md", benchtest.Text(t, results, "README.md"), "### drawn in pieces of 10 tokens", "| online LDA | learned |", "| all | – | 1 | anchors |", " ± ")
	again := benchtest.Text(t, results, "README.md")
	if err := g.Write(t.Context(), results); err != nil || benchtest.Text(t, results, "README.md") != again {
		t.Errorf("a command with nothing to do changes README.md: %v", err)
	}
}

// onFit calls a function when a fit is logged.
type onFit func()

func (w onFit) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("fitted")) {
		w()
	}
	return len(p), nil
}

// An interrupted command keeps complete fits, and another goes on from them to the same scores.
func TestInterrupted(t *testing.T) {
	g, root := tinyGrid(t), t.TempDir()
	whole, parts := filepath.Join(root, "whole"), filepath.Join(root, "parts")
	if err := g.Write(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	g.Log = slog.New(slog.NewTextHandler(onFit(cancel), nil))
	if err := g.Write(ctx, parts); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	some, err := read(parts)
	if err != nil || len(some) != 1 {
		t.Fatalf("%d records: %v", len(some), err)
	}
	if err := g.Write(t.Context(), parts); err != nil {
		t.Fatal(err)
	}
	a, errA := read(whole)
	b, errB := read(parts)
	if err := errors.Join(errA, errB); err != nil || len(a) != len(b) {
		t.Fatalf("%d and %d records: %v", len(a), len(b), err)
	}
	for i := range a {
		if a[i].Run != b[i].Run || a[i].Apart != b[i].Apart || !slices.Equal(a[i].curve, b[i].curve) {
			t.Errorf("fit %d differs where the run was interrupted", i+1)
		}
	}
	if benchtest.Text(t, whole, "topics.csv") != benchtest.Text(t, parts, "topics.csv") {
		t.Error("topics.csv differs where the run was interrupted")
	}
}

// What files say of runs without a row does not count.
func TestHalfWritten(t *testing.T) {
	g, results := tinyGrid(t), filepath.Join(t.TempDir(), "results")
	g.Models, g.Topics = []string{"cnmf"}, []int{3}
	if err := g.Write(t.Context(), results); err != nil {
		t.Fatal(err)
	}
	curves := benchtest.Text(t, results, "curves.csv")
	if err := os.WriteFile(filepath.Join(results, "curves.csv"), []byte(curves+"2,0,5,-1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if records, err := read(results); err != nil || len(records) != 1 || len(records[0].curve) != 2 {
		t.Errorf("%+v, %v", records, err)
	}
	g.Topics = []int{4}
	if err := g.Write(t.Context(), results); err != nil {
		t.Fatal(err)
	}
	if after := benchtest.Text(t, results, "curves.csv"); !strings.HasPrefix(after, curves) || strings.Contains(after, "2,0,5,-1\n") {
		t.Errorf("%s", after)
	}
}

// A cut keeps all tokens, in pieces of equal size but for one token, and the items of each increase.
func TestCut(t *testing.T) {
	docs := &corpus.Documents{}
	docs.Append([]int32{2, 5, 9}, []int32{4, 1, 2})
	docs.Append([]int32{1}, []int32{3})
	docs.Append(nil, nil)
	got := cut(docs, 3)
	var text []string
	for d := range got.Documents() {
		items, counts := got.Row(d)
		text = append(text, fmt.Sprintf("%v %v", items, counts))
	}
	if want := "[2 9] [2 1]; [2 5] [1 1]; [2 9] [1 1]; [1] [3]; [] []"; strings.Join(text, "; ") != want {
		t.Errorf("got %s", strings.Join(text, "; "))
	}
}

// Documents are set aside the same way whatever the seed and the limit, and none of them is learned from.
func TestDivide(t *testing.T) {
	g := tinyGrid(t)
	whole, err := g.open(t.Context(), g.Corpora, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer whole.close()
	var parts []*divided
	for _, of := range []Run{{Seed: 1}, {Seed: 2, Limit: 300}, {Seed: 1, Piece: 10}} {
		d, err := whole.divide(t.Context(), of, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer d.shuffled.Close()
		parts = append(parts, d)
		if of.Limit > 0 && d.facts.Documents != of.Limit || d.learning.Documents() != int(d.facts.Documents) {
			t.Errorf("%d documents", d.facts.Documents)
		}
	}
	if !slices.Equal(parts[0].apart.Items, parts[1].apart.Items) || int64(parts[0].apart.Documents()) != whole.facts.Documents/10 || parts[0].facts.Documents != whole.facts.Documents-whole.facts.Documents/10 {
		t.Error("other documents are set aside")
	}
	if n := parts[1].learning.Entries(); !slices.Equal(parts[0].learning.Items[:n], parts[1].learning.Items) {
		t.Error("a limit takes other documents than the first")
	}
	if parts[2].facts.Tokens != parts[0].facts.Tokens || parts[2].facts.Documents < 2*parts[0].facts.Documents {
		t.Errorf("%d tokens in pieces of %d", parts[2].facts.Tokens, parts[0].facts.Tokens)
	}
}

// Documents to learn from and to test follow each other in the random order, and none is in both.
func TestTake(t *testing.T) {
	g := tinyGrid(t)
	docs, err := g.open(t.Context(), g.Corpora, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer docs.close()
	learn, test := 37, 11
	train, rest, err := docs.take(t.Context(), learn, test)
	if err != nil || train.Documents() != learn || rest.Documents() != test {
		t.Fatalf("%d and %d documents: %v", train.Documents(), rest.Documents(), err)
	}
	most, last, err := docs.take(t.Context(), int(docs.facts.Documents)-1, 1)
	if err != nil || int64(most.Documents()+1) != docs.facts.Documents || last.Documents() != 1 {
		t.Fatalf("%d and %d of %d documents: %v", most.Documents(), last.Documents(), docs.facts.Documents, err)
	}
	first := slices.Concat(train.Items, rest.Items)
	if !slices.Equal(most.Items[:len(first)], first) || !slices.Equal(most.Counts[:len(first)], slices.Concat(train.Counts, rest.Counts)) {
		t.Error("the documents are not those of the random order")
	}
	if _, _, err := docs.take(t.Context(), int(docs.facts.Documents), 1); err == nil || !strings.Contains(err.Error(), "are too few") {
		t.Errorf("%v", err)
	}
}

// The weights of steps make a mean of so many documents: all of a few, and about 2/ρ batches after many steps.
func TestRemembered(t *testing.T) {
	r := Run{Algorithm: stochastic, BatchSize: 10, Delay: 1, Epochs: 1}
	// One step: one batch. Two steps have ρ = 1/√2 and 1/√3.
	if got := r.remembered(10); got != 10 {
		t.Errorf("%v documents of one batch", got)
	}
	a, b := (1-1/math.Sqrt(3))/math.Sqrt2, 1/math.Sqrt(3)
	if got, want := r.remembered(20), 10*(a+b)*(a+b)/(a*a+b*b); math.Abs(got-want) > 1e-9 {
		t.Errorf("%v documents of two batches, want %v", got, want)
	}
	if got := r.remembered(100_000); math.Abs(got/10-200) > 20 { // ρ is 0.01
		t.Errorf("%v documents after 10,000 batches", got)
	}
	r.Delay = 1e8
	if got := r.remembered(1000); math.Abs(got-1000) > 1 { // equal weights
		t.Errorf("%v documents with a large t₀", got)
	}
	r.Algorithm = batch
	if got := r.remembered(77); got != 77 {
		t.Errorf("%v documents with the batch algorithm", got)
	}
}

// The chapter's hyperparameters, and what becomes of them.
func TestOptions(t *testing.T) {
	facts := bayes.Totals{Items: 100, Documents: 1000, Tokens: 5000}
	r := Run{Model: "lda", Topics: 4, Algorithm: stochastic, BatchSize: 10, Delay: 1, Epochs: 1, Priors: chapter, Seed: 7}
	if o := r.options(facts, 2); o.C0 != 5 || o.A0 != 0 || o.LearnPriors || o.Seed != 7 || o.Workers != 2 {
		t.Errorf("%+v", o)
	}
	r.Priors = learned
	if o := r.options(facts, 2); o.C0 != 5 || !o.LearnPriors {
		t.Errorf("%+v", o)
	}
	r.Priors = window
	if o := r.options(facts, 2); math.Abs(o.C0-5*1000/r.remembered(1000)) > 1e-9 || o.LearnPriors {
		t.Errorf("%+v", o)
	}
}

// TestWritePeers wants the files that the script reads, and scores near those of the truth.
func TestWritePeers(t *testing.T) {
	dir := drawnShards(t, "peers", synth.Model{Items: 300, Topics: 4, Documents: peerTests + 1500, Tokens: 30, Seed: 2})
	g := &Grid{Corpora: []string{dir}, Models: []string{"lda"}, Topics: []int{4}, Items: 300, Documents: []int64{1000}, MaxDFRatio: 0.5, Seed: 1, Log: slog.New(slog.DiscardHandler)}
	folder := filepath.Join(t.TempDir(), "peers")
	if err := g.WritePeers(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	for name, lines := range map[string]int{"train.txt": 1000, "test.txt": peerTests, "held.txt": peerTests} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || bytes.Count(text, []byte("\n")) != lines {
			t.Errorf("%s has %d lines, want %d; error %v", name, bytes.Count(text, []byte("\n")), lines, err)
		}
	}
	benchtest.Only(t, folder, "anchorage.csv", "held.txt", "settings.csv", "test.txt", "train.txt")
	benchtest.Says(t, "settings.csv", benchtest.Text(t, folder, "settings.csv"), "items,topics,batch_size,documents,eta,alpha,t0,kappa,seed\n300,4,1000,1000,0.05,0.25,1,0.5,1\n")
	results := report.NewTable("anchorage", report.Texts("program"), report.Ints("workers"),
		report.Floats("seconds", "documents_per_second", "log_likelihood"), report.Ints("tokens"))
	if err := results.Read(filepath.Join(folder, "anchorage.csv")); err != nil || len(results.Rows) != 2 {
		t.Fatalf("%d results, error %v", len(results.Rows), err)
	}
	score, tokens := results.Rows[0][4].(float64), results.Rows[0][5].(int64)
	if score != results.Rows[1][4] || tokens < 10*peerTests/2 || score < -math.Log(300) {
		t.Errorf("results %+v", results.Rows)
	}
	g.Documents = []int64{1 << 40}
	if err := g.WritePeers(t.Context(), t.TempDir()); err == nil {
		t.Error("more documents than there are: no error")
	}
}
