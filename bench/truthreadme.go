// This file writes the README.md beside what was recovered of a known truth.

package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// truthReadme returns a function that writes the README.md: the command, the day and the machine, the slopes and the means.
func truthReadme(command string, workers int, methods []string, tables ...*table) func(io.Writer) error {
	return func(w io.Writer) error {
		var b strings.Builder
		fmt.Fprintf(&b, "# What is recovered of a known truth\n\nMade on %s by\n\n```\n%s\n```\n\non\n\n", time.Now().UTC().Format(time.DateOnly), command)
		for _, line := range machine(workers) {
			fmt.Fprintf(&b, "- %s\n", line)
		}
		b.WriteString(`
The numbers come out the same again.

![errors against the number of documents](truth.svg)

Points are means over seeds, each with another truth, and bars reach from the least to the greatest. Lines are fitted to the
means from the number of documents on from which every anchor is recovered with every seed, and their slopes are in the
legend; sampling alone makes −½.

`)
		writeTruthMethods(&b, methods)
		b.WriteString(`
error_b is the mean ℓ1 error of a column of B once topics are matched, from 0 to 2. The errors of common items (the most
frequent, half of all tokens), middling ones (up to 90 %) and rare ones are relative to what the class has of a topic.
error_a is the relative Frobenius error of A; anchors is the share of topics with a true anchor of theirs.
`)
		for _, t := range tables {
			fmt.Fprintf(&b, "\n## %s%s\n\n", strings.ToUpper(t.name[:1]), t.name[1:])
			if err := t.writeMarkdown(&b); err != nil {
				return err
			}
		}
		_, err := io.WriteString(w, b.String())
		return err
	}
}

// truthNotes say what the methods of TruthMethods are: eigenpairs, rectification, and row sums in LAW.
var truthNotes = []string{"accurate eigenpairs, ENN, counted row sums", "accurate eigenpairs, ENN, row sums of the factor, as published",
	"accurate eigenpairs, no rectification, counted row sums", "eigenpairs as of `--passes auto`, ENN, counted row sums"}

// writeTruthMethods lists what the methods are.
func writeTruthMethods(w io.Writer, methods []string) {
	rows := [][]string{{"method", "what it is"}, {"---", "---"}}
	for _, method := range methods {
		note := "C held whole, rectified by alternating projection; topics by AW"
		if i := slices.Index(TruthMethods, method); i >= 0 {
			note = truthNotes[i]
		}
		for _, v := range topicsVariants {
			if v.name == method {
				note = v.note
			}
		}
		rows = append(rows, []string{method, note})
	}
	for _, row := range rows {
		markdownRow(w, row)
	}
}
