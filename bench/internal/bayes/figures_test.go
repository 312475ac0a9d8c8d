package bayes

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"anchorage/bench/internal/benchtest"
	"anchorage/internal/durable"
	"anchorage/svi"
)

// areas returns the areas of the polygons of a colour, in the order in which they were drawn.
func areas(t *testing.T, svg, fill string) []float64 {
	t.Helper()
	var list []float64
	for _, path := range regexp.MustCompile(`<path d="M([^"]*)Z?"\s+style="fill:`+fill).FindAllStringSubmatch(svg, -1) {
		var corners [][2]float64
		for corner := range strings.SplitSeq(strings.TrimSuffix(path[1], "Z"), "L") {
			x, y, _ := strings.Cut(corner, ",")
			a, err := strconv.ParseFloat(x, 64)
			b, other := strconv.ParseFloat(y, 64)
			if err != nil || other != nil {
				t.Fatalf("%q: %v, %v", path[1], err, other)
			}
			corners = append(corners, [2]float64{a, b})
		}
		twice := 0.0
		for i, p := range corners {
			q := corners[(i+1)%len(corners)]
			twice += p[0]*q[1] - p[1]*q[0]
		}
		list = append(list, math.Abs(twice)/2)
	}
	return list
}

// Positive blocks have an area in proportion to the correlation, and negative ones, which stand on a corner, half of it.
func TestBlockAreas(t *testing.T) {
	var out bytes.Buffer
	if err := writeBlocks(&out, []float64{1, -0.5, 0.25, -0.5, 1, 0.04, 0.25, 0.04, 3}); err != nil {
		t.Fatal(err)
	}
	for decoder := xml.NewDecoder(bytes.NewReader(out.Bytes())); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
	}
	green, red := areas(t, out.String(), "#009E73"), areas(t, out.String(), "#D55E00")
	// Row by row, then the legend; what is above 1 is drawn as 1.
	wantGreen, wantRed := []float64{1, 0.25, 1, 0.04, 0.25, 0.04, 1, 1, 0.5, 0.1}, []float64{0.5, 0.5, 0.1, 0.5}
	if len(green) != len(wantGreen) || len(red) != len(wantRed) {
		t.Fatalf("%d green and %d red blocks", len(green), len(red))
	}
	for i, want := range wantGreen {
		if math.Abs(green[i]/green[0]-want) > 0.01 {
			t.Errorf("green block %d has the area %v of the whole, want %v", i, green[i]/green[0], want)
		}
	}
	for i, want := range wantRed {
		if math.Abs(red[i]/green[0]-want/2) > 0.01 {
			t.Errorf("red block %d has the area %v of the whole, want %v", i, red[i]/green[0], want/2)
		}
	}
}

// Rows and columns are numbered 1, 5, 10 and so on.
func TestBlockLabels(t *testing.T) {
	var out bytes.Buffer
	if err := writeBlocks(&out, make([]float64, 12*12)); err != nil {
		t.Fatal(err)
	}
	for label, want := range map[string]int{"1": 2 + 1, "5": 2, "10": 2, "12": 0, "0.5": 1, "−0.1": 1} { // the legend has a 1, too
		if got := strings.Count(out.String(), ">"+label+"<"); got != want {
			t.Errorf("%s stands there %d times, want %d", label, got, want)
		}
	}
}

// Scores of beginnings are means over a tenth of the tests from the first, a tenth and a third on, and over the last fifth.
func TestWriteBeginnings(t *testing.T) {
	c := &cell{key: key{Model: svi.BNMF, Topics: 5, BatchSize: 1000, Delay: 1}}
	for i := range 20 {
		c.Scores = append(c.Scores, svi.HeldOut{Documents: int64(i), Tokens: 10, LogLikelihood: -float64(100 - i)})
	}
	one := &cell{key: key{Model: svi.LDA, Topics: 5, BatchSize: 1000, Delay: 64, Anchors: true}, Scores: []svi.HeldOut{{Tokens: 3, LogLikelihood: -7}}}
	var b strings.Builder
	writeBeginnings(&b, []*cell{c, one})
	want := "| model | beginning | t₀ | first batch | at a tenth | at a third | at the end |\n| --- | --- | ---: | ---: | ---: | ---: | ---: |\n" +
		"| Bayesian NMF | random | 1 | −100.0000 | −97.5000 | −93.5000 | −82.5000 |\n" +
		"| online LDA | anchors | 64 | −7.0000 | −7.0000 | −7.0000 | −7.0000 |\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// One model with one K and one size has a table, and nothing to compare.
func TestSummaryOfOne(t *testing.T) {
	b := &Grid{Shards: []string{"x"}, Models: []string{"lda"}, Topics: []int{5}, Sizes: []int{100}}
	if err := b.Check(); err != nil {
		t.Fatal(err)
	}
	grid := []*cell{made(key{Model: svi.LDA, Topics: 5, BatchSize: 100, Delay: 1}, -6.25)}
	var out strings.Builder
	b.writeSummary(&out, grid)
	if want := "| K | model | \\|C\\| = 100 |\n| ---: | --- | ---: |\n| 5 | online LDA | −6.2500 |\n\n"; out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	rows := b.figure3(grid).Rows
	if len(rows) != 1 || len(rows[0]) != 1 || len(rows[0][0].Series) != 1 || rows[0][0].Series[0].Name != "online LDA" {
		t.Errorf("%+v", rows)
	}
}

// Check fills in the chapter's grid, and refuses what cannot be learned.
func TestCheckFills(t *testing.T) {
	b := Grid{Shards: []string{"x"}, Models: []string{"lda"}}
	if err := b.Check(); err != nil || !slices.Equal(b.Topics, AllTopics) || !slices.Equal(b.Sizes, AllSizes) || b.Items != 8000 || b.Delay != 1 || !slices.Equal(b.InitModels, b.Models) {
		t.Errorf("%+v, %v", b, err)
	}
	for want, b := range map[string]Grid{
		"t₀ must be positive, not NaN":  {Shards: []string{"x"}, Delay: math.NaN()},
		"t₀ must be positive, not -1":   {Shards: []string{"x"}, Delay: -1},
		"from 0 to 1, not -0.5":         {Shards: []string{"x"}, MaxDFRatio: -0.5},
		"no negative number of":         {Shards: []string{"x"}, Documents: -1},
		"at least two topics":           {Shards: []string{"x"}, InitTopics: 1},
		"must be increasing, from 2":    {Shards: []string{"x"}, Sizes: []int{100, 100}},
		`no model "x": there are bnmf,`: {Shards: []string{"x"}, InitModels: []string{"x"}},
	} {
		if err := b.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// An interrupted grid goes on: it makes only the fits that are not there, and the results are those of a run in one go.
func TestResume(t *testing.T) {
	b, root := tinyGrid(t), t.TempDir()
	b.Sizes, b.Models, b.InitTopics = []int{100}, []string{"lda", "bnmf"}, 0
	whole := filepath.Join(root, "whole")
	if err := b.Write(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	before := make(map[string]string)
	for _, name := range []string{"lda-3-100", "bnmf-3-100", "lda-4-100", "bnmf-4-100"} {
		before[name] = benchtest.Text(t, b.Cells, name+".json")
	}
	b.Cells = filepath.Join(t.TempDir(), "cells")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b.Log = slog.New(slog.NewTextHandler(onFit(cancel), nil))
	if err := b.Write(ctx, filepath.Join(root, "resumed")); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
	benchtest.Only(t, b.Cells, "lda-3-100.json")
	fits := 0
	b.Log = slog.New(slog.NewTextHandler(onFit(func() { fits++ }), nil))
	if err := b.Write(t.Context(), filepath.Join(root, "resumed")); err != nil || fits != 3 {
		t.Fatalf("%d fits are made: %v", fits, err)
	}
	for _, name := range []string{"curves.csv", "figure11.3.svg"} {
		if benchtest.Text(t, whole, name) != benchtest.Text(t, root, "resumed", name) {
			t.Errorf("%s differs where the run was interrupted", name)
		}
	}
	benchtest.Only(t, whole, "README.md", "curves.csv", "figure11.3.svg", "runs.csv") // without correlated NMF no topics are shown
	for name, text := range before {
		var first, second cell
		if err := errors.Join(json.Unmarshal([]byte(text), &first), json.Unmarshal([]byte(benchtest.Text(t, b.Cells, name+".json")), &second)); err != nil {
			t.Fatal(err)
		}
		if first.key != second.key || first.Corpus != second.Corpus || first.Learned != second.Learned || !slices.Equal(first.Scores, second.Scores) {
			t.Errorf("%s differs where the run was interrupted", name)
		}
		// Topics stand in decreasing order, and their shares sum to 1.
		sum := 0.0
		for k, found := range second.Found {
			if sum += found.Share; k > 0 && found.Share > second.Found[k-1].Share || len(found.Words) != tableWords {
				t.Errorf("%s: topic %d is %+v", name, k, found)
			}
		}
		if len(second.Found) != second.Topics || math.Abs(sum-1) > 1e-9 {
			t.Errorf("%s: %d topics sum to %v", name, len(second.Found), sum)
		}
	}
	// A fit under the name of another one is not taken.
	if err := os.Rename(filepath.Join(b.Cells, "lda-3-100.json"), filepath.Join(b.Cells, "lda-4-100.json")); err != nil {
		t.Fatal(err)
	}
	err := b.Write(t.Context(), filepath.Join(root, "wrong"))
	if err == nil || !strings.Contains(err.Error(), "lda-4-100.json is of other documents or options") {
		t.Errorf("%v", err)
	}
	benchtest.Only(t, root, "resumed", "whole")
}

// Documents to learn from and to test follow each other in the random order, and none is in both.
func TestTake(t *testing.T) {
	b := tinyGrid(t)
	docs, err := b.open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer docs.close()
	learn, test := 37, 11
	train, rest, err := docs.take(t.Context(), learn, test)
	if err != nil || train.Documents() != learn || rest.Documents() != test {
		t.Fatalf("%d and %d documents: %v", train.Documents(), rest.Documents(), err)
	}
	// All but one are learned from: they begin with the same documents.
	most, last, err := docs.take(t.Context(), int(docs.facts.Documents)-1, 1)
	if err != nil || int64(most.Documents()+1) != docs.facts.Documents || last.Documents() != 1 {
		t.Fatalf("%d and %d of %d documents: %v", most.Documents(), last.Documents(), docs.facts.Documents, err)
	}
	first := slices.Concat(train.Items, rest.Items)
	if !slices.Equal(most.Items[:len(first)], first) || !slices.Equal(most.Counts[:len(first)], slices.Concat(train.Counts, rest.Counts)) {
		t.Error("the documents are not those of the random order")
	}
	tokens := int64(0)
	for _, c := range slices.Concat(most.Counts, last.Counts) {
		tokens += int64(c)
	}
	if tokens != int64(docs.facts.Tokens) {
		t.Errorf("%d tokens, want %v", tokens, docs.facts.Tokens)
	}
	if _, _, err := docs.take(t.Context(), int(docs.facts.Documents), 1); err == nil || !strings.Contains(err.Error(), "are too few") {
		t.Errorf("%v", err)
	}
}

// Results that are there stay, and nothing is learned or kept for them.
func TestWriteExists(t *testing.T) {
	b := tinyGrid(t)
	if err := b.Write(t.Context(), t.TempDir()); !errors.Is(err, durable.ErrExists) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(b.Cells); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder for fits was made: %v", err)
	}
}
