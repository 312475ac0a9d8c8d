// This file writes what was measured of the kernels as README.md and CSV.

package kernels

import (
	"fmt"
	"math"
	"strings"

	"anchorage/bench/internal/report"
)

// group says how the figures of a group are written.
type group struct {
	name, unit  string
	share       string // what Share is called; empty where there is none
	factor      bool   // Share is written as a factor, not in percent
	inverse     bool   // and that of times, not of rates
	cost, notes string
}

var groups = []group{
	{name: groupPeak, unit: "GFLOP",
		notes: "Multiply-adds in registers that wait for nothing. No kernel is faster."},
	{name: groupMemory, unit: "GB",
		notes: "A row that changes is read and written: its bytes count twice. Rows are added up 32 at a time, as those of a document are."},
	{name: groupProducts, unit: "GFLOP", share: "share of peak", notes: `
P and X are N×K, and S is K×K. The peak is that of multiply-adds in registers of the same type. Pᵀ·X and Pᵀ·P add up in double
precision, also of matrices in single precision; their peak is that of double precision. Pᵀ·P counts half of the operations:
those of the entries on and above the diagonal. Orthonormalizing counts 4·N·K², what Householder reflections would take.`},
	{name: groupCorrections, unit: "M entries", share: "time, product = 1", factor: true, inverse: true,
		cost: fmt.Sprintf("CPU s, N = %d", correctionItems), notes: fmt.Sprintf(`
K = %d, L = %d; a matrix with 1, 10 and 30 %% negative entries. Time is in proportion to that of the bare product
max(−Y·Y_Iᵀ, 0) for as many rows. The last column is the processor time of one such step at N = %d, in proportion to the
measured time.`, correctionTopics, correctionColumns, correctionItems)},
	{name: groupSketch, unit: "M entries", share: "share of bare rows", cost: "GB/s", notes: `
An entry is an item of a document. It changes a row of L values, and in a later pass adds another row to the sum of its document. The
share is of the entries that memory allows in a second, with nothing else to do than that to random rows. It is above 100 % where one visit
to a row serves several entries. GB count the rows of all entries, read and written.`},
	{name: groupEigen, unit: "problems", share: "gonum's time", factor: true, cost: "ms",
		notes: "gonum's time is that of its EigenSym on one processor, in proportion to ours."},
	{name: groupAnchors, unit: "thousand", cost: "ms",
		notes: "Stages of a call of LAW, and the whole call. A pivot looks at all N rows."},
}

// Write adds the records to a folder: kernels.csv and README.md.
func Write(folder *report.Folder, records []Record, runs int, origin report.Origin) error {
	if err := folder.AddTables(table(records)); err != nil {
		return err
	}
	return folder.AddText("README.md", Readme(records, runs, origin))
}

// table returns a row per record.
func table(records []Record) *report.Table {
	t := report.NewTable("kernels", report.Texts("group", "kernel", "shape"), report.Ints("workers"),
		report.Floats("rate", "rate_per_cpu_second", "share", "share_by_cpu", "cost"))
	for _, r := range records {
		t.Add(r.Group, r.Kernel, r.Shape, int64(r.Workers), r.Rate, r.PerCPU, r.Share, r.ShareCPU, r.Cost)
	}
	return t
}

// Readme returns the text of README.md.
func Readme(records []Record, runs int, origin report.Origin) string {
	b := origin.Begin("Kernels", "")
	fmt.Fprintf(b, `
Runs: %d. Figures and shares are medians over the runs. What a run is compared with was measured right before and after it, with
as many workers. Other work on the machine lowers figures per second; figures per second of processor time (CPU) hold, and so
do shares by CPU. `+"`kernels.csv`"+` has all figures; its rates and costs are in the units of the tables here, and its shares are
rates divided by the rate compared with.
`, runs)
	for _, group := range groups {
		var of []Record
		for _, r := range records {
			if r.Group == group.name {
				of = append(of, r)
			}
		}
		if len(of) > 0 {
			group.write(b, of)
		}
	}
	return b.String()
}

// write writes a table.
func (g *group) write(b *strings.Builder, records []Record) {
	header := []string{"kernel", "shape", "workers:", g.unit + "/s:", g.unit + " per CPU s:"}
	if g.share != "" {
		header = append(header, g.share+":", "by CPU:")
	}
	if g.cost != "" {
		header = append(header, g.cost+":")
	}
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n", g.name, strings.TrimSpace(g.notes))
	report.MarkdownHeader(b, header...)
	for _, r := range records {
		cells := []string{r.Kernel, r.Shape, fmt.Sprint(r.Workers), known(r.Rate, report.Readable), known(r.PerCPU, report.Readable)}
		if g.share != "" {
			cells = append(cells, known(r.Share, g.written), known(r.ShareCPU, g.written))
		}
		if g.cost != "" {
			cells = append(cells, known(r.Cost, report.Readable))
		}
		report.MarkdownRow(b, cells...)
	}
}

// written returns a share as it is written.
func (g *group) written(value any) string {
	share := value.(float64)
	switch {
	case g.inverse:
		return fmt.Sprintf("%.2f", 1/share)
	case g.factor:
		return fmt.Sprintf("%.1f", share)
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// known returns what is known as write has it.
func known(value float64, write func(any) string) string {
	if math.IsNaN(value) {
		return "unknown"
	}
	return write(value)
}
