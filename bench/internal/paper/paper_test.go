package paper

import (
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/internal/synth"
)

// writePaperData lays a folder out like that of the real data, with two tiny corpora.
func writePaperData(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	docs, _ := synth.Model{Items: 120, Topics: 6, Documents: 300, Tokens: 60, Concentration: 0.1, Seed: 1}.Draw()
	var docword, words, baskets, dictionary, basketItems strings.Builder
	fmt.Fprintf(&docword, "%d\n120\n%d\n", docs.Documents(), docs.Entries())
	for d := range docs.Documents() {
		items, counts := docs.Row(d)
		for i, item := range items {
			fmt.Fprintf(&docword, "%d %d %d\n", d+1, item+1, counts[i])
			baskets.WriteString(strings.Repeat(fmt.Sprintf("%d ", item), int(counts[i])))
		}
		baskets.WriteByte('\n')
	}
	for i := range 120 {
		fmt.Fprintf(&words, "word%d\n", i)
		if i != 5 && i != 7 { // they are stop words
			fmt.Fprintf(&dictionary, "word%d\n", i)
		}
		if i < 80 {
			fmt.Fprintf(&basketItems, "%d\n", i)
		}
	}
	write := func(name, text string) {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		err := durable.WriteFile(path, func(w io.Writer) error {
			if !strings.HasSuffix(name, ".gz") {
				_, err := io.WriteString(w, text)
				return err
			}
			z := gzip.NewWriter(w)
			if _, err := io.WriteString(z, text); err != nil {
				return err
			}
			return z.Close()
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	write("data/nips/docword.nips.txt.gz", docword.String())
	write("data/nips/vocab.nips.txt", words.String())
	write("data/retail/retail.dat.gz", baskets.String())
	write("reference/nips-n5000.dict", dictionary.String())
	write("reference/retail-n5000.items", basketItems.String())
	return folder
}

func tinyPaper(folder string) Grid {
	return Grid{Data: folder, Corpora: []string{"nips", "retail"}, Topics: []int{3, 5}, Seeds: 2, Sizes: []int{40, 80, 1000},
		Reduced: map[string][]int{"AP+AW": {3}}, Base: 60}
}

// writePaper returns the folder that a run was written to.
func writePaper(t *testing.T, p Grid) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "results")
	if err := p.Write(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	benchtest.Only(t, filepath.Dir(path), "results")
	benchtest.Results(t, path)
	return path
}

func readCSV(t *testing.T, path string) [][]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestPaper(t *testing.T) {
	folder := writePaperData(t)
	first := writePaper(t, tinyPaper(folder))
	names := []string{"figure2.csv", "figure2-hulls.csv", "figure3.csv", "figure3-runs.csv", "figure3-iterations.csv", "palm-runs.csv", "palm-iterations.csv", "figure4.csv", "figure4-runs.csv", "table1.csv", "figure4.3.csv"}
	benchtest.Only(t, first, append([]string{"README.md", "figure2.svg", "figure3.svg", "figure4.svg", "figure4.2.svg"}, names...)...)
	// Two corpora; AP with one K, PALM, iPALM and ENN with two, LR-JSMF with two and two seeds.
	if got, want := len(readCSV(t, filepath.Join(first, "figure3-runs.csv")))-1, 2*(1+2+2+2+2*2); got != want {
		t.Errorf("figure 3 has %d runs, want %d", got, want)
	}
	// Two corpora, sizes 40, 80 and all, two K, two seeds, two forms of row sums.
	if got, want := len(readCSV(t, filepath.Join(first, "figure4-runs.csv")))-1, 2*3*2*2*2; got != want {
		t.Errorf("figure 4 has %d runs, want %d", got, want)
	}
	if rows := readCSV(t, filepath.Join(first, "table1.csv")); len(rows)-1 != wordTopics*wordCount*2 {
		t.Errorf("table 1 has %d rows", len(rows)-1)
	}
	t.Run("earlier", func(t *testing.T) {
		p := tinyPaper(folder)
		p.Earlier = []string{first}
		p.Figures = []string{Figure3, Figure4}
		again := writePaper(t, p)
		for _, name := range []string{"figure3-runs.csv", "figure3-iterations.csv", "palm-runs.csv", "palm-iterations.csv", "figure4-runs.csv", "figure3.csv", "figure4.csv", "figure3.svg", "figure4.svg", "figure4.2.svg"} {
			if benchtest.Text(t, first, name) != benchtest.Text(t, again, name) {
				t.Errorf("%s differs where all runs were taken over", name)
			}
		}
		benchtest.Says(t, "README.md", benchtest.Text(t, again, "README.md"), "- 22 of the 22 rows of `figure3-runs.csv` come from earlier results",
			"- 48 of the 48 rows of `figure4-runs.csv`", "the parts 2, table1, 4.3")
	})
	t.Run("deterministic", func(t *testing.T) {
		p := tinyPaper(folder)
		p.Workers = 1
		second := writePaper(t, p)
		for _, name := range names {
			compareNumbers(t, name, readCSV(t, filepath.Join(first, name)), readCSV(t, filepath.Join(second, name)))
		}
	})
	t.Run("readme", func(t *testing.T) {
		text := benchtest.Text(t, first, "README.md")
		benchtest.Says(t, "README.md", text, tinyPaper(folder).Command(), "figure4.3", "wiki", "for AP+AW all K but 3", "## Table 1: topics",
			"### NIPS papers, N = 118", "## Figure 4.3: words lost and gained", "(base)**", "| nips | ENN+LAW | AP+AW | 3 |", "vocabularies of 1250")
		if strings.Contains(text, folder) {
			t.Error("README.md names a folder of this machine")
		}
	})
}

// compareNumbers fails where two tables differ in anything but times.
func compareNumbers(t *testing.T, name string, a, b [][]string) {
	t.Helper()
	if len(a) != len(b) {
		t.Fatalf("%s: %d and %d rows", name, len(a), len(b))
	}
	for r := range a {
		for c := range a[r] {
			if !strings.Contains(a[0][c], "seconds") && a[r][c] != b[r][c] {
				t.Errorf("%s: row %d, %s: %s and %s", name, r, a[0][c], a[r][c], b[r][c])
			}
		}
	}
}

func TestGroupTopics(t *testing.T) {
	var names []string
	for _, group := range groupTopics([]int64{5, 10, 15, 20, 25, 50, 75, 100, 200}) {
		names = append(names, group.name)
	}
	if want := []string{"K = 5–15", "K = 20–25", "K = 50", "K = 75–100", "K = 200"}; !slices.Equal(names, want) {
		t.Errorf("groups are %q, want %q", names, want)
	}
}

func TestLostWords(t *testing.T) {
	vocabulary := func(ids ...string) *corpus.Vocabulary {
		v := corpus.NewVocabulary()
		for _, id := range ids {
			v.Intern([]byte(id))
		}
		return v
	}
	p := tinyPaper(writePaperData(t)).filled()
	data, err := findSource("nips")
	if err != nil {
		t.Fatal(err)
	}
	base, err := p.fitWords(t.Context(), reader{folder: p.Data, spill: t.TempDir(), log: p.Log}, data, 60)
	if err != nil {
		t.Fatal(err)
	}
	step := lostWords(base, vocabulary("word1", "word2", "word3"), vocabulary("word2"))
	for k, words := range step.changes {
		for _, c := range words {
			if c.word != "word1" && c.word != "word3" {
				t.Errorf("topic %d loses %s", k, c.word)
			}
		}
	}
	same, overlap := matchTopics(base, base)
	for k, other := range same {
		if other != k || math.Abs(overlap[k]-1) > 1e-9 {
			t.Errorf("topic %d goes with %d, overlap %v", k, other, overlap[k])
		}
	}
}

func TestPaperCheck(t *testing.T) {
	for _, p := range []Grid{{Corpora: []string{"news"}}, {Figures: []string{"5"}}, {Pipelines: []string{"LDA"}}, {Topics: []int{1}},
		{Sizes: []int{0}}, {Reduced: map[string][]int{"LDA": {5}}}, {Seeds: -1}} {
		if p.Check() == nil {
			t.Errorf("%+v passes", p)
		}
	}
	if err := (Grid{}).Check(); err != nil {
		t.Error(err)
	}
}

func TestCommand(t *testing.T) {
	p := Grid{Data: "/secret", Corpora: []string{"nips"}, Topics: []int{5, 10}, Reduced: map[string][]int{"wiki": {5}, "AP+AW": {5, 10}}, GrowthSeeds: 1, MaxItems: 99}
	want := "go run ./bench paper --data DATA -o RESULTS --corpora nips --topics 5,10 --reduced wiki=5 --reduced AP+AW=5:10 --max-items 99 --growth-seeds 1"
	if got := p.Command(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := (Grid{}).Command(); got != "go run ./bench paper --data DATA -o RESULTS" {
		t.Errorf("the full grid is %s", got)
	}
}

// A run that cannot go on leaves nothing, and results that are there stay.
func TestPaperFails(t *testing.T) {
	folder, root := writePaperData(t), t.TempDir()
	p := tinyPaper(folder)
	p.Corpora = []string{"wiki"} // which is not there
	if err := p.Write(t.Context(), filepath.Join(root, "results")); err == nil || !strings.Contains(err.Error(), "figure 2, wiki") {
		t.Errorf("%v", err)
	}
	benchtest.Only(t, root)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p.Corpora = []string{"retail"}
	if err := p.Write(ctx, filepath.Join(root, "results")); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted run: %v", err)
	}
	benchtest.Only(t, root)
	if err := p.Write(t.Context(), root); !errors.Is(err, durable.ErrExists) {
		t.Errorf("%v", err)
	}
}

// runsTable returns runs of two pipelines, of which the second is half as far off and ten times as fast.
func runsTable() *report.Table {
	columns := append(report.Texts("corpus", "pipeline", "converged"), report.Ints("topics")...)
	columns = append(columns, report.Floats("recovery", "relative_approximation", "relative_dominancy", "specificity_nats", "dissimilarity", "log10_seconds")...)
	t := report.NewTable("runs", columns)
	for _, k := range []int64{5, 10} {
		t.Add("nips", "AP+AW", "no", k, 1.0, 2.0, 4.0, 8.0, 16.0, 2.0)
		t.Add("nips", "ENN+LAW", "yes", k, 0.5, 1.0, 2.0, 4.0, 8.0, 1.0)
	}
	return t
}

func TestAgreement(t *testing.T) {
	lines := strings.Join(agreement(runsTable()), "\n")
	benchtest.Says(t, "the comparison", lines, "| nips | ENN+LAW | AP+AW | 5, 10 | 50.0 % | 50.0 % | 50.0 % | 50.0 % | 50.0 % | 10.0 |")
	if got := unfinished(runsTable()); len(got) != 1 || !strings.Contains(got[0], "AP+AW") || !strings.Contains(got[0], "2 of 2 runs") {
		t.Errorf("%q", got)
	}
	alone := runsTable()
	alone.Rows = alone.Rows[:1]
	if got := agreement(alone); got != nil {
		t.Errorf("a pipeline is compared with nothing: %q", got)
	}
}

func TestEmphasize(t *testing.T) {
	words, others := []string{"a", "b", "c"}, []string{"c", "d", "a"}
	if got := emphasize(words, others); got != "a **b** c" {
		t.Errorf("%s", got)
	}
	if got := countShared(words, others); got != 2 {
		t.Errorf("%d words are shared", got)
	}
}
