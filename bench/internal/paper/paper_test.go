package paper

import (
	"compress/gzip"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"anchorage/bench/internal/run"
	"anchorage/bench/internal/show"
	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/internal/long"
	"anchorage/internal/synth"
	"anchorage/matrix"
	"anchorage/rectify"
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

// tiny returns settings of runs on the tiny corpora, and options for a new folder.
func tiny(t *testing.T, folder string) (run.Values, run.Options) {
	t.Helper()
	return Part.Defaults().With("data", folder, "corpora", "nips,retail", "topics", "3", "sizes", "40,80,1000,0", "base",
			60, "seeds", 2),
		run.Options{Folder: filepath.Join(t.TempDir(), "results"), Command: "go run ./bench paper", Again: run.AgainNone,
			Workers: 2, Log: slog.New(slog.DiscardHandler), Stderr: io.Discard}
}

func readRuns(t *testing.T, folder, table string) show.View {
	t.Helper()
	v, err := show.Read(filepath.Join(folder, table+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// All figures have their runs, tables and charts, the same numbers with another number of workers, and every run says
// how it was made.
func TestPart(t *testing.T) {
	folder := writePaperData(t)
	v, o := tiny(t, folder)
	if err := Part.Run(t.Context(), v, o); err != nil {
		t.Fatal(err)
	}
	names := []string{"changes", "hulls", "iterations", "points", "published", "runs", "vocabularies", "words"}
	files := []string{"README.md", "figure2.svg", "figure3.svg", "figure4.svg", "figure4.2.svg"}
	for _, name := range names {
		files = append(files, name+".csv")
	}
	for _, file := range files {
		if _, err := os.Stat(filepath.Join(o.Folder, file)); err != nil {
			t.Error(err)
		}
	}
	runs := readRuns(t, o.Folder, "runs")
	// Figure 2 of two corpora; Figure 3 with four pipelines and two seeds of another one; Figure 4 with sizes 40, 80 and
	// all; words of one corpus.
	if want := 2 + 2*(4+2) + 2*3*2 + 1 + 1; len(runs.Rows) != want {
		t.Errorf("%d runs, want %d", len(runs.Rows), want)
	}
	for _, r := range runs.Rows {
		if r["failure"] != "" || r["items"] == "" || r["chosen"] == "" || r["pipeline"] != "" && r["settings"] == "" {
			t.Errorf("%v", r)
		}
	}
	text, err := os.ReadFile(filepath.Join(o.Folder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## Figure 2", "| nips | LR-JSMF | ENN+LAW | 3 |", "## PALM and iPALM",
		"### nips, N = 118", "## Figure 4.3", " base |", "ENN: iterations 50, truncated; LAW: row sums factor",
		"AP: iterations 150"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("README.md does not say %q:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), folder) {
		t.Error("README.md names a folder of this machine")
	}
	if !long.Tier() {
		return
	}
	_, again := tiny(t, folder)
	again.Workers = 1
	v = v.With("figures", "2,4", "corpora", "nips", "seeds", 1)
	_, first := tiny(t, folder)
	for _, of := range []run.Options{first, again} {
		if err := Part.Run(t.Context(), v, of); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"runs", "points", "hulls", "vocabularies"} {
		same(t, name, readRuns(t, first.Folder, name), readRuns(t, again.Folder, name))
	}
}

// same fails where two tables differ in anything but times and places.
func same(t *testing.T, name string, a, b show.View) {
	t.Helper()
	if len(a.Rows) != len(b.Rows) {
		t.Fatalf("%s has %d rows, and %d", name, len(a.Rows), len(b.Rows))
	}
	for i, r := range a.Rows {
		for _, column := range a.Columns {
			if strings.Contains(column, "seconds") || column == "started" || column == "machine" {
				continue
			}
			x, notX := strconv.ParseFloat(r[column], 64)
			y, notY := strconv.ParseFloat(b.Rows[i][column], 64)
			if notX != nil || notY != nil {
				if r[column] != b.Rows[i][column] {
					t.Errorf("%s, row %d: %s is %q, and %q", name, i, column, r[column], b.Rows[i][column])
				}
			} else if math.Abs(x-y) > 1e-6*max(math.Abs(x), 1e-6) {
				t.Errorf("%s, row %d: %s is %v, and %v", name, i, column, x, y)
			}
		}
	}
}

func TestCheck(t *testing.T) {
	v, o := tiny(t, t.TempDir())
	for want, wrong := range map[string]run.Values{
		"--data must name":          v.With("data", ""),
		`there is no corpus "news"`: v.With("corpora", "news"),
		`--figures has "7"`:         v.With("figures", "7"),
		`--pipelines has "LDA"`:     v.With("pipelines", "LDA"),
		"at least 2 topics, not 1":  v.With("topics", "1"),
	} {
		if err := Part.Run(t.Context(), wrong, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// openSmall opens the corpus of Figure 3 of a drawn folder.
func openSmall(t *testing.T) *denseCorpus {
	t.Helper()
	v, o := tiny(t, writePaperData(t))
	c, err := open(t.Context(), &run.Job{Values: v.With("figure", Figure3, "corpus", "nips", "size", 60),
		Shared: t.TempDir(), Workers: 2, Log: o.Log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.dense
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

// Every pipeline finds topics whose columns sum to 1, and says how long it took.
func TestPipelines(t *testing.T) {
	d := openSmall(t)
	for _, note := range notes {
		o, err := d.fit(t.Context(), note.Name, 4, 1, 2)
		if err != nil {
			t.Fatalf("%s: %v", note.Name, err)
		}
		if o.topics.K != 4 || note.Name != baseline && len(o.course) < 1 || !(o.seconds() > 0) || o.rectify < 0 ||
			o.infer < 0 {
			t.Errorf("%s: %+v", note.Name, o)
		}
		for k := range 4 {
			sum := 0.0
			for i := range d.p {
				sum += o.topics.B(i, k)
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Errorf("%s: topic %d sums to %v", note.Name, k, sum)
			}
		}
	}
}

// Settings that are not zero are named.
func TestDescribe(t *testing.T) {
	got := describe("ENN", rectify.Options{Iterations: 50, Truncated: true, Workers: 3, Seed: 7,
		Key: func(int) uint64 { return 0 }})
	if got != "ENN: iterations 50, truncated" {
		t.Errorf("%q", got)
	}
}
