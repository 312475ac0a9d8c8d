package choosing

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/bench/internal/benchtest"
	"anchorage/internal/durable"
	"anchorage/model"
	"anchorage/model/choose"
	"anchorage/shard"
)

var quiet = slog.New(slog.DiscardHandler)

// small is a grid of two corpora.
func small() *Grid {
	return &Grid{Topics: []int{3, 4}, Strengths: []float64{1}, Items: []int{150}, Multiples: []int{10}, Tokens: []int{30}, Concentration: 0.1, Seeds: 1, First: 1, To: 12, Workers: 2, Log: quiet}
}

// A grid keeps what it has made, finds easy truths, and writes results that are in order.
func TestGrid(t *testing.T) {
	results := filepath.Join(t.TempDir(), "results")
	if err := small().Write(t.Context(), results); err != nil {
		t.Fatal(err)
	}
	first := benchtest.Text(t, results, "runs.csv")
	records, err := runLog.Read(results)
	if err != nil || len(records) != 2 || records[0].Topics != 3 || !records[0].right() || !records[0].covered() || records[0].Seconds <= 0 || !strings.Contains(records[1].Spectrum, " ") {
		t.Fatalf("%+v, %v", records, err)
	}
	if err := small().Write(t.Context(), results); err != nil {
		t.Fatal(err)
	}
	if again := benchtest.Text(t, results, "runs.csv"); again != first {
		t.Error("a run with a row was made again")
	}
	if err := WriteResults(results); err != nil {
		t.Fatal(err)
	}
	benchtest.Only(t, results, "runs.csv", "stages.csv", "drawn.svg", "README.md")
	benchtest.Says(t, "README.md", benchtest.Text(t, results, "README.md"), "in 2 of 2 corpora, 100 %", "| 150 | 10 | 30 | 0.1 | 1 | 3 | 1 of 1 | 1 of 1 | 3 |")
	benchtest.Results(t, results)
}

func TestRecord(t *testing.T) {
	r := Record{Run: Run{Topics: 20}}
	r.note(&choose.Count{ChoiceRecord: model.ChoiceRecord{Topics: 23, Low: 15, High: 19, Basis: choose.ByGap, Edge: 2}, Values: []float64{8, 2.5, 1.2, 0.9}})
	if r.right() || r.covered() || r.Spectrum != "4 1.25 0.6" {
		t.Errorf("%+v", r)
	}
	for chosen, want := range map[int]bool{17: false, 18: true, 20: true, 22: true, 23: false} {
		if r.Chosen = chosen; r.right() != want {
			t.Errorf("%d of 20 topics is right: %v", chosen, !want)
		}
	}
}

// A real corpus has a row, a table and a chart.
func TestReal(t *testing.T) {
	data, results := t.TempDir(), filepath.Join(t.TempDir(), "results")
	if err := os.Mkdir(filepath.Join(data, "texts"), 0o755); err != nil {
		t.Fatal(err)
	}
	docs, _ := small().model(small().runs()[1]).Draw()
	err := durable.WriteFile(filepath.Join(data, "texts", "a.parquet"), func(w io.Writer) error {
		writer, err := shard.NewDocumentWriter(w)
		if err != nil {
			return err
		}
		for d := range docs.Documents() {
			indices, counts := docs.Row(d)
			var items []string
			for _, i := range indices {
				items = append(items, "w"+strings.Repeat("x", int(i)))
			}
			if err := writer.Write("", items, counts); err != nil {
				return err
			}
		}
		return writer.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	of := &Real{Data: data, Corpora: []string{"texts"}, From: 2, To: 10, Steps: 2, Workers: 2, Log: quiet}
	for range 2 {
		if err := of.Write(t.Context(), results); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteResults(results); err != nil {
		t.Fatal(err)
	}
	benchtest.Only(t, results, "real.csv", "real-texts.csv", "README.md")
	benchtest.Says(t, "README.md", benchtest.Text(t, results, "README.md"), "### texts", "**4 topics**", "| 4 | true |")
	benchtest.Results(t, results)
}

func TestCheck(t *testing.T) {
	for name, change := range map[string]func(*Grid){
		"--seeds":         func(g *Grid) { g.Seeds = -1 },
		"--to":            func(g *Grid) { g.To = 1 },
		"--concentration": func(g *Grid) { g.Concentration = 0 },
		"topics":          func(g *Grid) { g.Topics = []int{1} },
	} {
		g := small()
		change(g)
		if err := g.Check(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, of := range []Real{{Corpora: []string{"../a"}, From: 2, To: 3, Steps: 1}, {From: 1, To: 3, Steps: 1}, {From: 5, To: 3, Steps: 1}, {From: 2, To: 3}} {
		if of.Check() == nil {
			t.Errorf("%+v passes", of)
		}
	}
}
