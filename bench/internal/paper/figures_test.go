package paper

import (
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"

	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/matrix"
	"anchorage/rectify"
)

// openSmall opens the corpus of Figure 3 of a drawn folder.
func openSmall(t *testing.T) *denseCorpus {
	t.Helper()
	data, err := findSource("nips")
	if err != nil {
		t.Fatal(err)
	}
	r := reader{folder: writePaperData(t), spill: t.TempDir(), workers: 2, log: slog.New(slog.DiscardHandler)}
	d, err := r.openDense(t.Context(), data, 60)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.corpus.Close() })
	return d
}

// C sums to 1 and is symmetric, and both ways to multiply with it agree.
func TestOpenDense(t *testing.T) {
	d := openSmall(t)
	n := len(d.p)
	sum := 0.0
	for i := range n {
		row := 0.0
		for j, v := range d.c.Row(i) {
			row += v
			if math.Abs(v-d.c.Row(j)[i]) > 1e-15 {
				t.Fatalf("C is not symmetric at %d, %d", i, j)
			}
		}
		if math.Abs(row-d.p[i]) > 1e-12 {
			t.Errorf("row %d sums to %v, and its probability is %v", i, row, d.p[i])
		}
		sum += row
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("C sums to %v", sum)
	}
	x, want, got := matrix.NewTall(n, 2), matrix.NewTall(n, 2), matrix.NewTall(n, 2)
	for i := range n {
		x.Row(i)[0], x.Row(i)[1] = float64(i%7), 1/float64(i+1)
	}
	if err := rectify.Dense(d.c, 2)(t.Context(), want, x); err != nil {
		t.Fatal(err)
	}
	d.corpus.Account.Entries, d.corpus.Account.DocumentsRead = 0, 0 // as if the documents were sparse
	if err := d.operator(2)(t.Context(), got, x); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		for j := range 2 {
			if math.Abs(got.Row(i)[j]-want.Row(i)[j]) > 1e-12 {
				t.Fatalf("row %d of the product is %v, want %v", i, got.Row(i), want.Row(i))
			}
		}
	}
}

// Every pipeline finds topics whose columns sum to 1, and says how long it took.
func TestPipelines(t *testing.T) {
	d := openSmall(t)
	starts := 0
	start := func() (*exactStart, error) {
		starts++
		return d.exactStart(t.Context(), 4, 2)
	}
	for _, pipeline := range knownPipelines {
		o, err := d.fit(t.Context(), pipeline, 4, 1, 2, start)
		if err != nil {
			t.Fatalf("%s: %v", pipeline, err)
		}
		if o.topics.K != 4 || len(o.course) < 1 || !(o.seconds() > 0) || o.rectify < 0 || o.infer < 0 {
			t.Errorf("%s: %+v", pipeline, o)
		}
		for k := range 4 {
			sum := 0.0
			for i := range d.p {
				sum += o.topics.B(i, k)
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Errorf("%s: topic %d sums to %v", pipeline, k, sum)
			}
		}
	}
	if starts != 4 {
		t.Errorf("exact eigenpairs were asked for %d times, want by ENN, iPALM, and PALM with two limits", starts)
	}
	if _, err := d.fit(t.Context(), "LDA", 4, 1, 2, start); err == nil || !strings.Contains(err.Error(), `no pipeline "LDA"`) {
		t.Errorf("%v", err)
	}
}

// growthRuns returns runs of Figure 4: two sizes, three K, two seeds, both row sums. Values follow from the keys.
func growthRuns() *report.Table {
	t := report.NewTable("runs", report.Texts("corpus"), report.Ints("items", "topics", "seed"), report.Texts("row_sums"), report.Floats(columnsOf(figure4Measures)...), report.Floats(columnsOf(figure42Measures)...))
	for _, n := range []int64{100, 1000} {
		for _, k := range []int64{5, 10, 50} {
			for seed := range int64(2) {
				for i, form := range rowSums {
					row := []any{"nips", n, k, seed, form.name}
					for range figure4Measures {
						row = append(row, float64(n+k+10*int64(i)+2*seed))
					}
					for range figure42Measures {
						row = append(row, 0.5)
					}
					t.Add(row...)
				}
			}
		}
	}
	return t
}

func TestGrowth(t *testing.T) {
	lines := strings.Join(growth(growthRuns()), "\n")
	// The mean of K is 65/3, that of seeds adds 1.
	benchtest.Says(t, "the comparison", lines, "| nips | exact | 100 → 1000 | 122.7 → 1023 | 122.7 → 1023 | 122.7 → 1023 |",
		"| nips | published | 100 → 1000 | 132.7 → 1033 |")
	all := growthRuns()
	if got := span(all, "items", all.Rows[:1], all.Rows); got != "100 → 100–1000" {
		t.Errorf("span %q", got)
	}
}

func TestGrowthSeries(t *testing.T) {
	list := growthSeries(growthRuns(), "nips", "mst_incoherence", []float64{100, 1000})
	var names []string
	for _, s := range list {
		names = append(names, s.Name)
	}
	want := []string{"K = 5–10, exact row sums", "K = 5–10, published row sums", "K = 50, exact row sums", "K = 50, published row sums"}
	if !slices.Equal(names, want) {
		t.Fatalf("series %q, want %q", names, want)
	}
	if list[0].Dashed || !list[1].Dashed || list[0].Style != list[1].Style || list[2].Style == list[0].Style {
		t.Errorf("%+v", list)
	}
	// Over several K there is no bar; of one K it is the deviation over seeds.
	if p := list[0].Points[0]; p != (report.Point{X: 100, Y: 108.5}) {
		t.Errorf("%+v", p)
	}
	if p := list[2].Points[1]; p.X != 1000 || p.Y != 1051 || math.Abs(p.Above-math.Sqrt2) > 1e-12 || p.Below != p.Above {
		t.Errorf("%+v", p)
	}
	if none := growthSeries(growthRuns(), "retail", "mst_incoherence", []float64{100}); len(none) != 0 {
		t.Errorf("a corpus that was not run has %+v", none)
	}
}

// Charts have a row per corpus that was run, and a panel per measure.
func TestRows(t *testing.T) {
	l := layout{measures: figure4Measures, x: "items", label: "N", thousands: true, series: growthSeries,
		title: func(data source, of [][]any) string { return fmt.Sprintf("%s, %d rows", data.title, len(of)) }}
	rows := rows(sources, growthRuns(), l)
	if len(rows) != 1 || len(rows[0]) != len(figure4Measures) || rows[0][0].Title != "NIPS papers, 24 rows" || rows[0][1].Title != "" {
		t.Fatalf("%+v", rows)
	}
	for i, panel := range rows[0] {
		if panel.Y != figure4Measures[i].axis || !slices.Equal(panel.Ticks, []float64{100, 1000}) || !panel.Thousands || len(panel.Series) != 4 {
			t.Errorf("%+v", panel)
		}
	}
}

func TestWants(t *testing.T) {
	p := Grid{Reduced: map[string][]int{"wiki": {5, 10}, "AP+AW": {10}}}
	for _, test := range []struct {
		k     int
		names []string
		want  bool
	}{
		{5, []string{"wiki", "LR-JSMF"}, true}, {5, []string{"wiki", "AP+AW"}, false}, {10, []string{"wiki", "AP+AW"}, true},
		{25, []string{"wiki", "LR-JSMF"}, false}, {25, []string{"nips", "LR-JSMF"}, true}, {25, []string{"nips", "AP+AW"}, false},
	} {
		if got := p.wants(test.k, test.names...); got != test.want {
			t.Errorf("K = %d of %v: %v", test.k, test.names, got)
		}
	}
}

func TestDescribeGrid(t *testing.T) {
	describe := func(p Grid) string {
		var b strings.Builder
		p.filled().describeGrid(&b)
		return b.String()
	}
	if got := describe(Grid{}); got != "\n## The grid\n\nThis is the full grid.\n" {
		t.Errorf("the full grid: %s", got)
	}
	benchtest.Says(t, "the grid", describe(Grid{Corpora: []string{"nips", "wiki"}, Figures: []string{Figure4}, Pipelines: []string{"ENN+LAW", "LR-JSMF"},
		Topics: []int{5, 10}, GrowthTopics: []int{5}, Sizes: []int{1250}, Seeds: 3, GrowthSeeds: 1, MaxItems: 9000, Reduced: map[string][]int{"nips": {5}}}),
		"- the corpora retail, nytimes, movies, songs\n- the parts 2, 3, table1, 4.3\n- the pipelines AP+AW, PALM+LAW, iPALM+LAW\n- K of 15, 20, 25, 50, 75, 100\n",
		"- in Figure 4 K of 10, 15, 20, 25, 50, 75, 100\n- vocabularies of 2500, 5000,", "- for nips all K but 5\n",
		"- vocabularies of more than 9000 items\n- all seeds but 3\n- in Figure 4 all seeds but 1\n")
	var b strings.Builder
	p := Grid{Data: t.TempDir(), Corpora: []string{"wiki", "songs"}}.filled()
	corpora, err := p.sources()
	if err != nil {
		t.Fatal(err)
	}
	p.describeMethod(&b, corpora)
	benchtest.Says(t, "the method", b.String(), "| Wikipedia | the first 5000 of those | items by tf·idf among those in at most 10 % of the documents",
		"| Songs, drawn stand-in | all |", "14653 documents with 119 tokens on average, 10000 items", "150 iterations as in the authors' program", "50 iterations as in the thesis", "bench/internal/paper/stopwords.txt")
	if strings.Contains(b.String(), "Retail") {
		t.Error("a corpus that was not run is described")
	}
}

// The columns of Figure 4.3 stand from the smallest size to the largest, the base in between.
func TestDescribeGrowth(t *testing.T) {
	p := tinyPaper(writePaperData(t)).filled()
	data, err := findSource("nips")
	if err != nil {
		t.Fatal(err)
	}
	from := reader{folder: p.Data, spill: t.TempDir(), log: p.Log}
	base, err := p.fitWords(t.Context(), from, data, p.Base)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := p.growthSteps(t.Context(), from, data, base)
	if err != nil {
		t.Fatal(err)
	}
	var sizes []int
	for _, s := range steps {
		sizes = append(sizes, s.items)
		if s.gained != (s.items > p.Base) || len(s.changes) != wordTopics || len(s.overlap) != wordTopics {
			t.Errorf("%+v", s)
		}
		for k, words := range s.changes {
			if len(words) > wordCount || !slices.IsSortedFunc(words, func(a, b change) int { return int(math.Copysign(1, b.probability-a.probability)) }) {
				t.Errorf("%d items, topic %d: %+v", s.items, k, words)
			}
			for _, c := range words {
				if _, known := base.vocabulary.Lookup([]byte(c.word)); known == s.gained {
					t.Errorf("%d items: %s is gained or lost wrongly", s.items, c.word)
				}
			}
		}
	}
	if !slices.Equal(sizes, []int{15, 30, 45, 75, 90, 105}) {
		t.Errorf("sizes %v", sizes)
	}
	var text strings.Builder
	describeGrowth(&text, data, base, steps)
	benchtest.Says(t, "the figure", text.String(), "### NIPS papers\n\n| − 15 | − 30 | − 45 | **60 (base)** | + 75 | + 90 | + 105 |\n| --- |")
	var last strings.Builder
	describeGrowth(&last, data, base, steps[:3]) // no size beyond the base
	benchtest.Says(t, "the figure", last.String(), "| − 45 | **60 (base)** |\n")
	all := report.NewTable("x", report.Texts("corpus"), report.Ints("topic", "items"), report.Texts("change"), report.Ints("rank"), report.Texts("word"), report.Floats("probability", "overlap"))
	addGrowth(all, "nips", steps)
	for _, row := range all.Rows {
		if gained := row[2].(int64) > 60; gained != (row[3] == "gained") || row[4].(int64) < 1 || !(row[7].(float64) >= 0 && row[7].(float64) <= 1+1e-9) {
			t.Errorf("%v", row)
		}
	}
	if len(all.Rows) == 0 {
		t.Error("nothing is lost or gained")
	}
}
