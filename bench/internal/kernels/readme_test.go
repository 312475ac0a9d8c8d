package kernels

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/internal/synth"
)

// oneOfEach returns a record of every group, in the order of the groups; the figures follow from the place.
func oneOfEach() []Record {
	var records []Record
	for i, g := range groups {
		v := float64(i + 1)
		records = append(records, Record{Name: Name{g.name, fmt.Sprintf("kernel %d", i), "N = 5, |I| = 3", i + 1}, Rate: 10 * v, PerCPU: 20 * v, Share: 0.5, ShareCPU: 0.25, Cost: 100 * v})
	}
	return records
}

// Every figure stands under its own header, in the form of its group.
func TestReadmeColumns(t *testing.T) {
	text := Readme(oneOfEach(), 7, report.Origin{Day: "2026-11-21", Command: "the command", Machine: []string{"one"}})
	benchtest.Says(t, "README.md", text, "# Kernels\n\nMade on 2026-11-21 by\n\n```\nthe command\n```\n\non\n\n- one\n", "\nRuns: 7. ",
		"| kernel | shape | workers | GFLOP/s | GFLOP per CPU s |\n| --- | --- | ---: | ---: | ---: |\n| kernel 0 | N = 5, \\|I\\| = 3 | 1 | 10 | 20 |\n",
		"| kernel | shape | workers | GB/s | GB per CPU s |\n| --- | --- | ---: | ---: | ---: |\n| kernel 1 | N = 5, \\|I\\| = 3 | 2 | 20 | 40 |\n",
		"| GFLOP/s | GFLOP per CPU s | share of peak | by CPU |\n| --- | --- | ---: | ---: | ---: | ---: | ---: |\n| kernel 2 | N = 5, \\|I\\| = 3 | 3 | 30 | 60 | 50 % | 25 % |\n",
		"| M entries/s | M entries per CPU s | time, product = 1 | by CPU | CPU s, N = 200000 |\n", "| kernel 3 | N = 5, \\|I\\| = 3 | 4 | 40 | 80 | 2.00 | 4.00 | 400 |\n",
		"| share of bare rows | by CPU | GB/s |\n", "| kernel 4 | N = 5, \\|I\\| = 3 | 5 | 50 | 100 | 50 % | 25 % | 500 |\n",
		"| problems/s | problems per CPU s | gonum's time | by CPU | ms |\n", "| kernel 5 | N = 5, \\|I\\| = 3 | 6 | 60 | 120 | 0.5 | 0.2 | 600 |\n",
		"| thousand/s | thousand per CPU s | ms |\n| --- | --- | ---: | ---: | ---: | ---: |\n| kernel 6 | N = 5, \\|I\\| = 3 | 7 | 70 | 140 | 700 |\n")
}

// Groups come in their own order, each once with all of its records in theirs, and without records there is no section.
func TestReadmeGroups(t *testing.T) {
	records := oneOfEach()
	records = append(records[4:], records[0], records[2])
	records = append(records, Record{Name: Name{groupSketch, "another", "L = 3", 2}, Rate: 1})
	text, last := Readme(records, 1, report.Origin{}), -1
	for _, want := range []string{"## " + groupPeak, "| kernel 0 |", "## " + groupProducts, "| kernel 2 |", "## " + groupSketch, "| kernel 4 |", "| another |",
		"## " + groupEigen, "## " + groupAnchors} {
		at := strings.Index(text, want)
		if at <= last || strings.Count(text, want) != 1 {
			t.Errorf("%q is at %d, after %d:\n%s", want, at, last, text)
		}
		last = at
	}
	if strings.Contains(text, "## "+groupMemory) || strings.Contains(text, "## "+groupCorrections) {
		t.Error("a group without records has a section")
	}
	if none := Readme(nil, 1, report.Origin{}); strings.Contains(none, "##") || strings.Contains(none, "|") {
		t.Errorf("nothing was measured:\n%s", none)
	}
}

// Figures that are not known are called so, and are NaN in the table.
func TestUnknownFigures(t *testing.T) {
	nan := math.NaN()
	var records []Record
	for _, g := range groups {
		records = append(records, Record{Name: Name{g.name, "x", "y", 1}, Rate: 3, PerCPU: nan, Share: 2, ShareCPU: nan, Cost: nan})
	}
	text := Readme(records, 1, report.Origin{})
	if strings.Contains(text, "NaN") {
		t.Errorf("README.md has NaN:\n%s", text)
	}
	benchtest.Says(t, "README.md", text, "| x | y | 1 | 3 | unknown | 200 % | unknown |\n", "| x | y | 1 | 3 | unknown | 0.50 | unknown | unknown |\n",
		"| x | y | 1 | 3 | unknown | 2.0 | unknown | unknown |\n", "| x | y | 1 | 3 | unknown | unknown |\n")
	var csv strings.Builder
	if err := table(records[:1]).WriteCSV(&csv); err != nil || csv.String() != "group,kernel,shape,workers,rate,rate_per_cpu_second,share,share_by_cpu,cost\n"+groupPeak+",x,y,1,3,NaN,2,NaN,NaN\n" {
		t.Errorf("%q, %v", csv.String(), err)
	}
}

// A cost follows from the rate as its group says.
func TestCosts(t *testing.T) {
	options := fewKernels()
	options.Parts = []string{"passes", "eigenproblems", "anchors"}
	records, err := options.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	work := map[string]float64{"pivots: rows looked at": 0.06 * 3, "mixtures: problems on the simplex": 0.06, "all of LAW: items": 0.06}
	rows := map[string]float64{"first pass, C·Ω": 2, "later pass, C·X": 3, "later pass in single precision": 2.5}
	for _, r := range records {
		want := r.Cost
		switch r.Group {
		case groupSketch:
			want = r.Rate * 1e6 * rows[r.Kernel] * 9 * 8 / 1e9
		case groupEigen:
			want = 1000 / r.Rate
		case groupAnchors:
			want = 1000 * work[r.Kernel] / r.Rate
		}
		if !(math.Abs(r.Cost-want) <= 1e-9*want) && r.Group != groupPeak && r.Group != groupMemory {
			t.Errorf("%+v, want a cost of %v", r, want)
		}
	}
}

// An operation that fails ends the measurement with the name of the kernel, and leaves no record.
func TestAddFails(t *testing.T) {
	m := &measuring{Options: Options{Runs: 2, Least: 1}}
	good := func() (float64, span, error) { return 1, span{wall: 5}, nil }
	for calls := range 3 {
		left := calls
		bad := func() (float64, span, error) {
			if left--; left < 0 {
				return 0, span{}, io.ErrUnexpectedEOF
			}
			return good()
		}
		for name, err := range map[string]error{"operation": m.add(t.Context(), Name{Kernel: "P·S", Shape: "K = 3"}, bad, good),
			"reference": m.add(t.Context(), Name{Kernel: "P·S", Shape: "K = 3"}, good, func() (float64, span, error) { return 0, span{}, io.ErrUnexpectedEOF })} {
			if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(err.Error(), "P·S, K = 3: ") {
				t.Errorf("%s, after %d calls: %v", name, calls, err)
			}
		}
	}
	if len(m.records) != 0 {
		t.Errorf("%+v", m.records)
	}
	if err := m.add(t.Context(), Name{Kernel: "P·S", Workers: 2}, good, nil); err != nil || m.last().Kernel != "P·S" || m.last().Workers != 2 || !(m.last().Rate > 0) {
		t.Errorf("%+v, %v", m.records, err)
	}
}

// Work that took no time on the clock has a pace all the same.
func TestPaceOfNoTime(t *testing.T) {
	if p := paceOf(2, span{}); math.IsInf(p.wall, 0) || !(p.wall > 0) || !math.IsNaN(p.cpu) {
		t.Errorf("%+v", p)
	}
	if p := paceOf(0, span{wall: 1e9, cpu: 1e9}); p.wall != 0 || p.cpu != 0 {
		t.Errorf("%+v", p)
	}
}

// More entries than a batch takes make more batches, each of which is full.
func TestCollectBatches(t *testing.T) {
	docs := synth.Model{Items: 500, Topics: 3, Documents: 30_000, Tokens: 60, Seed: 1}.Plant()
	batches, entries, err := collectDocuments(t.Context(), docs)
	if err != nil || len(batches) < 2 {
		t.Fatalf("%d batches of %d entries: %v", len(batches), entries, err)
	}
	sum, documents := 0, 0
	for i := range batches {
		b := &batches[i]
		if b.Offsets[0] != 0 || !slices.IsSorted(b.Offsets) || int(b.Offsets[len(b.Offsets)-1]) != len(b.Items) || b.Entries() < batchEntries {
			t.Errorf("batch %d: %d entries, %d documents", i, b.Entries(), b.Documents())
		}
		sum, documents = sum+b.Entries(), documents+b.Documents()
	}
	if sum != entries || documents != 30_000 {
		t.Errorf("%d of %d entries, %d documents", sum, entries, documents)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := collectDocuments(ctx, docs); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted pass: %v", err)
	}
}
