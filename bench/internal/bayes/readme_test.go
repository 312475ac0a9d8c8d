package bayes

import (
	"math"
	"strings"
	"testing"

	"anchorage/bayes"
	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
)

// made returns the record of a fit as in the chapter with a given score.
func made(model string, topics int, seed uint64, score float64) Record {
	r := Record{Run: Run{Corpus: "x", Items: 8000, MaxDFRatio: 0.1, Model: model, Topics: topics, Algorithm: stochastic, BatchSize: 100, Delay: 1, Epochs: 1,
		Priors: chapter, Beginning: random, Seed: seed}, Vocabulary: 50, Documents: 1000, Tokens: 9000, Remembered: 500, Apart: score, ApartTokens: 77}
	for i := range int64(10) {
		r.curve = append(r.curve, bayes.HeldOut{Documents: 100 * i, Tokens: 50, LogLikelihood: score + float64(i)/100})
	}
	return r
}

// Settings are fits that differ in topics and seeds alone; gains are between fits of the same seed.
func TestSettings(t *testing.T) {
	other := made("lda", 5, 1, -7)
	other.Priors = learned
	records := []Record{other, made("lda", 10, 1, -6), made("lda", 5, 1, -6.5), made("lda", 10, 2, -5.8), made("lda", 5, 2, -6.1), made("lda", 20, 3, -9), made("bnmf", 5, 1, -6)}
	list := settings(records)
	if len(list) != 3 || list[0].Model != "bnmf" || list[1].Priors != chapter || list[2].Priors != learned {
		t.Fatalf("%+v", list)
	}
	s := list[1]
	gain, ok := s.gain(5, 10)
	if !ok || math.Abs(gain.Mean-0.4) > 1e-12 || gain.Runs != 2 || math.Abs(gain.Deviation-math.Sqrt(0.02)) > 1e-12 {
		t.Errorf("gain %+v", gain)
	}
	if _, ok := s.gain(10, 20); ok {
		t.Error("a gain of fits with different seeds")
	}
	if got := meanText(s.score(10), false); got != "−5.900 ± 0.141" {
		t.Errorf("score %s", got)
	}
	var b strings.Builder
	writeSettings(&b, list)
	benchtest.Says(t, "the table", b.String(), "### x\n\nV = 50 items in at most 10 % of the documents; 9.0 tokens a document. 77 tokens",
		"| model | hyperparameters | D | \\|C\\| | t₀ | epochs | beginning | tokens a parameter | K = 5 | K = 10 | K = 20 | least to most topics | second to last fifth |\n",
		"| online LDA | chapter | 1000 | 100 | 1 | 1 | random | 4.50 | −6.300 ± 0.283 | −5.900 ± 0.141 | −9.000 | – | +0.060 |\n", "| online LDA | learned | 1000 | 100 | 1 | 1 | random | 18.00 | −7.000 | – | – | – | +0.060 |\n")
	b.Reset()
	writeShort(&b, list)
	if want := "| model | hyperparameters | t₀ | more topics are better in | mean change |\n| --- | --- | ---: | --- | ---: |\n| online LDA | chapter | 1 | 1 of 1 comparisons | +0.400 |\n"; b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	s = list[2]
	s.at[5][1].A0, s.at[5][1].C0 = 0.5, 12
	writeLearned(&b, list)
	benchtest.Says(t, "the hyperparameters", b.String(), "| c₀ in the chapter | c₀ |\n", "| x | online LDA | 1000 | 100 | 1 | 5 | 0.2 | 0.5 | – | 2.5 | 12 |\n")
	chart := gainChart(list)
	if points := chart.Rows[0][0].Series[0].Points; len(points) != 1 || math.Abs(points[0].X-9000*500./1000/(50*10)) > 1e-12 || math.Abs(points[0].Y-0.4) > 1e-12 {
		t.Errorf("%+v", points)
	}
	if rows := gainChart(list[:1]).Rows; len(rows) > 0 {
		t.Errorf("a chart of nothing: %+v", rows)
	}
}

// Figure 11.3 has a row per K, a column per |C|, a curve per model, and leaves out fits that are not as in the chapter.
func TestFigure3(t *testing.T) {
	larger, few, odd := made("lda", 5, 1, -6), made("lda", 5, 1, -6), made("cnmf", 5, 1, -6)
	larger.BatchSize, few.Documents, few.Limit, odd.Delay = 200, 10, 10, 64
	list := settings([]Record{made("lda", 5, 1, -6), made("lda", 5, 2, -8), made("bnmf", 5, 1, -6), made("bnmf", 9, 1, -6), larger, few, odd})
	rows := figure3(list, "x").Rows
	if len(rows) != 2 || len(rows[0]) != 2 || len(rows[1]) != 2 || rows[0][0].Title != "K = 5" || rows[1][0].Title != "K = 9" || rows[0][1].Title != "" {
		t.Fatalf("%+v", rows)
	}
	panel := rows[0][0]
	if panel.X != "|C| = 100, thousands" || len(panel.Series) != 2 || panel.Series[0].Style == panel.Series[1].Style || len(rows[1][1].Series) != 0 {
		t.Errorf("%+v", panel)
	}
	// The first test is left out; the mean of two seeds has a bar.
	if first := panel.Series[1].Points[0]; first.X != 1.5*1000/chartPoints || math.Abs(first.Y+6.99) > 1e-12 || math.Abs(first.Above-math.Sqrt2) > 1e-12 {
		t.Errorf("%+v", first)
	}
	if rows := figure3(list, "y").Rows; len(rows) > 0 {
		t.Errorf("%+v", rows)
	}
}

// The fit that is shown is correlated NMF as in the chapter, with the most topics, in batches near 1000.
func TestShownFit(t *testing.T) {
	records := []Record{made("lda", 90, 1, -6), made("cnmf", 5, 1, -6), made("cnmf", 50, 1, -6), made("cnmf", 50, 1, -6), made("cnmf", 60, 2, -6), made("cnmf", 70, 1, -6)}
	records[2].BatchSize, records[5].Priors = 1200, learned
	if got := shownFit(records); got != 2 {
		t.Errorf("fit %d", got)
	}
	if got := shownFit(records[:1]); got != -1 {
		t.Errorf("fit %d", got)
	}
}

// The forty most probable topics, and every tenth of the others.
func TestWriteTopics(t *testing.T) {
	table := newTopics()
	for k := range 60 {
		table.Add(int64(3), int64(k+1), 0.5/float64(k+1), "a|b c")
	}
	var b strings.Builder
	writeTopics(&b, &Record{}, table, 2)
	if rows := strings.Count(b.String(), "a\\|b, c"); rows != correlationTopics+2 {
		t.Errorf("%d topics are shown:\n%s", rows, b.String())
	}
	benchtest.Says(t, "the tables", b.String(), "(Table 11.3)", "(Table 11.4)", "| 1 | 50.00 % |", "| 51 | 0.98 % |")
}

// Means weigh tokens; the final score is that of the last fifth, and at a tenth that of a tenth of the tests.
func TestScores(t *testing.T) {
	if got := meanScore([]bayes.HeldOut{{Tokens: 1, LogLikelihood: -10}, {Tokens: 3, LogLikelihood: -2}}); got != -4 {
		t.Errorf("mean %v", got)
	}
	var scores []bayes.HeldOut
	for i := range 20 {
		scores = append(scores, bayes.HeldOut{Tokens: 10, LogLikelihood: -float64(100 - i)})
	}
	if got := lastFifth(scores); got != -82.5 {
		t.Errorf("last fifth %v", got)
	}
	if got := around(scores, 0.1); got != -97.5 {
		t.Errorf("at a tenth %v", got)
	}
	if got := lastFifth(scores[:1]); got != -100 || !math.IsNaN(lastFifth(nil)) || !math.IsNaN(around(nil, 0.1)) {
		t.Errorf("last fifth of one test %v", got)
	}
}

func TestDocumentTicks(t *testing.T) {
	for learned, want := range map[int64]float64{1315: 300, 200_000: 50_000} {
		if got := documentTicks(learned); len(got) != 4 || got[0] != want || got[3] != 4*want {
			t.Errorf("%d documents: %v", learned, got)
		}
	}
}

// A mean of one fit has no spread.
func TestMeanText(t *testing.T) {
	if got := meanText(report.MeanOf([]float64{0.25}), true); got != "+0.250" {
		t.Error(got)
	}
}
