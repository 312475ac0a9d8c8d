package truth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/internal/synth"
)

// Whole fits recover what the stages on their own do, those with item weights with somewhat more noise; variational inference finds
// topics from a fit's; and another program's topics are scored as ours are.
func TestTruthFits(t *testing.T) {
	g := tinyGrid(t, "works")
	g.Documents, g.Methods = []int{32_000}, []string{"sklearn-nmf", denseMethod, "published", "joined", "no-polish", Floor, "enn-exact"}
	records, folder := made(t, g)
	byName := make(map[string]Record)
	var names []string
	for _, r := range records {
		byName[r.Method] = r
		names = append(names, r.Method)
	}
	if got := strings.Join(names, " "); got != "floor enn-exact published no-polish ap+aw joined sklearn-nmf" {
		t.Fatalf("methods %s", got)
	}
	floor, stages := byName[Floor], byName["enn-exact"]
	limit := map[string]float64{"ap+aw": 3, "published": 3, "no-polish": 3, "joined": 8} // short documents, and another prior than drawn
	for _, name := range []string{"ap+aw", "published", "no-polish", "joined"} {
		r := byName[name]
		if r.Failure != "" || r.Figures[errorB] > limit[name]*stages.Figures[errorB] || r.Figures[errorB] < floor.Figures[errorB] || r.Iterations < 1 || !(r.Seconds > 0) || !(r.CPU > 0) || r.PeakBytes < 1<<20 {
			t.Errorf("%+v, and by the stages %v", r, stages.Figures)
		}
		if name != "joined" && (r.Passes < 1 || r.Anchors < 1-1e-9) || name == "joined" && !math.IsNaN(r.Anchors) {
			t.Errorf("%+v", r)
		}
	}
	peer := byName["sklearn-nmf"]
	if peer.Program != "fake 1.0" || peer.Seconds != 2 || peer.CPU != 3 || peer.PeakBytes != 7 || peer.Passes != 4 || len(peer.Stages) != 3 || !(peer.Figures[errorB] > 0.3) || !math.IsNaN(peer.Anchors) {
		t.Errorf("%+v", peer)
	}
	benchtest.Says(t, "README.md", benchtest.Text(t, folder, "README.md"), "| ap+aw | C held whole", "| published | everything as published", "| no-polish | 32000 | 1 | 1 |")
}

// Items that occur in no document count as not learned.
func TestTruthFitsUnseenItems(t *testing.T) {
	g := tinyGrid(t, "")
	g.Model.Items = 3000
	g.Documents, g.Methods = []int{300}, []string{"default"}
	records, _ := made(t, g)
	if b := records[0].Figures[errorB]; len(records) != 1 || records[0].Failure != "" || !(b > 0 && b < 2) {
		t.Errorf("%+v", records)
	}
}

// Fewer items than topics make records of failures, and the grid goes on.
func TestTruthFailures(t *testing.T) {
	g := tinyGrid(t, "broken")
	g.Documents, g.Methods = []int{2, 2000}, []string{"default", "lda", "gensim-lda"}
	records, folder := made(t, g)
	if len(records) != 6 || records[0].Failure == "" || records[3].Failure != "" || !strings.HasSuffix(records[5].Failure, "no topics today") || !math.IsNaN(records[5].Figures[errorA]) {
		t.Fatalf("%+v", records)
	}
	benchtest.Says(t, "README.md", benchtest.Text(t, folder, "README.md"), "## Runs without topics", "- default, N = 60, M = 2, seed 1: "+records[0].Failure)
	t.Setenv(fakePeer, "works")
	for _, again := range []report.Again{report.AgainNone, report.AgainFailed} {
		g.Again = again
		if err := g.Write(t.Context(), folder); err != nil {
			t.Fatal(err)
		}
		if last := recordsIn(t, folder)[5]; (last.Failure == "") != (again == report.AgainFailed) {
			t.Errorf("again %s: %+v", again, last)
		}
	}
	if last := recordsIn(t, folder)[5]; last.Failure != "" || len(recordsIn(t, folder)) != 6 {
		t.Errorf("a failed run was not made again: %+v", last)
	}
}

// What the other program does besides: it is not there, or answers with too little.
func TestPeers(t *testing.T) {
	g := tinyGrid(t, "absent")
	g.Documents, g.Methods = []int{300}, []string{Floor, "sklearn-nmf"}
	var log bytes.Buffer
	g.Log = slog.New(slog.NewTextHandler(&log, nil))
	records, folder := made(t, g)
	if len(records) != 1 || !strings.Contains(log.String(), `msg="run passed over" method=sklearn-nmf reason="No module named sklearn"`) {
		t.Errorf("%+v\n%s", records, log.String())
	}
	t.Setenv(fakePeer, "narrow")
	if err := g.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	if records := recordsIn(t, folder); len(records) != 2 || records[1].Failure != "sklearn-nmf gives 8 joint probabilities of 3 topics" {
		t.Errorf("%+v", records)
	}
	g.Limit, g.Again, g.Methods = time.Nanosecond, report.AgainAll, []string{"default"}
	if err := g.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	if records := recordsIn(t, folder); len(records) != 3 || records[2].Failure != "it takes longer than 1ns" {
		t.Errorf("%+v", records)
	}
}

// The same grid gives the same figures for any number of workers, a grid that is complete starts no process, and one that grows
// keeps its records.
func TestTruthResumed(t *testing.T) {
	g := tinyGrid(t, "")
	g.Documents, g.Seeds, g.Methods = []int{500}, 2, []string{Floor, "enn-exact", "default"}
	first, folder := made(t, g)
	if len(first) != 6 || first[2].Method != "default" || first[3].Seed != 2 {
		t.Fatalf("%+v", first)
	}
	text := benchtest.Text(t, folder, "runs.csv")
	command := g.Command
	g.Command = []string{"no-such-program"}
	if err := g.Write(t.Context(), folder); err != nil || benchtest.Text(t, folder, "runs.csv") != text {
		t.Errorf("a complete grid was made again: %v", err)
	}
	g.Methods, g.Documents, g.Seeds = []string{Floor}, []int{400, 500}, 1
	if err := g.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	if grown := benchtest.Text(t, folder, "runs.csv"); !strings.HasPrefix(grown, text) || len(recordsIn(t, folder)) != 7 {
		t.Errorf("a corpus more has made\n%s", grown)
	}
	g = tinyGrid(t, "")
	g.Documents, g.Seeds, g.Methods, g.Workers = []int{500}, 2, []string{Floor, "enn-exact", "default"}, 1
	second, _ := made(t, g)
	for i := range first {
		a, b := first[i], second[i]
		if a.Run != b.Run || fmt.Sprint(a.Figures, a.Anchors, a.ShrunkB) != fmt.Sprint(b.Figures, b.Anchors, b.ShrunkB) {
			t.Errorf("%+v\n%+v", a, b)
		}
	}
	g.Command, g.Again = command, report.AgainAll
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.Write(ctx, folder); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted run: %v", err)
	}
}

// What was drawn does not depend on the numbers of documents and the methods that are asked for besides.
func TestRunOrder(t *testing.T) {
	g := tinyGrid(t, "")
	g.Documents, g.Seeds, g.Methods = []int{200, 400}, 2, []string{"none-exact", "enn-exact"}
	records, _ := made(t, g)
	var order []string
	for _, r := range records {
		order = append(order, fmt.Sprintf("%d/%d/%s", r.Seed, r.Documents, r.Method))
		if rectified := r.Method == "enn-exact"; r.Passes < 2 || rectified != (r.Iterations > 0) {
			t.Errorf("%+v", r)
		}
	}
	want := "1/200/enn-exact 1/200/none-exact 1/400/enn-exact 1/400/none-exact 2/200/enn-exact 2/200/none-exact 2/400/enn-exact 2/400/none-exact"
	if got := strings.Join(order, " "); got != want {
		t.Errorf("records %s", got)
	}
	g.Documents, g.Seeds, g.Methods = []int{400}, 1, []string{"enn-exact"}
	alone, _ := made(t, g)
	if len(alone) != 1 || alone[0].Figures != records[2].Figures {
		t.Errorf("%+v", alone)
	}
}

func TestGridCheck(t *testing.T) {
	good := *tinyGrid(t, "")
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Grid){
		`"guess": there are floor, posterior, enn-exact,`: func(g *Grid) { g.Methods = []string{"guess"} },
		"--methods is empty":                              func(g *Grid) { g.Methods = nil },
		"--documents":                                     func(g *Grid) { g.Documents = []int{1} },
		"--seeds":                                         func(g *Grid) { g.Seeds = 0 },
		"--prior dirichlet": func(g *Grid) {
			g.Methods, g.Model.Logistic = []string{Posterior}, &synth.LogisticNormal{Deviation: 1}
		},
		"--limit":            func(g *Grid) { g.Limit = -1 },
		`--again is "often"`: func(g *Grid) { g.Again = "often" },
		"need at least":      func(g *Grid) { g.Model.Items = 3 },
	} {
		g := good
		spoil(&g)
		if err := g.Check(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
	if err := Child(t.Context(), strings.NewReader("hello"), nil, nil); err == nil || !strings.Contains(err.Error(), "only `bench truth` runs this") {
		t.Errorf("%v", err)
	}
}

// A corpus too small for K topics is a failure of each method that runs in this process, not the end of the grid.
func TestStageFailures(t *testing.T) {
	g := tinyGrid(t, "")
	g.Documents, g.Methods = []int{2, 4000}, StageMethods
	records, _ := made(t, g)
	if len(records) != 2*len(StageMethods) {
		t.Fatalf("%d records", len(records))
	}
	for _, r := range records {
		if (r.Failure != "") != (r.Documents == 2) || math.IsNaN(r.Figures[errorB]) != (r.Documents == 2) {
			t.Errorf("%s, M = %d: %v, failure %q", r.Method, r.Documents, r.Figures[errorB], r.Failure)
		}
	}
}

// What is read of a record is what was written, and a record without what identifies it is refused.
func TestRecordsCSV(t *testing.T) {
	folder, want := t.TempDir(), recorded(500, 3, "default", 1.0/3, 1)
	want.Flags, want.ExpectedB, want.Seconds, want.PeakBytes = "--prior logistic-normal", 0.5, 2, 9
	want.Started, want.Command, want.Machine = time.Date(2026, 11, 22, 1, 2, 3, 0, time.UTC), "go run", []string{"a", "b"}
	if err := runLog.Put(folder, &want); err != nil {
		t.Fatal(err)
	}
	got := recordsIn(t, folder)
	got[0].ShrunkB, got[0].CPU, want.ShrunkB, want.CPU = 0, 0, 0, 0 // NaN
	if !reflect.DeepEqual(got[0], want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	for name, spoil := range map[string]func(*Record){"items": func(r *Record) { r.Items = 0 }, "error of B": func(r *Record) { r.Figures[errorB] = math.NaN() }} {
		bad := want
		spoil(&bad)
		folder := t.TempDir()
		if err := runLog.Put(folder, &bad); err != nil {
			t.Fatal(err)
		}
		if _, err := runLog.Read(folder); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Groups come by N, K, tokens and flags; their records by documents, seed and method.
func TestGroups(t *testing.T) {
	a, b, c, d := recorded(500, 2, "default", 1, 1), recorded(500, 1, "default", 1, 1), recorded(500, 1, Floor, 1, 1), recorded(100, 9, "old", 1, 1)
	e := recorded(500, 1, "default", 1, 1)
	e.Items = 7
	groups := groupRecords([]Record{a, b, c, d, e})
	if len(groups) != 2 || groups[0].run.Items != 7 || groups[1].title() != "N = 60, K = 3, 30 tokens per document" {
		t.Fatalf("%+v", groups)
	}
	var order []string
	for _, r := range groups[1].records {
		order = append(order, fmt.Sprintln(r.Documents, r.Seed, r.Method))
	}
	if got := strings.Join(order, ""); got != "100 9 old\n500 1 floor\n500 1 default\n500 2 default\n" {
		t.Errorf("%s", got)
	}
	if got := groups[1].methods(); !slices.Equal(got, []string{Floor, "default", "old"}) {
		t.Errorf("%q", got)
	}
	if got := groups[1].documents(); !slices.Equal(got, []int{100, 500}) {
		t.Errorf("%v", got)
	}
}
