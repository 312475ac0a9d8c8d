package paper

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/corpus"
	"anchorage/model"
)

// C is the mean over the documents of (n·nᵀ − diag n)/(l·(l−1)), for counts n and length l.
func TestDenseCounts(t *testing.T) {
	d := openSmall(t)
	n := len(d.p)
	want, documents := make([]float64, n*n), 0
	err := d.corpus.Pass(t.Context(), func(docs *corpus.Documents) error {
		for at := range docs.Documents() {
			items, counts := docs.Row(at)
			length := int32(0)
			for _, c := range counts {
				length += c
			}
			pairs := float64(length) * float64(length-1)
			for i, a := range items {
				for j, b := range items {
					count := float64(counts[i]) * float64(counts[j])
					if a == b {
						count -= float64(counts[i])
					}
					want[int(a)*n+int(b)] += count / pairs
				}
			}
			documents++
		}
		return nil
	})
	if err != nil || int64(documents) != d.marginals.Documents {
		t.Fatalf("%d documents, want %d: %v", documents, d.marginals.Documents, err)
	}
	for i := range n {
		for j, v := range d.c.Row(i) {
			if math.Abs(v-want[i*n+j]/float64(documents)) > 1e-14 {
				t.Fatalf("C at %d, %d is %v, want %v", i, j, v, want[i*n+j]/float64(documents))
			}
		}
	}
}

// The means of a figure are those of its runs, counted by hand, and a pipeline without seeds has no deviation.
func TestFigureMeans(t *testing.T) {
	p := tinyPaper(writePaperData(t))
	p.Corpora, p.Figures, p.Topics, p.Pipelines, p.Seeds = []string{"retail"}, []string{Figure3}, []int{3}, []string{"ENN+LAW", randomised}, 3
	folder := writePaper(t, p)
	benchtest.Only(t, folder, "README.md", "figure3-iterations.csv", "figure3-runs.csv", "figure3.csv", "figure3.svg")
	runs, means := readCSV(t, filepath.Join(folder, "figure3-runs.csv")), readCSV(t, filepath.Join(folder, "figure3.csv"))
	if len(runs) != 1+1+3 || len(means) != 1+2 {
		t.Fatalf("%d runs, %d means", len(runs)-1, len(means)-1)
	}
	number := func(rows [][]string, row int, column string) float64 {
		var v float64
		if _, err := fmt.Sscan(rows[row][slices.Index(rows[0], column)], &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, m := range figure3Measures {
		if one := number(runs, 1, m.column); number(means, 1, m.column) != one || !math.IsNaN(number(means, 1, m.column+"_sd")) {
			t.Errorf("%s of a single run: %v", m.column, means[1])
		}
		sum, squares := 0.0, 0.0
		for row := 2; row <= 4; row++ {
			v := number(runs, row, m.column)
			sum, squares = sum+v, squares+v*v
		}
		mean := sum / 3
		deviation := math.Sqrt(max(squares-3*mean*mean, 0) / 2)
		if got := number(means, 2, m.column); math.Abs(got-mean) > 1e-9*math.Abs(mean) {
			t.Errorf("mean of %s is %v, want %v", m.column, got, mean)
		}
		if got := number(means, 2, m.column+"_sd"); math.Abs(got-deviation) > 1e-6*(deviation+math.Abs(mean)) {
			t.Errorf("deviation of %s is %v, want %v", m.column, got, deviation)
		}
	}
	seconds := number(runs, 1, "start_seconds") + number(runs, 1, "rectify_seconds") + number(runs, 1, "infer_seconds")
	if got := number(runs, 1, "log10_seconds"); math.Abs(got-math.Log10(seconds)) > 1e-9 {
		t.Errorf("log10 of %v s is %v", seconds, got)
	}
	chart := benchtest.Text(t, folder, "figure3.svg")
	benchtest.Says(t, "the chart", chart, ">ENN+LAW<", ">LR-JSMF<", ">Recovery<", ">Runtime (log10 s)<", ">Retail baskets, M = ")
	for _, absent := range []string{">AP+AW<", ">Relative recovery<", ">Sum of A<"} {
		if strings.Contains(chart, absent) {
			t.Errorf("the chart has %s", absent)
		}
	}
}

// Vocabularies beyond the corpus or the limit are not run, and those that are there are taken from earlier results alone.
func TestGrowVocabulary(t *testing.T) {
	p := tinyPaper(writePaperData(t)).filled()
	p.Sizes, p.GrowthTopics, p.GrowthSeeds, p.MaxItems = []int{80, 40, 5000}, []int{3}, 1, 60
	data, err := findSource("retail")
	if err != nil {
		t.Fatal(err)
	}
	from := reader{folder: p.Data, spill: t.TempDir(), workers: 2, log: slog.New(slog.DiscardHandler)}
	keys := slices.Concat(report.Texts("corpus"), report.Ints("items", "topics", "seed"), report.Texts("row_sums"))
	others := slices.Concat(report.Ints("documents", "iterations"), report.Floats(columnsOf(figure4Measures)...), report.Floats(columnsOf(figure42Measures)...),
		report.Floats("relative_recovery_standard_error", "largest_pivot", "sketch_seconds", "enn_seconds", "law_seconds"))
	all, err := report.NewRuns(nil, "figure4-runs", keys, others)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.growVocabulary(t.Context(), from, data, all); err != nil {
		t.Fatal(err)
	}
	if len(all.Rows) != 2 || len(all.Where("items", int64(40), "topics", int64(3), "row_sums", "exact")) != 1 || len(all.Where("row_sums", "published")) != 1 {
		t.Errorf("%v", all.Rows)
	}
	p.Reduced = map[string][]int{"retail": {5}}
	if err := p.growVocabulary(t.Context(), from, data, all); err != nil || len(all.Rows) != 2 {
		t.Errorf("a K that was taken away is run: %v, %v", all.Rows, err)
	}
}

// Baskets have no words: without a corpus of text there is neither table nor section.
func TestNoWords(t *testing.T) {
	p := tinyPaper(writePaperData(t))
	p.Corpora, p.Figures = []string{"retail"}, []string{Table1, Figure43}
	folder := writePaper(t, p)
	benchtest.Only(t, folder, "README.md")
	text := benchtest.Text(t, folder, "README.md")
	for _, absent := range []string{"## Table 1", "## Figure 4.3", "## In short", "figure3", ".csv` |"} {
		if strings.Contains(text, absent) {
			t.Errorf("README.md says %q:\n%s", absent, text)
		}
	}
	benchtest.Says(t, "README.md", text, "- the parts 2, 3, 4\n", "| Retail baskets | those of `reference/retail-n5000.items` | items by tf·idf among all")
}

// README.md lists what the folder holds, in a fixed order, and the summary before the sections.
func TestReadmeOrder(t *testing.T) {
	folder, err := report.NewFolder(filepath.Join(t.TempDir(), "results"))
	if err != nil {
		t.Fatal(err)
	}
	r := &results{Folder: folder, sources: sources[:3], short: []string{"- first", "- second", ""}}
	for _, name := range []string{"table1.csv", "figure4.svg", "figure4.csv"} {
		if err := folder.AddText(name, ""); err != nil {
			t.Fatal(err)
		}
	}
	r.sections.WriteString("\n## Table 1: words\n")
	text, last := Grid{}.filled().readme(r), -1
	for _, want := range []string{"| file | what it holds |", "| `figure4.csv` | Figure 4 of", "| `table1.csv` | Table 1 of", "\n![figure4](figure4.svg)\n",
		"\n## In short\n\n- first\n- second\n", "\n## Table 1: words\n", "\n## The grid\n", "\n## What was run\n", "| NIPS papers |", "| Retail baskets |", "| Wikipedia |", "- **LR-JSMF**"} {
		at := strings.Index(text, want)
		if at <= last {
			t.Errorf("%q is at %d, after %d:\n%s", want, at, last, text)
		}
		last = at
	}
	if strings.Contains(text, "figure3.csv") || strings.Contains(text, "figure3.svg") || strings.Contains(text, "figure4-runs") {
		t.Error("README.md names a file that is not there")
	}
}

// Only the K that both pipelines were run with count, and several seeds count by their mean.
func TestCompare(t *testing.T) {
	all := runsTable()
	all.Add("nips", "LR-JSMF", "yes", int64(10), 1.5, 2.0, 4.0, 8.0, 16.0, 0.0)
	all.Add("nips", "LR-JSMF", "yes", int64(10), 2.5, 2.0, 4.0, 8.0, 12.0, 0.0)
	all.Add("nips", "LR-JSMF", "no", int64(25), 9.0, 9.0, 9.0, 9.0, 9.0, 9.0)
	compared := []string{"recovery", "relative_approximation", "dissimilarity"}
	if got, want := compare(all, "nips", "AP+AW", "LR-JSMF", compared), "| nips | LR-JSMF | AP+AW | 10 | 100.0 % | 0.0 % | 12.5 % | 100.0 |"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := compare(all, "nips", "PALM+LAW", "LR-JSMF", compared); got != "" {
		t.Errorf("compared with nothing: %s", got)
	}
	if got := compare(all, "wiki", "AP+AW", "LR-JSMF", compared); got != "" {
		t.Errorf("a corpus that was not run: %s", got)
	}
	if got := unfinished(all); len(got) != 2 || !strings.Contains(got[0], "of AP+AW still moved by more than 1e-4 after its iterations in 2 of 2 runs") || !strings.Contains(got[1], "of LR-JSMF still moved by more than 1e-4 after its iterations in 1 of 3 runs") {
		t.Errorf("%q", got)
	}
	// A line has a point per K that was run, with a bar over seeds.
	list := pipelineSeries(all, "nips", "recovery", []float64{5, 10, 25})
	if len(list) != 3 || list[0].Name != "AP+AW" || list[1].Name != "ENN+LAW" || list[2].Name != "LR-JSMF" || list[2].Style != 3 {
		t.Fatalf("%+v", list)
	}
	if got := list[2].Points; len(got) != 2 || got[0] != report.At(10, report.MeanOf([]float64{1.5, 2.5})) || got[1] != (report.Point{X: 25, Y: 9}) {
		t.Errorf("%+v", got)
	}
	if len(list[0].Points) != 2 || list[0].Points[1] != (report.Point{X: 10, Y: 1}) {
		t.Errorf("%+v", list[0].Points)
	}
}

// A figure that is not known stays so: it is no number in the comparison, and no point in the chart.
func TestGrowthUnknown(t *testing.T) {
	all := growthRuns()
	at := slices.IndexFunc(all.Columns, func(c report.Column) bool { return c.Name == "relative_recovery" })
	for _, row := range all.Rows {
		if row[1] == int64(1000) {
			row[at] = math.NaN()
		}
	}
	lines := strings.Join(growth(all), "\n")
	benchtest.Says(t, "the comparison", lines, "| nips | exact | 100 → 1000 | 122.7 → 1023 | 122.7 → 1023 | 122.7 → – |")
	chart := report.Chart{Rows: rows(sources, all, layout{measures: figure4Measures, x: "items", label: "N", series: growthSeries,
		title: func(data source, _ [][]any) string { return data.title }})}
	var svg strings.Builder
	if err := chart.Write(&svg); err != nil || strings.Contains(svg.String(), "NaN") {
		t.Errorf("the chart: %v", err)
	}
	for _, name := range []string{"K = 5–10, exact row sums", "K = 5–10, published row sums", "K = 50, exact row sums", "K = 50, published row sums", "NIPS papers"} {
		if got := strings.Count(svg.String(), ">"+name+"<"); got != 1 {
			t.Errorf("%s stands in the chart %d times", name, got)
		}
	}
	// One vocabulary is the smallest and the largest.
	one := growthRuns()
	one.Rows = one.Where("items", int64(100), "topics", int64(5), "seed", int64(0))
	benchtest.Says(t, "the comparison", strings.Join(growth(one), "\n"), "| nips | exact | 100 → 100 | 105 → 105 |", "| nips | published | 100 → 100 | 115 → 115 |")
}

// Errors name what is wrong and what there is.
func TestCheckNames(t *testing.T) {
	for want, p := range map[string]Grid{
		`there is no corpus "news": there are nips, retail, wiki, nytimes, movies and songs`: {Corpora: []string{"nips", "news"}},
		`there is no figure "5": there are 2, 3, 4, table1, 4.3`:                             {Figures: []string{"3", "5"}},
		`there is no pipeline "LDA": there are AP+AW, PALM+LAW,`:                             {Pipelines: []string{"LDA"}},
		"at least 2 topics, not 1":                                                           {GrowthTopics: []int{5, 1}},
		"at least 2 topics, not -3":                                                          {Reduced: map[string][]int{"wiki": {-3}}},
		"at least 1 item, not -1":                                                            {Sizes: []int{10, -1}},
		`"LDA" is neither a corpus nor a pipeline: there are nips, retail, wiki, nytimes`:    {Reduced: map[string][]int{"LDA": {5}}},
		"numbers of seeds and items cannot be negative":                                      {MaxItems: -1},
	} {
		err := p.Check()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if err := p.Write(t.Context(), filepath.Join(t.TempDir(), "results")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Write does not check: %v", err)
		}
	}
}

// Earlier results must be there and be of this table.
func TestEarlierFails(t *testing.T) {
	p := tinyPaper(writePaperData(t))
	p.Figures, p.Corpora = []string{Figure3}, []string{"retail"}
	root, earlier := t.TempDir(), t.TempDir()
	p.Earlier = []string{filepath.Join(earlier, "nothing")}
	if err := p.Write(t.Context(), filepath.Join(root, "results")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	if err := os.WriteFile(filepath.Join(earlier, "figure3-runs.csv"), []byte("corpus,items\nretail,5\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p.Earlier = []string{earlier}
	var input *model.InputError
	if err := p.Write(t.Context(), filepath.Join(root, "results")); !errors.As(err, &input) || !strings.Contains(err.Error(), "does not have the columns of figure3-runs") {
		t.Errorf("another table: %v", err)
	}
	benchtest.Only(t, root)
}
