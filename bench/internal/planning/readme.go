// This file writes README.md: forecast and truth.

package planning

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"anchorage/bench/internal/report"
)

// goal is how far a forecast may be from the truth.
const goal = 0.25

// writeReadme writes README.md of a folder of records.
func writeReadme(results string) error {
	records, err := runLog.Read(results)
	if err != nil {
		return err
	}
	return report.WriteText(filepath.Join(results, "README.md"), readme(records))
}

// readme returns the text.
func readme(records []Record) string {
	b := new(strings.Builder)
	fmt.Fprintf(b, "# Plans and what fits then took\n\n")
	var made []report.Made
	for _, r := range records {
		made = append(made, report.Made{Started: r.Started, Command: r.Command, Machine: r.Machine})
	}
	report.WriteMade(b, made)
	fmt.Fprintf(b, `
Each corpus was planned, as %[1]sanchorage plan%[1]s does it, and then fitted in the same process with the same options. A cell has the forecast,
what it was, and in brackets by how much the forecast is off; * marks what is off by more than %.0f %%, and ! what lies outside of the plan's
interval. Seconds of a machine that others use are noisy: those of processors (CPU) are steadier. Memory is the resident size at the peak
of a stage. %[1]sruns.csv%[1]s has the intervals, and %[1]sstages.csv%[1]s what each stage took.

`, "`", 100*goal)
	header := []string{"corpus", "K:", "sampled, M:", "plan, CPU s:"}
	for _, f := range figures {
		header = append(header, f.title+":")
	}
	report.MarkdownHeader(b, header...)
	for i := range records {
		r := &records[i]
		row := []string{r.Corpus, strconv.Itoa(r.Topics), fmt.Sprintf("%.2f", float64(r.Sampled)/1e6), fmt.Sprintf("%.1f", r.PlanCPU)}
		for _, f := range figures {
			row = append(row, f.of(r).cell(f.unit))
		}
		if r.Failure != "" {
			row = append(row[:2], r.Failure)
		}
		report.MarkdownRow(b, row...)
	}
	stageTable(b, records)
	return b.String()
}

// stageTable writes what each stage of a fit took. All fits have the same stages.
func stageTable(b *strings.Builder, records []Record) {
	header, first := []string{"corpus", "K:"}, true
	for i := range records {
		r := &records[i]
		if len(r.Stages) == 0 { // it failed
			continue
		}
		total := 0.0
		for _, stage := range r.Stages {
			total += stage.CPU
		}
		row := []string{r.Corpus, strconv.Itoa(r.Topics)}
		for _, stage := range r.Stages {
			if first {
				header = append(header, stage.Name+":")
			}
			row = append(row, fmt.Sprintf("%.3g (%.1f %%)", stage.CPU, 100*stage.CPU/total))
		}
		if first {
			b.WriteString("\nProcessor seconds of the stages of each fit, and in brackets their share:\n\n")
			report.MarkdownHeader(b, header...)
			first = false
		}
		report.MarkdownRow(b, row...)
	}
}

// cell formats a forecast and the truth.
func (f *Forecast) cell(unit float64) string {
	if f.Truth == 0 {
		return "unknown"
	}
	off, mark := f.Estimate/f.Truth-1, ""
	if math.Abs(off) > goal {
		mark = "*"
	}
	if (f.Truth < f.Low || f.Truth > f.High) && f.Low < f.High {
		mark += "!"
	}
	return fmt.Sprintf("%.4g, %.4g (%+.0f %%)%s", f.Estimate/unit, f.Truth/unit, 100*off, mark)
}
