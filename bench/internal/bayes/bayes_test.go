package bayes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/color"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/internal/durable"
	"anchorage/internal/synth"
	"anchorage/svi"
)

// dichromat returns how a colour looks without the cones for red (protanopia) or green (deuteranopia), by the matrices of
// Machado, Oliveira & Fernandes (IEEE Trans. Vis. Comput. Graph. 15, 2009) on linear light.
func dichromat(c color.RGBA, m [9]float64) [3]float64 {
	linear := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	in := [3]float64{linear(c.R), linear(c.G), linear(c.B)}
	var out [3]float64
	for i := range out {
		for j, v := range in {
			out[i] += m[3*i+j] * v
		}
		out[i] = min(max(out[i], 0), 1)
	}
	return out
}

// lab returns CIE L*a*b* of linear sRGB.
func lab(c [3]float64) [3]float64 {
	f := func(t float64) float64 {
		if t > 216./24389 {
			return math.Cbrt(t)
		}
		return (24389./27*t + 16) / 116
	}
	x := f((0.4124*c[0] + 0.3576*c[1] + 0.1805*c[2]) / 0.9505)
	y := f(0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2])
	z := f((0.0193*c[0] + 0.1192*c[1] + 0.9505*c[2]) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// TestBlockColors wants the colours of positive and negative correlations to be far apart for everybody: a difference of 20 in
// CIE L*a*b* is ten times what can just be seen.
func TestBlockColors(t *testing.T) {
	for name, m := range map[string][9]float64{
		"all cones":    {1, 0, 0, 0, 1, 0, 0, 0, 1},
		"protanopia":   {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
		"deuteranopia": {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
		"tritanopia":   {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900},
	} {
		a, b := lab(dichromat(positiveColor, m)), lab(dichromat(negativeColor, m))
		distance := math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
		if distance < 20 {
			t.Errorf("%s: the colours are %.1f apart", name, distance)
		}
	}
}

// TestBlocks wants a block per correlation that is not zero, of its sign's colour, and the legend's.
func TestBlocks(t *testing.T) {
	var out bytes.Buffer
	if err := writeBlocks(&out, []float64{1, -0.5, -0.5, 1}); err != nil {
		t.Fatal(err)
	}
	if green, red := strings.Count(out.String(), "fill:#009E73"), strings.Count(out.String(), "fill:#D55E00"); green != 2+3 || red != 2+2 {
		t.Errorf("%d green and %d red blocks, want 5 and 4", green, red)
	}
}

func TestBayesCheck(t *testing.T) {
	for want, b := range map[string]Grid{
		"no shards":    {},
		"no model":     {Shards: []string{"x"}, Models: []string{"nmf"}},
		"increasing":   {Shards: []string{"x"}, Topics: []int{5, 4}},
		"from 2":       {Shards: []string{"x"}, Sizes: []int{1}},
		"more items":   {Shards: []string{"x"}, Items: 100},
		"from 0 to 1,": {Shards: []string{"x"}, MaxDFRatio: 1.5},
	} {
		if err := b.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", b, err, want)
		}
	}
}

// TestCurve wants means over stretches of documents, weighted by tokens, without the first ones.
func TestCurve(t *testing.T) {
	c := &cell{Learned: 1600, Scores: []svi.HeldOut{
		{Documents: 0, Tokens: 1, LogLikelihood: -100},
		{Documents: 110, Tokens: 1, LogLikelihood: -8}, {Documents: 190, Tokens: 3, LogLikelihood: -4},
		{Documents: 1599, Tokens: 7, LogLikelihood: -2},
	}}
	s := c.curve("x", 0)
	if len(s.Points) != 2 || s.Points[0].X != 150 || s.Points[0].Y != -5 || s.Points[1].Y != -2 {
		t.Errorf("points %+v", s.Points)
	}
	if c.final() != -2 {
		t.Errorf("final score %v", c.final())
	}
}

// TestWritePeers wants the files that the script reads, and scores near those of the truth.
func TestWritePeers(t *testing.T) {
	dir := t.TempDir()
	docs := synth.Model{Items: 300, Topics: 4, Documents: peerTests + 1500, Tokens: 30, Seed: 2}.Plant()
	if _, err := docs.WriteShards(context.Background(), dir, 2); err != nil {
		t.Fatal(err)
	}
	b := Grid{Shards: []string{dir}, Models: []string{"lda"}, Topics: []int{4}, Items: 300, Documents: 1000, Seed: 1, Log: slog.New(slog.DiscardHandler)}
	if err := b.Check(); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "peers")
	if err := b.WritePeers(context.Background(), folder); err != nil {
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
	b.Documents = 1 << 40
	if err := b.WritePeers(context.Background(), t.TempDir()); err == nil {
		t.Error("more documents than there are: no error")
	}
}

// tinyGrid is a grid that takes a second, on a corpus of its own.
func tinyGrid(t *testing.T) *Grid {
	t.Helper()
	shards := t.TempDir()
	docs := synth.Model{Items: 120, Topics: 4, Documents: 900, Tokens: 30, Seed: 2}.Plant()
	if _, err := docs.WriteShards(t.Context(), shards, 2); err != nil {
		t.Fatal(err)
	}
	b := &Grid{Shards: []string{shards}, Topics: []int{3, 4}, Sizes: []int{50, 100}, Items: 100, MaxDFRatio: 1, Seed: 1, InitTopics: 3,
		InitModels: []string{"lda"}, Cells: filepath.Join(t.TempDir(), "cells"), Command: "go run ./bench bayes SHARD...", Log: slog.New(slog.DiscardHandler)}
	if err := b.Check(); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBayes(t *testing.T) {
	b, root := tinyGrid(t), t.TempDir()
	first := filepath.Join(root, "first")
	if err := b.Write(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	benchtest.Only(t, root, "first")
	benchtest.Only(t, first, "README.md", "beginnings.svg", "curves.csv", "figure11.3.svg", "figure11.4.svg", "runs.csv", "topics.csv")
	benchtest.Results(t, first)
	readme := benchtest.Text(t, first, "README.md")
	benchtest.Says(t, "README.md", readme, b.Command, "| 4 | correlated NMF | −", "## Left out\n\n- K = 50, 100, 150\n- |C| = 500, 1000",
		"| online LDA | anchors | 64 |", "| topic | share | items |", "is better with more topics in", "The models differ by", "in the comparison of beginnings, models other than lda")
	if strings.Contains(readme, root) || strings.Contains(readme, b.Shards[0]) {
		t.Error("README.md names a folder of this machine")
	}
	cells, err := os.ReadDir(b.Cells)
	if err != nil || len(cells) != 3*2*2+4 {
		t.Fatalf("%d cells, %v", len(cells), err)
	}
	if rows := strings.Count(benchtest.Text(t, first, "runs.csv"), "\n"); rows != 1+len(cells) {
		t.Errorf("runs.csv has %d lines for %d fits", rows, len(cells))
	}
	// A second run takes the fits from the first, and has the same results.
	second := filepath.Join(root, "second")
	if err := b.Write(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"runs.csv", "curves.csv", "topics.csv", "figure11.3.svg", "figure11.4.svg", "beginnings.svg", "README.md"} {
		if benchtest.Text(t, first, name) != benchtest.Text(t, second, name) {
			t.Errorf("%s differs where all fits were taken", name)
		}
	}
	if err := b.Write(t.Context(), first); !errors.Is(err, durable.ErrExists) {
		t.Errorf("results that are there: %v", err)
	}
	b.Items = 90
	if err := b.Write(t.Context(), filepath.Join(root, "third")); err == nil || !strings.Contains(err.Error(), "is of other documents or options") {
		t.Errorf("cells of another corpus: %v", err)
	}
	b.Items = 100
	if err := os.WriteFile(filepath.Join(b.Cells, cells[0].Name()), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := b.Write(t.Context(), filepath.Join(root, "third")); err == nil || !strings.Contains(err.Error(), cells[0].Name()) {
		t.Errorf("a broken cell: %v", err)
	}
	benchtest.Only(t, root, "first", "second")
}

// An interrupted run keeps complete fits, and leaves nothing else.
func TestBayesInterrupted(t *testing.T) {
	b, root := tinyGrid(t), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b.Log = slog.New(slog.NewTextHandler(onFit(cancel), nil))
	if err := b.Write(ctx, filepath.Join(root, "results")); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	benchtest.Only(t, root)
	cells, err := os.ReadDir(b.Cells)
	if err != nil || len(cells) != 1 {
		t.Errorf("%d cells, %v", len(cells), err)
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

func TestTopicTable(t *testing.T) {
	c := &cell{key: key{Model: svi.CNMF, Topics: 60, BatchSize: 7}}
	for k := range 60 {
		c.Found = append(c.Found, topic{Share: 0.5 / float64(k+1), Words: []string{"a|b", "c"}})
	}
	var b strings.Builder
	writeTopics(&b, c)
	// The first forty, and the 41st and 51st.
	if rows := strings.Count(b.String(), "a\\|b, c"); rows != correlationTopics+2 {
		t.Errorf("%d topics are shown:\n%s", rows, b.String())
	}
	benchtest.Says(t, "the tables", b.String(), "(Table 11.3)", "(Table 11.4)", "| 1 | 50.00 % |", "| 51 | 0.98 % |")
	if table := topicTable(c); len(table.Rows) != 60 || table.Rows[59][2] != "a|b c" {
		t.Errorf("%d topics in topics.csv", len(table.Rows))
	}
}

func TestDocumentTicks(t *testing.T) {
	for learned, want := range map[int64]string{1315: "[300 600 900 1200]", 200_000: "[50000 100000 150000 200000]"} {
		if got := documentTicks(learned); fmt.Sprint(got) != want {
			t.Errorf("%d documents: %v, want %s", learned, got, want)
		}
	}
}

func TestKeyName(t *testing.T) {
	for want, k := range map[string]key{
		"lda-50-1000":           {Model: svi.LDA, Topics: 50, BatchSize: 1000, Delay: 1},
		"cnmf-3-20-t64-anchors": {Model: svi.CNMF, Topics: 3, BatchSize: 20, Delay: 64, Anchors: true},
	} {
		if got := k.name(); got != want {
			t.Errorf("%+v is called %s, want %s", k, got, want)
		}
	}
}
