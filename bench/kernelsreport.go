// This file writes what was measured of the kernels as Markdown.

package bench

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
)

// kernelGroup says how the figures of a group are written.
type kernelGroup struct {
	name, unit  string
	share       string // what Share is called; empty where there is none
	factor      bool   // Share is written as a factor, not in percent
	inverse     bool   // and that of times, not of rates
	cost, notes string
}

var kernelGroups = []kernelGroup{
	{name: groupPeak, unit: "GFLOP",
		notes: "Multiply-adds of registers that wait for nothing: what no kernel goes beyond."},
	{name: groupMemory, unit: "GB",
		notes: "A row that is changed is read and written: its bytes count twice."},
	{name: groupProducts, unit: "GFLOP", share: "share of peak", notes: `
P and X are N×K, and S is K×K. The peak is that of multiply-adds in registers of the same type; but Pᵀ·X and Pᵀ·P add
up in double precision, also of matrices in single precision, and are held against that peak. Pᵀ·P counts half of the
operations: those of the entries on and above the diagonal. Orthonormalizing counts 4·N·K², what Householder reflections
would take, whatever is done.`},
	{name: groupCorrections, unit: "M entries", share: "time, product = 1", factor: true, inverse: true,
		cost: fmt.Sprintf("CPU s, N = %d", correctionItems), notes: fmt.Sprintf(`
K = %d, L = %d; a matrix with 1, 10 and 30 %% negative entries. Time is in proportion to that of the bare product
max(−Y·Y_Iᵀ, 0) for as many rows. Processor seconds are those of one such step at N = %d, in proportion from what was
measured.`, correctionTopics, correctionColumns, correctionItems)},
	{name: groupSketch, unit: "M entries", share: "share of row changes", cost: "GB/s", notes: `
An entry, an item of a document, changes a row of L values, and in a later pass reads another. The share is of the
changes of rows at random that memory allows in a second, with nothing else to do; it is above 100 % where one visit to
a row serves several entries. GB are those of all rows of all entries, read and written.`},
	{name: groupEigen, unit: "problems", share: "gonum's time", factor: true, cost: "ms",
		notes: "gonum's time is that of its EigenSym, which works on one processor, in proportion to ours."},
	{name: groupAnchors, unit: "thousand", cost: "ms",
		notes: "Stages of a call of LAW, and all of it. A pivot looks at all N rows."},
}

// WriteKernels writes the records as Markdown, with the command that made them.
func WriteKernels(w io.Writer, records []KernelRecord, runs int, command string, workers int) error {
	var text strings.Builder
	fmt.Fprintf(&text, "# Kernels\n\nMade on %s by\n\n    %s\n\n", time.Now().UTC().Format("2006-01-02"), command)
	for _, line := range machine(workers) {
		fmt.Fprintf(&text, "- %s\n", line)
	}
	fmt.Fprintf(&text, `
Runs: %d. A figure is the median over the runs, and so is a share. What a run is compared with was measured right before
and after it, with as many workers. Where the machine has other work, figures per second are low; those per second of
processor time (CPU) hold, and so do shares by CPU.
`, runs)
	for _, group := range kernelGroups {
		var of []KernelRecord
		for _, r := range records {
			if r.Group == group.name {
				of = append(of, r)
			}
		}
		if len(of) > 0 {
			group.write(&text, of)
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// write writes a table.
func (g *kernelGroup) write(text *strings.Builder, records []KernelRecord) {
	header := []string{"kernel", "shape", "workers", g.unit + "/s", g.unit + " per CPU s"}
	if g.share != "" {
		header = append(header, g.share, "by CPU")
	}
	if g.cost != "" {
		header = append(header, g.cost)
	}
	rule := slices.Repeat([]string{"---:"}, len(header))
	rule[0], rule[1] = "---", "---"
	fmt.Fprintf(text, "\n## %s\n\n%s\n\n", g.name, strings.TrimSpace(g.notes))
	fmt.Fprintf(text, "| %s |\n|%s|\n", strings.Join(header, " | "), strings.Join(rule, "|"))
	for _, r := range records {
		shape := strings.ReplaceAll(r.Shape, "|", `\|`)
		cells := []string{r.Kernel, shape, fmt.Sprint(r.Workers), known(r.Rate, readable), known(r.PerCPU, readable)}
		if g.share != "" {
			cells = append(cells, known(r.Share, g.written), known(r.ShareCPU, g.written))
		}
		if g.cost != "" {
			cells = append(cells, known(r.Cost, readable))
		}
		fmt.Fprintf(text, "| %s |\n", strings.Join(cells, " | "))
	}
}

// written returns a share as it is written.
func (g *kernelGroup) written(value any) string {
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
