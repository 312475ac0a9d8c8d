package bench

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/internal/synth"
	"anchorage/shard"
)

// writePaperData lays a folder out like that of the real data, with two tiny corpora.
func writePaperData(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	docs, _ := synth.Model{Items: 120, Topics: 6, Documents: 300, Tokens: 60, Concentration: 0.1, Seed: 1}.Draw()
	var docword, words, baskets, dictionary strings.Builder
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
		if i < 80 {
			fmt.Fprintf(&dictionary, "word%d\n", i)
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
	write("reference/retail-n5000.items", strings.ReplaceAll(dictionary.String(), "word", ""))
	return folder
}

func tinyPaper(folder string) Paper {
	return Paper{Data: folder, Corpora: []string{"nips", "retail"}, Topics: []int{3, 5}, Seeds: 2, Sizes: []int{40, 80, 1000},
		Reduced: map[string][]int{"AP+AW": {3}}, Base: 60}
}

// writePaper returns the folder that a run was written to.
func writePaper(t *testing.T, p Paper) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "results")
	dir, err := durable.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Abort()
	if err := p.Write(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
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
	var names []string
	for _, name := range []string{"figure3", "figure3-runs", "figure4", "figure4-runs", "table1", "figure4.3"} {
		for _, ending := range []string{".parquet", ".csv", ".md"} {
			names = append(names, name+ending)
		}
	}
	for _, name := range append(names, "figure3.svg", "figure4.svg", "README.md", durable.Success) {
		if info, err := os.Stat(filepath.Join(first, name)); err != nil || info.Size() == 0 && name != durable.Success {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Two corpora; AP with one K, PALM and ENN with two, LR-JSMF with two and two seeds.
	if got, want := len(readCSV(t, filepath.Join(first, "figure3-runs.csv")))-1, 2*(1+2+2+2*2); got != want {
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
		for _, name := range []string{"figure3-runs.csv", "figure4-runs.csv", "figure3.csv", "figure4.csv", "figure3.svg", "figure4.svg"} {
			if !equalFiles(t, filepath.Join(first, name), filepath.Join(again, name)) {
				t.Errorf("%s differs where all runs were taken over", name)
			}
		}
	})
	t.Run("deterministic", func(t *testing.T) {
		p := tinyPaper(folder)
		p.Workers = 1
		second := writePaper(t, p)
		for _, name := range names {
			if strings.HasSuffix(name, ".csv") {
				compareNumbers(t, name, readCSV(t, filepath.Join(first, name)), readCSV(t, filepath.Join(second, name)))
			}
		}
	})
	t.Run("readme", func(t *testing.T) {
		text, err := os.ReadFile(filepath.Join(first, "README.md"))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{tinyPaper(folder).Command(), "figure4.3", "wiki", "for AP+AW all K but 3"} {
			if !strings.Contains(string(text), want) {
				t.Errorf("README.md does not say %q", want)
			}
		}
		if strings.Contains(string(text), folder) {
			t.Error("README.md names a folder of this machine")
		}
	})
}

func equalFiles(t *testing.T, a, b string) bool {
	t.Helper()
	one, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(one) == string(other)
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

func TestTableForms(t *testing.T) {
	fields := []shard.Field{{Name: "name", Type: shard.String}, {Name: "count", Type: shard.Int64}, {Name: "value", Type: shard.Float64}}
	table := newTable("forms", fields...)
	values := []float64{1.0 / 3, -1e-300, 0, math.Inf(-1), 12345678.9, math.NaN()}
	for i, v := range values {
		table.add(fmt.Sprintf("a|b,%d", i), int64(i), v)
	}
	dir, err := durable.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Abort()
	if err := table.save(dir); err != nil {
		t.Fatal(err)
	}
	rows := readCSV(t, filepath.Join(dir.Path(), "forms.csv"))[1:]
	seen := 0
	err = shard.ReadTable(filepath.Join(dir.Path(), "forms.parquet"), fields, func(first int64, columns []any) error {
		for i, name := range columns[0].([]string) {
			row := rows[int(first)+i]
			value, err := strconv.ParseFloat(row[2], 64)
			if err != nil {
				return err
			}
			same := math.Float64bits(value) == math.Float64bits(columns[2].([]float64)[i]) || math.IsNaN(value) && math.IsNaN(columns[2].([]float64)[i])
			if row[0] != name || row[1] != strconv.FormatInt(columns[1].([]int64)[i], 10) || !same {
				t.Errorf("row %d: CSV has %v, Parquet %q, %d, %v", i, row, name, columns[1].([]int64)[i], columns[2].([]float64)[i])
			}
			seen++
		}
		return nil
	})
	if err != nil || seen != len(values) {
		t.Errorf("%d rows, %v", seen, err)
	}
}

func TestReadable(t *testing.T) {
	for value, want := range map[any]string{0.023941523: "0.02394", -217.017: "−217", 123456.7: "123457", math.Inf(-1): "−∞", int64(7): "7", "x": "x"} {
		if got := readable(value); got != want {
			t.Errorf("%v reads %q, want %q", value, got, want)
		}
	}
	if got := readable(math.NaN()); got != "–" {
		t.Errorf("a missing value reads %q", got)
	}
}

func TestSummarize(t *testing.T) {
	table := newTable("runs", shard.Field{Name: "kind", Type: shard.String}, shard.Field{Name: "value", Type: shard.Float64})
	for _, v := range []float64{1, 2, 3} {
		table.add("many", v)
	}
	table.add("one", 5.0)
	summary := table.summarize("means", []string{"kind"}, []measure{{"value", ""}})
	if got := fmt.Sprint(summary.rows); got != "[[many 3 2 1] [one 1 5 NaN]]" {
		t.Errorf("summary is %s", got)
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
	data, err := findPaperData("nips")
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
	for _, p := range []Paper{{Corpora: []string{"news"}}, {Figures: []string{"5"}}, {Pipelines: []string{"LDA"}}, {Topics: []int{1}},
		{Sizes: []int{0}}, {Reduced: map[string][]int{"LDA": {5}}}, {Seeds: -1}} {
		if p.Check() == nil {
			t.Errorf("%+v passes", p)
		}
	}
	if err := (Paper{}).Check(); err != nil {
		t.Error(err)
	}
}
