// This file writes what a folder of records shows: tables, the chart, and README.md.

package truth

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"anchorage/bench/internal/report"
	"anchorage/internal/durable"
)

// writeResults writes the tables means, slopes and checks, the chart and README.md into a folder that holds the records.
func writeResults(results string) error {
	records, err := runLog.Read(results)
	if err != nil {
		return err
	}
	groups := groupRecords(records)
	checks := checksOf(groups)
	for _, t := range []*report.Table{meansTable(groups), slopesTable(groups), checksTable(checks)} {
		if err := durable.WriteFile(filepath.Join(results, t.Name+".csv"), t.WriteCSV); err != nil {
			return err
		}
	}
	if len(groups) > 0 {
		if err := durable.WriteFile(filepath.Join(results, "truth.svg"), chart(groups).Write); err != nil {
			return err
		}
	}
	return report.WriteText(filepath.Join(results, "README.md"), readme(records, groups, checks))
}

// readme returns the text of README.md.
func readme(records []Record, groups []group, checks []check) string {
	b := new(strings.Builder)
	b.WriteString("# What is recovered of a known truth\n\n")
	var made []report.Made
	for _, r := range records {
		made = append(made, report.Made{Command: r.Command, Machine: r.Machine, Started: r.Started})
	}
	report.WriteMade(b, made)
	b.WriteString(introduction)
	if len(groups) > 0 {
		b.WriteString("\n![errors against the number of documents](truth.svg)\n" + aboutChart)
	}
	writeMethods(b, groups)
	writeChecks(b, checks)
	for i := range groups {
		g := &groups[i]
		fmt.Fprintf(b, "\n## %s%s\n", strings.ToUpper(g.title()[:1]), g.title()[1:])
		g.writeFigure(b, "Error of B", errorB)
		g.writeFigure(b, "Error of A", errorA)
		g.writeCost(b)
	}
	if slopes := slopesTable(groups); len(slopes.Rows) > 0 {
		b.WriteString("\n## Slopes\n\n")
		slopes.WriteMarkdown(b)
	}
	heading := "\n## Runs without topics\n\n"
	for _, r := range records {
		if r.Failure != "" {
			fmt.Fprintf(b, "%s- %s, N = %d, M = %d, seed %d: %s\n", heading, r.Method, r.Items, r.Documents, r.Seed, r.Failure)
			heading = ""
		}
	}
	return b.String()
}

// writeMethods lists what the methods are.
func writeMethods(b *strings.Builder, groups []group) {
	b.WriteString("\n")
	report.MarkdownHeader(b, "method", "what it is")
	for _, m := range methods {
		if slices.ContainsFunc(groups, func(g group) bool { return slices.Contains(g.methods(), m.name) }) {
			report.MarkdownRow(b, m.name, m.note)
		}
	}
}

// writeFigure writes a table with a row per method: the mean of a figure for each number of documents with its ratio to the floor,
// and its slope.
func (g *group) writeFigure(b *strings.Builder, what string, figure int) {
	fmt.Fprintf(b, "\n%s, and in brackets its ratio to the floor:\n\n", what)
	header := []string{"method"}
	for _, documents := range g.documents() {
		header = append(header, fmt.Sprintf("M = %d:", documents))
	}
	report.MarkdownHeader(b, append(header, "slope:")...)
	for _, method := range g.methods() {
		means := g.means(method)
		cells := []string{method}
		for _, documents := range g.documents() {
			cell := "–"
			for _, m := range means {
				if m.documents != documents {
					continue
				}
				if cell = report.Readable(m.mean[figure]); method != Floor && !math.IsNaN(m.ratio[figure]) {
					cell += fmt.Sprintf(" (%.2f)", m.ratio[figure])
				}
			}
			cells = append(cells, cell)
		}
		slope := "–"
		if of := fitted(means); of != nil {
			slope = slopeOf(of, figure)
		}
		report.MarkdownRow(b, append(cells, slope)...)
	}
}

// writeCost writes a table with a row per method: the share of true anchors, processor time and memory at the greatest number of
// documents that it has.
func (g *group) writeCost(b *strings.Builder) {
	b.WriteString("\nAt the greatest number of documents of each method:\n\n")
	report.MarkdownHeader(b, "method", "M:", "seeds:", "anchors found:", "CPU s:", "peak MiB:")
	for _, method := range g.methods() {
		if means := g.means(method); len(means) > 0 {
			m := means[len(means)-1]
			report.MarkdownRow(b, method, fmt.Sprint(m.documents), fmt.Sprint(m.found), report.Readable(m.anchors), report.Readable(m.cpu),
				report.Readable(m.peak/(1<<20)))
		}
	}
}

// introduction says what was run and what the figures are.
const introduction = `Documents are drawn from topics that are known, with Zipf item frequencies, and topics are learned of them. Another
run gives the same numbers, but for times and memory. ` + "`runs.csv`" + ` has a row per corpus and method; a later command goes on from
it. ` + "`means.csv`" + ` has the means over seeds, each with another truth.

- **error of B**: mean ℓ1 error of a column of B once topics are matched, from 0 to 2. The errors of common items (the most
  frequent, half of all tokens), middling items (up to 90 %) and rare items are relative to what the class has of a topic.
- **error of A**: ‖Â−A‖_F/‖A‖_F; **distance of A**: Σ|Â−A|, from 0 to 2. A is E[θθᵀ]. Methods that have no A of their own get the
  mean of E[θθᵀ] over the documents that they learned from.
- **floor**: the same figures of one who is told the topic of every token and counts. In expectation a topic's error of B is
  Σ √(2·B(1−B)/(π·n)) with n tokens of the topic. ` + "`shrunk_b`" + ` is the error after the best shrinking towards the items' frequencies.
- **posterior**: the figures of Gibbs sampling that knows the prior and begins at the truth: about the least that can be asked for
  of a method that sees documents alone.
- **anchors found**: share of topics whose anchor is a true one; – for methods without anchors.
- **CPU s**, **peak MiB**: processor time of learning once the documents are there, and the largest resident size of the process;
  – where they were not measured. Other work on the machine makes times longer.
- **slope**: of the logarithm of an error against that of M. For methods with anchors it is of the numbers of documents at which
  every seed recovers every anchor, where there are at least two, else of all. Sampling alone makes −½.
`

const aboutChart = `
Points are means over seeds; bars reach from the least to the greatest value. The legend gives slopes where all corpora have one N.
The third panel is of the first method beside the floor.
`
