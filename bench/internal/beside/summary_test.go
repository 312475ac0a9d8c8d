package beside

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"anchorage/bench/internal/benchtest"
	"anchorage/model"
)

// record returns the record of a run that ended in some way.
func record(corpus string, vocabulary int, system string, repeat int, ended status, seconds, npmi float64) Record {
	r := Record{Run: Run{corpus, vocabulary, 50, system, repeat}, Status: string(ended), Items: vocabulary, Documents: 900, Entries: 5000,
		Seconds: seconds, Wall: seconds + 1, WholeCPU: seconds + 2, PeakBytes: 5e6, Threads: 2, TimeLimit: 180, MemoryLimit: 4e9, Started: time.Unix(0, 0), Scores: noScores()}
	if ended == made {
		r.NPMI = npmi
	}
	return r
}

// examples are runs of three systems, one of which fails with more items, and one of which is not there.
func examples() []Record {
	return []Record{
		record("wiki", 100, Ours, 1, made, 3, 0.3), record("wiki", 100, "sklearn-svd", 1, made, 2, 0.1), record("wiki", 100, "sklearn-lda", 1, late, 180, 0),
		record("wiki", 100, "sklearn-lda-default", 1, made, 50, 0.2), record("wiki", 100, "jsmf", 1, absent, 0, 0),
		record("wiki", 200, Ours, 1, made, 9, 0.30), record("wiki", 200, Ours, 2, made, 5, 0.31), record("wiki", 200, Ours, 3, made, 7, 0.32),
		record("wiki", 200, "sklearn-nmf", 1, made, 8, 0.35), record("wiki", 200, "sklearn-svd", 1, memory, 4, 0),
		record("wiki", 200, "sklearn-lda", 1, beyond, 0, 0), record("wiki", 200, "sklearn-lda-default", 1, made, 60, 0.2),
		record("wiki", 400, Ours, 1, late, 180, 0), record("wiki", 400, "sklearn-nmf", 1, made, 20, 0.4),
	}
}

// The summary is of the most items with which ours found topics. It says who failed where, and who is better.
func TestSummary(t *testing.T) {
	folder := t.TempDir()
	results := filepath.Join(folder, "results")
	if err := os.Mkdir(results, 0o755); err != nil {
		t.Fatal(err)
	}
	document := filepath.Join(folder, "README.md")
	const before, after = "# Title\n\n<!-- peers: by this -->\n", "<!-- /peers -->\n\nThe end.\n"
	if err := os.WriteFile(document, []byte(before+"old\n"+after), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := WriteSummary(document, results); err != nil {
		t.Fatal(err)
	}
	benchtest.Says(t, "the document without results", benchtest.Text(t, document), before+"\nNot measured yet.\n\n"+after)
	for _, r := range examples() {
		if err := runLog.Put(results, &r); err != nil {
			t.Fatal(err)
		}
	}
	if err := Rewrite(results); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time changes nothing
		if err := WriteSummary(document, results); err != nil {
			t.Fatal(err)
		}
	}
	text := benchtest.Text(t, document)
	if !strings.HasPrefix(text, before) || !strings.HasSuffix(text, after) || strings.Contains(text, "old") {
		t.Errorf("the rest has changed:\n%s", text)
	}
	benchtest.Says(t, "the document", text,
		"| anchorage | out of time, N = 400 | 7 | 9 | 5 | 0.310 |", "| sklearn-nmf |  | 8 | 10 | 5 | 0.350 |", "| sklearn-svd | out of memory, N = 200 | – |",
		"| sklearn-lda | out of time, N = 100 | – |", "| sklearn-lda-default |  | 60 |",
		"- **NPMI**, 0.310 here: sklearn-nmf (0.350). "+lightWords, "![wiki: time and memory against N](results/cost-wiki.svg)", "(results/README.md)", "3m0s and 4 GB", "N = 200 items")
	if strings.Contains(text, "jsmf") || strings.Contains(text, "**seconds**") {
		t.Errorf("it has a system that is not there, or a slower one:\n%s", text)
	}
	for _, err := range benchtest.Links(document) {
		t.Error(err)
	}
	benchtest.Results(t, results)
	if err := os.WriteFile(document, []byte("# Title\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := WriteSummary(document, results); err == nil || !strings.Contains(err.Error(), "no part between") {
		t.Errorf("a document without marks: %v", err)
	}
}

// The results name the best system of each figure, the better ones, and the stages.
func TestBest(t *testing.T) {
	groups := groupsOf(examples())
	var b strings.Builder
	for _, g := range groups {
		if g.run.Vocabulary == 200 {
			g.records[0].Stages = append(g.records[0].Stages, model.StageTime{Name: "fit", Seconds: 1.5, CPU: 2.5})
		}
	}
	writeCorpus(&b, groups)
	benchtest.Says(t, "the tables", b.String(), "| NPMI | sklearn-nmf (0.350) | 0.310 | sklearn-nmf (0.350) |", "| seconds | anchorage (7) | 7 | none |",
		"| seconds | sklearn-svd (2) | 3 | sklearn-svd (2) |", "| NPMI | sklearn-nmf (0.400) | – |  |", "| sklearn-nmf | fit 1.5 / 2.5 |", "5 – 7 – 9")
	if r := rank(groups[:1], npmi); !math.IsNaN(r.own) && len(r.better()) > 0 {
		t.Errorf("%+v", r)
	}
}

// Where a limit ended a system, its line in the charts of costs ends with what it had taken.
func TestEnds(t *testing.T) {
	groups := groupsOf(examples())
	for _, line := range lines(groups, 50, seconds) {
		want := map[string]int{Ours: 1, "sklearn-lda": 1, "sklearn-svd": 1}[line.Name]
		if len(line.Ends) != want {
			t.Errorf("%s has %d ends, want %d", line.Name, len(line.Ends), want)
		}
		if line.Name == "sklearn-svd" && (line.Ends[0].X != 200 || line.Ends[0].Y != 5) {
			t.Errorf("%+v", line.Ends)
		}
	}
	for _, line := range lines(groups, 50, npmi) {
		if len(line.Ends) > 0 {
			t.Errorf("the quality of %s has an end", line.Name)
		}
	}
}

// Every reason is of a figure that is ranked.
func TestReasons(t *testing.T) {
	for kind, list := range reasons {
		for name := range list {
			known := false
			for _, f := range figures {
				known = known || f.name == name && f.better != 0
			}
			if !known {
				t.Errorf("kind %d has a reason for %q", kind, name)
			}
		}
	}
}
