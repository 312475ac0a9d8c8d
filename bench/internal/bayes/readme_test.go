package bayes

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/svi"
)

// made returns a fit whose score is the same in all batches.
func made(of key, score float64) *cell {
	c := &cell{key: of, Learned: 1000, Seconds: 4}
	for i := range int64(10) {
		c.Scores = append(c.Scores, svi.HeldOut{Documents: 100 * i, Tokens: 50, LogLikelihood: score})
	}
	return c
}

// smallGrid is two models with two K and two sizes. Their scores follow from the keys.
func smallGrid() (*Grid, []*cell) {
	b := &Grid{Shards: []string{"x"}, Models: []string{"bnmf", "cnmf"}, Topics: []int{5, 7}, Sizes: []int{500, 1200}, MaxDFRatio: 0.25, Documents: 900}
	if err := b.Check(); err != nil {
		panic(err)
	}
	var grid []*cell
	for _, k := range b.Topics {
		for _, size := range b.Sizes {
			for i, m := range b.Models {
				score := -8 + float64(size)/1000 + 0.25*float64(i)
				if m == "bnmf" {
					score -= float64(k) / 10
				} else {
					score += float64(k) / 10
				}
				c := made(key{Model: svi.Model(m), Topics: k, BatchSize: size, Delay: 1}, score)
				for t := range k {
					c.Found = append(c.Found, topic{1 / float64(t+2), []string{fmt.Sprintf("word%d", t), "other"}})
				}
				c.Correlations = make([]float64, k*k)
				grid = append(grid, c)
			}
		}
	}
	return b, grid
}

func TestReadme(t *testing.T) {
	b, grid := smallGrid()
	begun := []*cell{made(key{Model: svi.LDA, Topics: 5, BatchSize: 1000, Delay: 64, Anchors: true}, -7.5)}
	b.InitTopics = 5
	facts := svi.Totals{Documents: 1000, Tokens: 5000, Items: 80}
	text := b.readme(report.Origin{Day: "2026-11-21", Command: "the command", Machine: []string{"one", "two"}}, facts, grid, begun, shownFit(grid))
	benchtest.Says(t, "README.md", text,
		"# Variational inference: the chapter's figures on other documents\n\nMade on 2026-11-21 by\n\n```\nthe command\n```\n\non\n\n- one\n- two\n",
		"D = 1000 documents and 5000 tokens of V = 80 items: those of greatest tf·idf among the items in at most 25 % of",
		"## Left out\n\n- K = 50, 100, 150\n- |C| = 500, 1000, 1500, 2000\n"[:35],
		"- |C| = 1000, 1500, 2000\n- all but about 900 of the 1000 documents of an epoch\n- models other than bnmf, cnmf\n",
		"- in the comparison of beginnings, models other than bnmf, cnmf\n\n`go run ./bench bayes SHARD... -o RESULTS --max-df-ratio 0.25 --init-topics 100`",
		"| K | model | \\|C\\| = 500 | \\|C\\| = 1200 |\n| ---: | --- | ---: | ---: |\n| 5 | Bayesian NMF | −8.0000 | −7.3000 |\n| 5 | correlated NMF | −6.7500 | −6.0500 |\n",
		"- Bayesian NMF is better with more topics in 0 of 2 comparisons of neighbours.\n",
		"- correlated NMF is better with more topics in 2 of 2 comparisons of neighbours.\n",
		"- From |C| = 500 to 1200 the score changes by +0.7000 on average.\n",
		"- The models differ by 1.6500 at most.\n",
		"The 7 most probable topics of correlated NMF with K = 7 and |C| = 1200",
		"| online LDA | anchors | 64 | −7.5000 | −7.5000 | −7.5000 | −7.5000 |\n",
		"| 1 | 50.00 % | word0, other |\n")
	// The chapter's own grid leaves out nothing.
	full := &Grid{Shards: []string{"x"}}
	if err := full.Check(); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	full.describeGrid(&out, facts)
	if out.Len() > 0 {
		t.Errorf("left out of the full grid: %s", out.String())
	}
	full.Delay = 64
	full.describeGrid(&out, facts)
	benchtest.Says(t, "the grid", out.String(), "- t₀ = 1; these fits have t₀ = 64\n")
}

func TestRunTables(t *testing.T) {
	_, grid := smallGrid()
	runs, curves := runTables(append(grid, grid[0])) // a fit that is in two charts has one row
	if len(runs.Rows) != len(grid) || len(curves.Rows) != 10*len(grid) {
		t.Fatalf("%d runs, %d tests", len(runs.Rows), len(curves.Rows))
	}
	if got := fmt.Sprint(runs.Rows[0]); got != "[bnmf 5 500 1 random 1000 -8 4 250]" {
		t.Errorf("run %s", got)
	}
	if got := fmt.Sprint(curves.Rows[11]); got != "[cnmf 5 500 1 random 100 50 -6.75]" {
		t.Errorf("test %s", got)
	}
}

// The fit that is shown is correlated NMF with the most topics, in batches near 1000.
func TestShownFit(t *testing.T) {
	_, grid := smallGrid()
	if got := shownFit(grid); got.Model != svi.CNMF || got.Topics != 7 || got.BatchSize != 1200 {
		t.Errorf("%+v", got.key)
	}
	if got := shownFit(grid[:1]); got != nil {
		t.Errorf("%+v is shown", got.key)
	}
}

// Rows, panels and curves of Figure 11.3.
func TestFigure3(t *testing.T) {
	b, grid := smallGrid()
	rows := b.figure3(grid).Rows
	if len(rows) != 2 || len(rows[0]) != 2 || rows[0][0].Title != "K = 5" || rows[1][0].Title != "K = 7" || rows[0][1].Title != "" {
		t.Fatalf("%+v", rows)
	}
	panel := rows[1][1]
	if panel.X != "|C| = 1200, thousands seen" || len(panel.Series) != 2 || panel.Series[0].Name != "Bayesian NMF" || panel.Series[0].Style == panel.Series[1].Style {
		t.Errorf("%+v", panel)
	}
	b.InitModels, b.InitTopics = []string{"lda"}, 5
	begun := []*cell{made(key{Model: svi.LDA, Topics: 5, BatchSize: 1000, Delay: 1}, -8), made(key{Model: svi.LDA, Topics: 5, BatchSize: 1000, Delay: 64, Anchors: true}, -7),
		made(key{Model: svi.BNMF, Topics: 5, BatchSize: 1000, Delay: 1}, -8)}
	row := b.beginningsChart(begun).Rows[0]
	if len(row) != 1 || len(row[0].Series) != 2 || row[0].Series[0].Name != "random, t₀ = 1" || row[0].Series[1].Name != "anchors, t₀ = 64" ||
		row[0].Series[0].Dashed || !row[0].Series[1].Dashed {
		t.Errorf("%+v", row)
	}
	var svg bytes.Buffer
	if err := b.figure3(grid).Write(&svg); err != nil || !strings.Contains(svg.String(), "correlated NMF") {
		t.Errorf("the chart: %v", err)
	}
}

// brokenWriter fails after some bytes.
type brokenWriter int

var errBroken = errors.New("broken")

func (w *brokenWriter) Write(p []byte) (int, error) {
	if *w -= brokenWriter(len(p)); *w < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

// Errors of writing come through.
func TestWriteFails(t *testing.T) {
	w := brokenWriter(1)
	if err := writeBlocks(&w, []float64{1}); !errors.Is(err, errBroken) {
		t.Errorf("blocks: %v", err)
	}
}

// The mean weighs tokens, and the final score is that of the last fifth.
func TestScores(t *testing.T) {
	scores := []svi.HeldOut{{Tokens: 1, LogLikelihood: -10}, {Tokens: 3, LogLikelihood: -2}}
	if got := meanScore(scores); got != -4 {
		t.Errorf("mean %v", got)
	}
	c := made(key{}, -9)
	for i := range c.Scores {
		c.Scores[i].LogLikelihood = -float64(10 - i)
	}
	if got := c.final(); got != -1.5 {
		t.Errorf("final score %v", got)
	}
	c.Scores = c.Scores[:1]
	if got := c.final(); got != -10 {
		t.Errorf("final score of one test %v", got)
	}
}
