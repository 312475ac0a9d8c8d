package kernels

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/internal/kernel"
)

// fewKernels measures everything with sizes that take no time.
func fewKernels() Options {
	return Options{Workers: []int{1, 2}, Runs: 2, Least: 1, Items: 300, Chosen: 70, Topics: []int{7},
		TableBytes: 1 << 16, Columns: []int{9}, SketchItems: 200, Documents: 50, Tokens: 6,
		Orders: []int{5, 12}, Problems: 60, AnchorTopics: []int{3}}
}

func TestKernels(t *testing.T) {
	records, err := fewKernels().Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, r := range records {
		count[r.Group]++
		if !(r.Rate > 0) || r.Workers < 1 || r.Workers > 2 || r.Kernel == "" || r.Shape == "" {
			t.Errorf("%+v", r)
		}
		compared := r.Group != groupPeak && r.Group != groupMemory && r.Group != groupAnchors
		if compared != (r.Share > 0) {
			t.Errorf("share %v of %+v", r.Share, r)
		}
	}
	want := map[string]int{groupPeak: 4, groupMemory: 14, groupProducts: 20, groupCorrections: 24, groupSketch: 6,
		groupEigen: 4, groupAnchors: 6}
	for _, group := range groups {
		if count[group.name] != want[group.name] {
			t.Errorf("%s has %d figures, want %d", group.name, count[group.name], want[group.name])
		}
	}
	path := filepath.Join(t.TempDir(), "results")
	folder, err := report.NewFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(Write(folder, records, 2, report.NewOrigin("the command", 2)), folder.Commit()); err != nil {
		t.Fatal(err)
	}
	benchtest.Only(t, path, "README.md", "kernels.csv")
	benchtest.Results(t, path)
	text, lines := benchtest.Text(t, path, "README.md"), 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|") {
			lines++
		}
	}
	if want := len(records) + 2*len(groups); lines != want {
		t.Errorf("%d lines of tables, want %d:\n%s", lines, want, text)
	}
	benchtest.Says(t, "README.md", text, "\nthe command\n", "kernels in ", "| x·y + s | float32 | 2 | ", "| all eigenpairs | n = 5 | 1 | ")
	if rows := strings.Count(benchtest.Text(t, path, "kernels.csv"), "\n"); rows != 1+len(records) {
		t.Errorf("kernels.csv has %d lines for %d records", rows, len(records))
	}
}

// A share is written as a group has it: in percent, as a factor, or as a factor of times.
func TestWritten(t *testing.T) {
	for want, g := range map[string]group{"25 %": {}, "0.2": {factor: true}, "4.00": {factor: true, inverse: true}} {
		if got := g.written(0.25); got != want {
			t.Errorf("%+v: %s, want %s", g, got, want)
		}
	}
	if got := known(math.NaN(), report.Readable); got != "unknown" {
		t.Errorf("an unknown figure reads %q", got)
	}
}

func TestKernelsCheck(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"--workers is empty":                 func(k *Options) { k.Workers = nil },
		"--only has \"sums\": it must be of": func(k *Options) { k.Parts = []string{"products", "sums"} },
		"--workers has 0":                    func(k *Options) { k.Workers = []int{1, 0} },
		"--topics has -1":                    func(k *Options) { k.Topics = []int{-1} },
		"--runs is 0":                        func(k *Options) { k.Runs = 0 },
		"--table-bytes is -1":                func(k *Options) { k.TableBytes = -1 },
		"--chosen is 301":                    func(k *Options) { k.Chosen = 301 },
		"--topics has 301":                   func(k *Options) { k.Topics = []int{301} },
		"--sketch-items, --documents":        func(k *Options) { k.Documents = 0 },
		"--problems, --anchor-topics: 1":     func(k *Options) { k.Problems = 3; k.AnchorTopics = []int{15} },
	} {
		k := fewKernels()
		change(&k)
		if err := k.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	k := fewKernels()
	if err := k.Check(); err != nil {
		t.Error(err)
	}
	k.Parts = []string{"anchors", "eigenproblems"}
	if err := k.Check(); err != nil {
		t.Error(err)
	}
	if records, err := k.Run(context.Background()); err != nil || len(records) != 4+14+4+6 {
		t.Error(len(records), err)
	}
}

// scripted returns an operation that does one unit of work in the times given, one after the other and then again.
func scripted(calls *int, milliseconds ...int) operation {
	return func() (float64, span, error) {
		took := time.Duration(milliseconds[*calls%len(milliseconds)]) * time.Millisecond
		*calls++
		return 1, span{took, took / 2}, nil
	}
}

func TestMeasureTakesMedians(t *testing.T) {
	m := &measuring{Options: Options{Runs: 3, Least: 1}}
	calls, references := 0, 0
	// The first call does not count; runs take 10, 20 and 50 ms, and what they are compared with 10 on one side and 30
	// on the other.
	r, err := m.measure(context.Background(), scripted(&calls, 1000, 10, 20, 50), scripted(&references, 10, 30))
	if err != nil || calls != 4 || references != 4 {
		t.Fatal(err, calls, references)
	}
	reference := (100 + 100.0/3) / 2
	for _, figure := range []struct{ got, want float64 }{
		{r.Rate, 50}, {r.PerCPU, 100}, {r.Share, 50 / reference}, {r.ShareCPU, 50 / reference},
	} {
		if math.Abs(figure.got-figure.want) > 1e-9*figure.want {
			t.Errorf("%v instead of %v in %+v", figure.got, figure.want, r)
		}
	}
	m.Runs, m.Least, calls = 1, 100*time.Millisecond, 0
	r, err = m.measure(context.Background(), scripted(&calls, 30), nil)
	if err != nil || calls != 1+4 || !math.IsNaN(r.Share) {
		t.Errorf("%d calls for 100 ms of 30 each, share %v: %v", calls, r.Share, err)
	}
	fails := errors.New("fails")
	bad := timed(1, func() error { return fails })
	if _, err := m.measure(context.Background(), scripted(&calls, 1), bad); !errors.Is(err, fails) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.measure(ctx, scripted(&calls, 1), nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestCorrectionTilesAgainstNaive makes sure that what is measured is the product it is said to be, in every way.
func TestCorrectionTilesAgainstNaive(t *testing.T) {
	const n, chosen = 333, 100
	c := newCorrectionTiles(n, chosen, 1.28)
	y, entries := c.part.y, int64(0)
	z, sums := make([]float64, n*c.stride), make([]float64, chosen*c.stride)
	for i := range n {
		for j := range chosen {
			var product float32
			for p, v := range y.Row(i) {
				product += v * y.Row(j)[p]
			}
			if product >= 0 {
				continue
			}
			entries++
			for p := range correctionColumns {
				z[i*c.stride+p] -= float64(product) * float64(c.x.Row(j)[p])
				sums[j*c.stride+p] -= float64(product) * float64(c.x.Row(i)[p])
			}
		}
	}
	if c.entries != entries {
		t.Errorf("%d entries, want %d", c.entries, entries)
	}
	for _, steps := range []correctionSteps{
		{apply: true}, {build: true, apply: true}, {build: true, apply: true, dense: true},
	} {
		for _, workers := range []int{1, 2} {
			for range 2 { // nothing may be left of the time before
				if err := c.sweep(context.Background(), workers, steps); err != nil {
					t.Fatal(err)
				}
			}
			worst := 0.0
			for i := range n {
				for p, v := range c.z.Row(i) {
					worst = max(worst, math.Abs(float64(v)-z[i*c.stride+p]))
				}
			}
			for i, v := range sums {
				worst = max(worst, math.Abs(c.total[i]-v))
			}
			if !(worst < 1e-3) {
				t.Errorf("%+v, %d workers: off by %v", steps, workers, worst)
			}
		}
	}
}

// TestReflection: products with the matrix keep their size, however often they are made.
func TestReflection(t *testing.T) {
	const k = 9
	s := reflection(k)
	for i, v := range kernel.Times(context.Background(), s, s, k, k, k) {
		want := 0.0
		if i%(k+1) == 0 {
			want = 1
		}
		if math.Abs(v-want) > 1e-14 {
			t.Errorf("value %d of the square is %v, want %v", i, v, want)
		}
	}
}
