// This file writes the README.md beside what was recovered of a known truth.

package truth

import (
	"fmt"
	"slices"
	"strings"

	"anchorage/bench/internal/report"
	"anchorage/bench/internal/topics"
)

// readme returns the text of README.md.
func readme(origin report.Origin, methods []string, tables ...*report.Table) string {
	b := origin.Begin("What is recovered of a known truth", "")
	b.WriteString(`
A second run gives the same numbers again.

![errors against the number of documents](truth.svg)

Points are means over seeds, each with another truth; bars reach from the least to the greatest value. Lines are fitted to the
means for the numbers of documents at which every seed recovers every anchor; the legend gives their slopes. Sampling alone
makes −½.

`)
	writeMethods(b, methods)
	b.WriteString(`
error_b is the mean ℓ1 error of a column of B once topics are matched, from 0 to 2. The errors of common items (the most
frequent, half of all tokens), middling items (up to 90 %) and rare items are relative to what the class has of a topic.
error_a is the relative Frobenius error of A. anchors is the share of topics for which a true anchor was found.
` + "`records.csv`" + ` has a row per corpus and method.
`)
	for _, t := range tables {
		fmt.Fprintf(b, "\n## %s%s\n\n", strings.ToUpper(t.Name[:1]), t.Name[1:])
		t.WriteMarkdown(b)
	}
	return b.String()
}

// stageNotes say what the methods of StageMethods are: eigenpairs, rectification, and row sums in LAW.
var stageNotes = []string{"accurate eigenpairs, ENN, counted row sums", "accurate eigenpairs, ENN, row sums of the factor, as published",
	"accurate eigenpairs, no rectification, counted row sums", "eigenpairs as of `--passes auto`, ENN, counted row sums"}

// writeMethods lists what the methods are.
func writeMethods(b *strings.Builder, methods []string) {
	report.MarkdownHeader(b, "method", "what it is")
	for _, method := range methods {
		note := "C held whole, rectified by alternating projection; topics by AW"
		if i := slices.Index(StageMethods, method); i >= 0 {
			note = stageNotes[i]
		}
		for _, v := range topics.Variants {
			if v.Name == method {
				note = v.Note
			}
		}
		report.MarkdownRow(b, method, note)
	}
}
