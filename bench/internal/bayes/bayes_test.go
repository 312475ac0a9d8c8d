package bayes

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/bench/internal/run"
	"anchorage/bench/internal/show"
	"anchorage/corpus"
	"anchorage/internal/synth"
)

// tiny returns settings of fits that take a second, of a drawn corpus, and options for a new folder.
func tiny(t *testing.T) (run.Values, run.Options) {
	t.Helper()
	data := t.TempDir()
	if err := os.Mkdir(filepath.Join(data, "drawn"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := (synth.Model{Items: 120, Topics: 4, Documents: 900, Tokens: 30, Seed: 2}).Plant().WriteShards(t.Context(),
		filepath.Join(data, "drawn"), 2); err != nil {
		t.Fatal(err)
	}
	return Part.Defaults().With("data", data, "corpora", "drawn", "topics", "3,6", "batch-sizes", "50", "items", 100,
			"max-df-ratio", 1.0),
		run.Options{Folder: filepath.Join(t.TempDir(), "results"), Command: "go run ./bench bayes", Again: run.AgainNone,
			Workers: 2, Log: slog.New(slog.DiscardHandler), Stderr: io.Discard}
}

// A folder of fits has tables, charts and scores that can be, and a second command makes only what is missing.
func TestPart(t *testing.T) {
	v, o := tiny(t)
	if err := Part.Run(t.Context(), v, o); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{"README.md": "| lda | stochastic | chapter | ", "gain.svg": "<svg",
		"figure11.3-drawn.svg": "<svg", "figure11.4.svg": "<svg", "correlations.csv": ",", "curves.csv": ",", "topics.csv": ","} {
		if content, err := os.ReadFile(filepath.Join(o.Folder, file)); err != nil || !strings.Contains(string(content), text) {
			t.Errorf("%s does not say %q: %v\n%s", file, text, err, content)
		}
	}
	runs := read(t, o.Folder)
	for _, r := range runs.Rows {
		if score := number(t, r["set_aside"]); r["documents"] != "710" || r["c0"] != "5" ||
			!(score > -math.Log(100)-0.1 && score < -3) {
			t.Errorf("%v", r)
		}
	}
	v = v.With("models", "lda", "topics", "3", "priors", "chapter,learned,window", "algorithms", "stochastic,batch",
		"pieces", "0,10", "documents", "0,300", "seeds", 2)
	if err := Part.Run(t.Context(), v, o); err != nil {
		t.Fatal(err)
	}
	more := read(t, o.Folder)
	if want := 6 + 2*2*2*(3+1) - 1; len(more.Rows) != want {
		t.Errorf("%d fits, want %d", len(more.Rows), want)
	}
	for i, r := range runs.Rows {
		if fmt.Sprint(more.Rows[i]) != fmt.Sprint(r) {
			t.Errorf("row %d has changed: %v", i, more.Rows[i])
		}
	}
	for _, r := range more.Rows[6:] {
		if r["failure"] != "" || r["limit"] == "300" && r["documents"] != "300" || r["algorithm"] == batch &&
			(r["batch_size"] != "0" || r["priors"] != chapter) {
			t.Errorf("%v", r)
		}
	}
}

func read(t *testing.T, folder string) show.View {
	t.Helper()
	v, err := show.Read(filepath.Join(folder, "runs.csv"))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func number(t *testing.T, text string) (v float64) {
	t.Helper()
	if _, err := fmt.Sscan(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestCheck(t *testing.T) {
	v, o := tiny(t)
	for want, wrong := range map[string]run.Values{
		"must name the corpora":     v.With("corpora", ""),
		`--models has "nmf"`:        v.With("models", "nmf"),
		`--priors has "flat"`:       v.With("priors", "flat"),
		"2 or more":                 v.With("batch-sizes", "1"),
		`--algorithms has "newton"`: v.With("algorithms", "newton"),
	} {
		if err := Part.Run(t.Context(), wrong, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Gains compare a fit with that of the next smaller number of topics, of the same seed.
func TestGains(t *testing.T) {
	v := show.View{Columns: []string{"topics", "seed", "set_aside"}}
	for _, row := range []string{"100 1 -3", "25 1 -5", "50 1 -4.5", "25 2 -9"} {
		f := strings.Fields(row)
		v.Rows = append(v.Rows, show.Row{"topics": f[0], "seed": f[1], "set_aside": f[2]})
	}
	var got []string
	for _, r := range gains(v).Rows {
		got = append(got, fmt.Sprint(r["topics"], r["seed"], " ", r["gain"], " ", r["doubled"], " ", r["rise"], " ",
			r["most"]))
	}
	want := "251 false; 501 0.5 true 0.5 false; 1001 1.5 true 2 true; 252 true"
	if strings.Join(strings.Fields(strings.Join(got, "; ")), " ") != want {
		t.Errorf("got %q", got)
	}
}

// A cut keeps all tokens, in pieces of equal size except for one token, and the items of each increase.
func TestCut(t *testing.T) {
	docs := &corpus.Documents{}
	docs.Append([]int32{2, 5, 9}, []int32{4, 1, 2})
	docs.Append([]int32{1}, []int32{3})
	docs.Append(nil, nil)
	got := cut(docs, 3)
	var text []string
	for d := range got.Documents() {
		items, counts := got.Row(d)
		text = append(text, fmt.Sprintf("%v %v", items, counts))
	}
	if want := "[2 9] [2 1]; [2 5] [1 1]; [2 9] [1 1]; [1] [3]; [] []"; strings.Join(text, "; ") != want {
		t.Errorf("got %s", strings.Join(text, "; "))
	}
}

// The weights of steps make a mean of this number of documents: all of a few, and about 2/ρ batches after many steps.
func TestRemembered(t *testing.T) {
	if got := remembered(10, 10, 1, 1); got != 10 { // one step: one batch
		t.Errorf("%v documents of one batch", got)
	}
	a, b := (1-1/math.Sqrt(3))/math.Sqrt2, 1/math.Sqrt(3) // two steps have ρ = 1/√2 and 1/√3
	if got, want := remembered(20, 10, 1, 1), 10*(a+b)*(a+b)/(a*a+b*b); math.Abs(got-want) > 1e-9 {
		t.Errorf("%v documents of two batches, want %v", got, want)
	}
	if got := remembered(100_000, 10, 1, 1); math.Abs(got/10-200) > 20 { // ρ is 0.01
		t.Errorf("%v documents after 10,000 batches", got)
	}
	if got := remembered(1000, 10, 1, 1e8); math.Abs(got-1000) > 1 { // equal weights
		t.Errorf("%v documents with a large t₀", got)
	}
	if got := remembered(77, 0, 20, 0); got != 77 {
		t.Errorf("%v documents with the batch algorithm", got)
	}
}
