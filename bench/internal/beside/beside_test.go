package beside

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/bench/internal/topics"
	"anchorage/internal/synth"
	"anchorage/matrix"
	"anchorage/model"
)

// The test program stands in for other programs: fakePeer in the environment says so. With childArgument it makes a run of ours.
const (
	fakePeer      = "BESIDE_TEST_FAKE"
	childArgument = "child"
)

func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == childArgument:
		if err := Child(context.Background(), os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			if errors.Is(err, syscall.ENOMEM) {
				os.Exit(codeMemory)
			}
			os.Exit(1)
		}
	case os.Getenv(fakePeer) != "" && len(os.Args) == 9:
		fake(os.Args[2:])
	default:
		os.Exit(m.Run())
	}
	os.Exit(0)
}

// fake plays a program by the method that it is asked for.
func fake(words []string) {
	items, _ := strconv.Atoi(words[3])
	k, _ := strconv.Atoi(words[4])
	switch words[0] {
	case "nmf-default":
		fmt.Fprintln(os.Stderr, "no library here")
		os.Exit(codeAbsent)
	case "kl":
		fmt.Fprintln(os.Stderr, "no room")
		os.Exit(codeMemory)
	case "kl-default": // until it is ended; it takes no notice of being asked
		signal.Ignore(os.Interrupt)
		select {}
	case "lda":
		hoard := make([]byte, 300<<20)
		for i := 0; i < len(hoard); i += 1024 {
			hoard[i] = 1
		}
		<-make(chan int)
		runtime.KeepAlive(hoard)
	case "lda-default":
		fmt.Fprintln(os.Stderr, "Traceback\nno topics today")
		os.Exit(1)
	case "svd":
		return // without an answer
	}
	b := matrix.NewTall(items, k)
	for i := range items {
		b.Row(i)[i%k] = 1 / float64((items-i%k+k-1)/k)
	}
	if err := writeTopics(filepath.Join(words[2], topicsFile), b); err != nil {
		panic(err)
	}
	text, _ := json.Marshal(topics.PeerAnswer{Stages: []model.StageTime{{Name: loadStage, Seconds: 5, CPU: 6}, {Name: "fit", Seconds: 2, CPU: 3}}, PeakBytes: 7, Program: "fake 1.0"})
	if err := os.WriteFile(filepath.Join(words[2], answerFile), text, 0o644); err != nil {
		panic(err)
	}
}

// newGrid returns a grid over drawn documents, with the test program in place of all others.
func newGrid(t *testing.T, names ...string) *Grid {
	t.Helper()
	t.Setenv(fakePeer, "yes")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &Grid{Corpora: []string{Drawn}, Vocabularies: []int{200}, Topics: []int{3}, Systems: names, Repeats: 2, Scratch: t.TempDir(), Workers: 1,
		Programs: Programs{Python: self, R: "no-such-program", Octave: self, Command: []string{self, childArgument}}, Log: slog.New(slog.DiscardHandler)}
}

// Every way in which a system can end is recorded as what it is, and none stops the others.
func TestStatus(t *testing.T) {
	g := newGrid(t, Ours, "sklearn-nmf", "sklearn-nmf-default", "sklearn-kl", "sklearn-lda-default", "sklearn-svd", "r-irlba")
	folder := t.TempDir()
	if _, err := g.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	records, err := runLog.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		status status
		reason string
	}{
		Ours: {made, ""}, "sklearn-nmf": {made, ""}, "sklearn-nmf-default": {absent, "no library here"}, "sklearn-kl": {memory, "no room"},
		"sklearn-lda-default": {failed, "the process ended with exit status 1: no topics today"}, "sklearn-svd": {failed, "open answer.json: no such file"},
		"r-irlba": {absent, "no-such-program"},
	} {
		at := slices.IndexFunc(records, func(r Record) bool { return r.System == name && r.Repeat == 1 })
		if at < 0 {
			t.Errorf("%s: no record", name)
			continue
		}
		if r := records[at]; status(r.Status) != want.status || !strings.Contains(r.Reason, want.reason) {
			t.Errorf("%s: %s: %s, want %s: %s", name, r.Status, r.Reason, want.status, want.reason)
		}
	}
	benchtest.Results(t, folder)
	readme := benchtest.Text(t, folder, "README.md")
	benchtest.Says(t, "README.md", readme, "## Not available here", "- **r-irlba**: ", "| sklearn-kl | **out of memory**: no room |", "| sklearn-nmf | 2 runs | 2 | 3 |",
		"threads", "commit")
	if strings.Contains(readme, g.Scratch) {
		t.Error("README.md names a folder of the machine")
	}
	left, err := os.ReadDir(g.Scratch)
	if err != nil || len(left) > 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
}

// A run with a record is not made again, but for one whose system was not available.
func TestResume(t *testing.T) {
	g := newGrid(t, "sklearn-nmf", "sklearn-nmf-default")
	folder := t.TempDir()
	if _, err := g.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	before := benchtest.Text(t, folder, report.RunsFile)
	var said strings.Builder
	g.Log = slog.New(slog.NewTextHandler(&said, nil))
	if _, err := g.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(said.String(), "run made") || strings.Count(said.String(), "level=WARN") != 2 {
		t.Errorf("the second command said\n%s", said.String())
	}
	if line := func(text string) string { return strings.Split(text, "\n")[1] }; line(before) != line(benchtest.Text(t, folder, report.RunsFile)) {
		t.Error("the record of a run has changed")
	}
}

// A system beyond its limits is ended with all it started, and is not tried with more.
func TestLimits(t *testing.T) {
	g := newGrid(t, "sklearn-kl-default")
	g.Vocabularies, g.Repeats, g.TimeLimit = []int{400, 200}, 2, 300*time.Millisecond
	folder := t.TempDir()
	if _, err := g.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" { // elsewhere the memory of other processes is not known
		g.Systems, g.TimeLimit, g.MemoryLimit = []string{"sklearn-lda"}, time.Minute, 150<<20
		if _, err := g.Write(t.Context(), folder); err != nil {
			t.Fatal(err)
		}
	}
	records, err := runLog.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range records {
		want := beyond
		if i%4 == 0 {
			want = []status{late, memory}[i/4]
		}
		if status(r.Status) != want || (r.Vocabulary == 200) != (i%4 < 2) {
			t.Errorf("run %d, of %d items: %s: %s, want %s", i, r.Vocabulary, r.Status, r.Reason, want)
		}
	}
	if len(records) < 4 {
		t.Errorf("%d records", len(records))
	}
	benchtest.Results(t, folder)
}

// An interrupted grid ends with the error of its context and keeps no half of a run.
func TestInterrupted(t *testing.T) {
	g := newGrid(t, "sklearn-kl-default")
	ctx, cancel := context.WithCancel(t.Context())
	g.Log = slog.New(slog.NewTextHandler(writer(func(string) { cancel() }), nil)) // once the documents are prepared
	folder := t.TempDir()
	if _, err := g.Write(ctx, folder); err == nil || ctx.Err() == nil {
		t.Errorf("the grid ended with %v", err)
	}
	benchtest.Only(t, folder)
}

type writer func(string)

func (w writer) Write(text []byte) (int, error) { w(string(text)); return len(text), nil }

var _ io.Writer = writer(nil)

// The true topics have no error, agree with the items' labels, and complete documents better than topics that mean nothing.
func TestScores(t *testing.T) {
	g := newGrid(t, Ours)
	m, err := g.prepare(t.Context(), Run{Drawn, 200, 3, Ours, 1}.key(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer m.Learning.Close()
	dense := m.drawn.Truth.Dense()
	truth, noise := matrix.NewTall(len(m.items), 3), matrix.NewTall(len(m.items), 3)
	for i, item := range m.items {
		copy(truth.Row(i), dense[3*int(item):3*int(item)+3])
		noise.Row(i)[i%3] = 1 / float64((len(m.items)-i%3+2)/3)
	}
	good, err := m.score(t.Context(), truth, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	bad, err := m.score(t.Context(), noise, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	if good.ErrorB > 1e-9 || good.Agreement < 0.9 || bad.ErrorB < 0.5 || bad.Agreement > 0.3 {
		t.Errorf("errors of B %v and %v, agreements %v and %v", good.ErrorB, bad.ErrorB, good.Agreement, bad.Agreement)
	}
	if good.LogLikelihood < bad.LogLikelihood+0.1 || !(good.NPMI > bad.NPMI) || good.Impossible > bad.Impossible {
		t.Errorf("ln p %v and %v, NPMI %v and %v, impossible %v and %v", good.LogLikelihood, bad.LogLikelihood, good.NPMI, bad.NPMI, good.Impossible, bad.Impossible)
	}
	if math.IsNaN(good.Recall20) == (m.Learning.Account.Kind == "baskets") {
		t.Errorf("recall %v of %s", good.Recall20, m.Learning.Account.Kind)
	}
}

// Labels beside shards are read, and are no shard.
func TestLabels(t *testing.T) {
	g := newGrid(t, "sklearn-nmf")
	data := t.TempDir()
	g.Data, g.Corpora, g.Repeats = []string{t.TempDir(), data}, []string{"shop"}, 1
	folder := filepath.Join(data, "shop")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	drawn := synth.Model{Items: 300, Topics: 3, Documents: 800, Tokens: 30, Seed: 1}.Plant()
	if _, err := drawn.WriteShards(t.Context(), folder, 2); err != nil {
		t.Fatal(err)
	}
	labels := "item,label\n"
	for i := range 300 {
		labels += fmt.Sprintf("%s,%d\n", synth.ItemID(i), i%3)
	}
	if err := os.WriteFile(filepath.Join(folder, labelsFile), []byte(labels), 0o644); err != nil {
		t.Fatal(err)
	}
	results := t.TempDir()
	if _, err := g.Write(t.Context(), results); err != nil {
		t.Fatal(err)
	}
	records, err := runLog.Read(results)
	if err != nil || len(records) != 1 || records[0].Items != 200 || math.IsNaN(records[0].Agreement) {
		t.Errorf("%+v, %v", records, err)
	}
}

// The budget ends the runs. What was made is written, and a later command makes the rest.
func TestBudget(t *testing.T) {
	g := newGrid(t, "sklearn-nmf", "sklearn-kl-default") // the second one never ends
	g.Repeats, g.Budget = 1, 2*time.Second
	folder := t.TempDir()
	left, err := g.Write(t.Context(), folder)
	if err != nil || left < 1 {
		t.Fatalf("%d left, %v", left, err)
	}
	records, err := runLog.Read(folder)
	if err != nil || len(records) != 2-left {
		t.Errorf("%d records and %d left, %v", len(records), left, err)
	}
	g.Systems, g.Budget = []string{"sklearn-nmf"}, 0
	if left, err := g.Write(t.Context(), folder); err != nil || left != 0 {
		t.Errorf("%d left, %v", left, err)
	}
	benchtest.Results(t, folder)
	if !strings.Contains(benchtest.Text(t, folder, "README.md"), "| sklearn-nmf | 1 run |") {
		t.Error("the later command has not made the rest")
	}
}

// Ours keeps the limit of memory, or says before work that it cannot.
func TestOursWithinMemory(t *testing.T) {
	g := newGrid(t, Ours)
	g.Repeats = 1
	folder := t.TempDir()
	for i, limit := range []int64{1 << 30, 30 << 20} {
		g.MemoryLimit, g.Again = limit, report.AgainAll
		if _, err := g.Write(t.Context(), folder); err != nil {
			t.Fatal(err)
		}
		records, err := runLog.Read(folder)
		if err != nil || len(records) != 1 {
			t.Fatalf("%d records, %v", len(records), err)
		}
		r := records[0]
		if want := []status{made, memory}[i]; status(r.Status) != want {
			t.Errorf("with %d MiB it is %s: %s, want %s", limit>>20, r.Status, r.Reason, want)
		}
		if i == 1 && !strings.Contains(r.Reason, "refused in advance") {
			t.Errorf("%s", r.Reason)
		}
	}
}

// The lists that a program leaves are scored, and not its most probable items; lists of what is no item are an error.
func TestLists(t *testing.T) {
	g := newGrid(t, Ours)
	m, err := g.prepare(t.Context(), Run{Drawn, 200, 3, Ours, 1}.key(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer m.Learning.Close()
	b := matrix.NewTall(len(m.items), 3)
	for i := range m.items {
		b.Row(i)[i%3] = 1
	}
	same := [][]int{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}
	if s, err := m.score(t.Context(), b, same, 1); err != nil || math.Abs(s.Diversity-1.0/3) > 1e-9 {
		t.Errorf("diversity %v, %v", s.Diversity, err)
	}
	path := filepath.Join(t.TempDir(), listsFile)
	if lists, err := readLists(path, 3, 9); lists != nil || err != nil {
		t.Errorf("without a file: %v, %v", lists, err)
	}
	for text, want := range map[string]string{"[[1],[],[8]]": "", "[[1],[2]]": "has 2 lists", "[[1],[2],[9]]": "has item 9", "[[1],[2],[-1]]": "has item -1", "{": listsFile} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		lists, err := readLists(path, 3, 9)
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) || err == nil && len(lists) != 2 {
			t.Errorf("%s: %v, %v", text, lists, err)
		}
	}
}

// Items without a topic are a group of their own.
func TestAgreement(t *testing.T) {
	b := matrix.NewTall(6, 2)
	b.Row(0)[0], b.Row(1)[0], b.Row(2)[1], b.Row(3)[1] = 0.5, 0.5, 0.5, 0.5
	items := []int32{0, 1, 2, 3, 4, 5}
	if v := agreement(b, []float64{0.5, 0.5}, items, []int32{2, 2, 0, 0, 1, 1}); math.Abs(v-1) > 1e-9 {
		t.Errorf("three groups as labelled agree by %v", v)
	}
	if v := agreement(b, []float64{0.5, 0.5}, items, []int32{0, 1, 0, 1, 0, 1}); v > 0.1 {
		t.Errorf("groups across labels agree by %v", v)
	}
}
