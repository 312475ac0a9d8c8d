// This file writes the results of a soak.

package soak

import (
	"fmt"
	"strings"
	"time"

	"anchorage/bench/internal/report"
)

// Problems returns the number of problems.
func Problems(found []*Outcome) (n int) {
	for _, o := range found {
		n += len(o.Problems)
	}
	return n
}

// Write writes what was found: outcomes.csv, problems.csv and README.md.
func Write(folder *report.Folder, found []*Outcome, origin report.Origin) error {
	outcomes := report.NewTable("outcomes", report.Texts("part", "what", "how"), report.Ints("disturbed", "refused", "complete", "failed_requests", "problems", "most_left"),
		report.Floats("slowest_end_ms", "seconds"), report.Texts("note"))
	problems := report.NewTable("problems", report.Texts("part", "what", "how", "problem"))
	for _, o := range found {
		outcomes.Add(o.Part, o.What, o.How, int64(o.Disturbed), int64(o.Refused), int64(o.Complete), int64(o.Requests), int64(len(o.Problems)), int64(o.Left),
			float64(o.Slowest)/float64(time.Millisecond), o.Time.Seconds(), o.Note)
		for _, problem := range o.Problems {
			problems.Add(o.Part, o.What, o.How, problem)
		}
	}
	if err := folder.AddTables(outcomes, problems); err != nil {
		return err
	}
	return folder.AddText("README.md", readme(found, origin))
}

const legend = `Disturbed counts runs, or readings of what was damaged. Refused are those of them that ended with an error, an interrupt or a kill.
Complete are those after which the new output was there all the same, or, of readings, that gave the right values. Problems are what must not be: an
output that is neither the one before nor the whole new one, a wrong exit code, a next run that fails, gives other bytes than an undisturbed
one or leaves files behind, a damage that is read without an error. Left is how many files and folders a disturbed run left at most,
checkpoints among them; after the next run, or after gc of a store, nothing was left. Failed requests are those that the proxy
before the object store failed. Slowest is the longest time from a signal to the end of the run.
[outcomes.csv](outcomes.csv) has every row, [problems.csv](problems.csv) the problems.

`

// readme returns the text for people.
func readme(found []*Outcome, origin report.Origin) string {
	b := origin.Begin("The program on bad days", "Runs of the program, built with the tag `faults`, are disturbed, and what they leave is looked at.")
	b.WriteString("\n## Goals\n\n")
	report.MarkdownHeader(b, "part", "what is counted", "goal:", "disturbed:", "problems:", "minutes:")
	for _, part := range Parts {
		disturbed, problems, took := 0, 0, time.Duration(0)
		for _, o := range found {
			if o.Part == part.Name {
				disturbed, problems, took = disturbed+o.Disturbed, problems+len(o.Problems), took+o.Time
			}
		}
		if disturbed == 0 {
			continue
		}
		report.MarkdownRow(b, part.Name, part.What, fmt.Sprint(part.Goal), fmt.Sprint(disturbed), fmt.Sprint(problems), fmt.Sprintf("%.1f", took.Minutes()))
	}
	b.WriteString("\n## Outcomes\n\n" + legend)
	report.MarkdownHeader(b, "part", "what", "how", "disturbed:", "refused:", "complete:", "failed requests:", "left:", "slowest:", "problems:", "note")
	for _, o := range found {
		slowest := ""
		if o.Slowest > 0 {
			slowest = fmt.Sprintf("%.0f ms", float64(o.Slowest)/float64(time.Millisecond))
		}
		report.MarkdownRow(b, o.Part, o.What, o.How, fmt.Sprint(o.Disturbed), fmt.Sprint(o.Refused), fmt.Sprint(o.Complete), fmt.Sprint(o.Requests), fmt.Sprint(o.Left), slowest,
			fmt.Sprint(len(o.Problems)), o.Note)
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
