package refining

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/bench/internal/benchtest"
	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/shard"
	"anchorage/stream"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// grid returns a grid with a drawn corpus in its folder.
func grid(t *testing.T) *Grid {
	t.Helper()
	folder := t.TempDir()
	shards := filepath.Join(folder, "drawn")
	if err := os.Mkdir(shards, 0o755); err != nil {
		t.Fatal(err)
	}
	drawn := synth.Model{Items: 300, Topics: 4, Documents: 1500, Tokens: 40, Concentration: 0.1, Seed: 1}.Plant()
	if _, err := drawn.WriteShards(t.Context(), shards, 2); err != nil {
		t.Fatal(err)
	}
	return &Grid{Data: folder, Corpora: []string{"drawn"}, Topics: 4, Holds: []float64{1, 4}, Log: slog.New(slog.DiscardHandler)}
}

// A grid has a row for every setting. Refinement for prediction makes held-out documents more likely. What is there is not made again.
func TestWrite(t *testing.T) {
	g, results := grid(t), filepath.Join(t.TempDir(), "results")
	if err := g.Write(t.Context(), results); err != nil {
		t.Fatal(err)
	}
	records, err := runLog.Read(results)
	if err != nil {
		t.Fatal(err)
	}
	var made []string
	for i, r := range records {
		made = append(made, r.Setting)
		if r.Held != 150 || r.Documents > 1350 || r.Documents < 1000 || r.Tokens < 1000 || r.Tokens > 150*40/2 {
			t.Errorf("%s: %d documents of %d, %d tokens", r.Setting, r.Held, r.Documents, r.Tokens)
		}
		if !(r.LogLikelihood < 0 && r.LogLikelihood > -math.Log(300)) || !(r.NPMI > 0 && r.NPMI < 1) || r.Diversity < 0.5 || r.Seconds <= 0 {
			t.Errorf("%+v", r)
		}
		if refined := r.Setting != none; refined != (r.Passes > 0) || refined == math.IsNaN(r.Burstiness) {
			t.Errorf("%s: %d passes, burstiness %v", r.Setting, r.Passes, r.Burstiness)
		}
		if i > 0 && slices.ContainsFunc(records[:i], func(o Record) bool { return o.LogLikelihood == r.LogLikelihood }) {
			t.Errorf("%+v is that of another setting", r)
		}
	}
	if !slices.Equal(made, []string{none, reading, reading, prediction}) || records[3].LogLikelihood <= records[0].LogLikelihood {
		t.Errorf("%q: ln p is %v before and %v after the refinement for prediction", made, records[0].LogLikelihood, records[3].LogLikelihood)
	}
	benchtest.Only(t, results, "README.md", "refine-drawn-4.svg", "runs.csv", "stages.csv")
	benchtest.Results(t, results)
	benchtest.Says(t, "README.md", benchtest.Text(t, results, "README.md"), "## drawn, K = 4", "| none | – | ", "| reading | 4 | ", "| prediction | – | ")
	before := benchtest.Text(t, results, "runs.csv")
	g.Holds = []float64{4, 2}
	if err := g.Write(t.Context(), results); err != nil {
		t.Fatal(err)
	}
	after := benchtest.Text(t, results, "runs.csv")
	if rest, ok := strings.CutPrefix(after, before); !ok || strings.Count(rest, "\n") != 1 || !strings.HasPrefix(rest, "drawn,4,reading,2,") {
		t.Errorf("%s became %s", before, after)
	}
}

// Every tenth document is held out and not learned from, and a third of its tokens is scored.
func TestDivide(t *testing.T) {
	g := grid(t)
	of, err := divide(t.Context(), filepath.Join(g.Data, "drawn"), seed, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer of.Learning.Close()
	sum := func(docs *corpus.Documents) (n int32) {
		for _, c := range docs.Counts {
			n += c
		}
		return n
	}
	whole, err := stream.Open(t.Context(), must(shard.Discover(t.Context(), []string{filepath.Join(g.Data, "drawn")}, shard.Options{})), corpus.Options{NoPrune: true})
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	number, wanted, learned := 0, int32(0), int32(0)
	if err := whole.Pass(t.Context(), func(docs *corpus.Documents) error {
		for d := range docs.Documents() {
			items, counts := docs.Row(d)
			number++
			for i, item := range items {
				if _, ok := of.Learning.Vocabulary.Lookup([]byte(whole.Vocabulary.ID(int(item)))); !ok {
					continue
				}
				if number%10 == 0 {
					wanted += counts[i]
				} else {
					learned += counts[i]
				}
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	test, held, read := sum(of.Test), sum(of.Held), int32(0)
	if err := of.Learning.Pass(t.Context(), func(docs *corpus.Documents) error { read += sum(docs); return nil }); err != nil {
		t.Fatal(err)
	}
	if of.Test.Documents() != 150 || math.Abs(float64(held)/float64(test+held)-1./3) > 0.02 {
		t.Errorf("%d documents, of which %d tokens say mixtures and %d are scored", of.Test.Documents(), test, held)
	}
	// Documents that are too short for their kind are not learned from, and one of a single token is not tested.
	if test+held > wanted || test+held < wanted-150 || read > learned || read < learned*9/10 {
		t.Errorf("%d tokens of %d are tested, %d of %d learned from", test+held, wanted, read, learned)
	}
}

// Another program's topics are scored like ours; one that is not there is passed over.
func TestPeers(t *testing.T) {
	g, results := grid(t), filepath.Join(t.TempDir(), "results")
	g.Holds, g.Python = nil, filepath.Join(t.TempDir(), "python")
	// The program answers what is fixed, once the documents are where it finds them.
	answer := `#!/bin/sh
set -e
test "$5" -gt 200 && test "$6" -eq 4
test -s "$3/train.txt"
test "$(wc -l < "$3/test.txt")" -eq 150
test "$2" = sklearn-lda || { echo no gensim >&2; exit 3; }
echo '{"log_likelihood":-4.5,"impossible":0.25,"tokens":2000,"lists":[[0,1],[2,3],[4,5],[0,1]]}' > "$4"
echo '{"stages":[{"name":"learn","seconds":3,"cpu_seconds":2}],"passes":5,"program":"other 1.0"}'
`
	if err := os.WriteFile(g.Python, []byte(answer), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := g.Write(t.Context(), results); err != nil {
		t.Fatal(err)
	}
	records, err := runLog.Read(results)
	if err != nil || len(records) != 3 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	r := records[2]
	if r.Setting != sklearn || r.LogLikelihood != -4.5 || r.Impossible != 0.25 || r.Tokens != 2000 || r.Passes != 5 || r.Seconds != 3 || r.Diversity != 0.75 || r.Program != "other 1.0" {
		t.Errorf("%+v", r)
	}
}

// A grid that ends early has the runs that were made, and says why it ended.
func TestEnds(t *testing.T) {
	g, results := grid(t), filepath.Join(t.TempDir(), "results")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.Write(ctx, results); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	benchtest.Only(t, results)
	for what, change := range map[string]func(*Grid){
		"--data":            func(g *Grid) { g.Data = "" },
		"--corpora":         func(g *Grid) { g.Corpora = []string{"../drawn"} },
		"at least 2 topics": func(g *Grid) { g.Topics = 1 },
		"--hold":            func(g *Grid) { g.Holds = []float64{0} },
	} {
		g := grid(t)
		change(g)
		if err := g.Check(); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
