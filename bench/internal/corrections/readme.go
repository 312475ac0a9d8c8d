// This file writes what was measured as README.md and CSV.

package corrections

import (
	"fmt"

	"anchorage/bench/internal/report"
	"anchorage/rectify"
)

// Write adds the records to a folder: corrections.csv and README.md.
func Write(folder *report.Folder, records []Record, o *Options, origin report.Origin) error {
	t := report.NewTable("corrections", report.Ints("topics", "rows"), report.Floats("density"), report.Texts("place", "chosen"),
		report.Ints("applications", "bytes"), report.Floats("cpu_seconds", "seconds", "cpu_seconds_more_per_application"))
	for _, r := range records {
		t.Add(int64(r.Topics), int64(r.Rows), r.Density, r.Place, string(r.Chosen), int64(r.Applications), r.Bytes, r.CPU, r.Seconds, r.Further)
	}
	if err := folder.AddTables(t); err != nil {
		return err
	}
	return folder.AddText("README.md", Readme(records, o, origin))
}

// Readme returns the text of README.md.
func Readme(records []Record, o *Options, origin report.Origin) string {
	b := origin.Begin("Where corrections are kept", "")
	fmt.Fprintf(b, `
One iteration of ENN with a truncated eigendecomposition, N = %d and |I| = 10K + 1000, on factors of which a given share of products is negative.
E is applied while it is built, and then again from where it is kept. All places give the same bits. CPU seconds are the median of %d runs,
of the whole iteration; runs of a shape take turns. "More per application" is what an application after the first takes beyond one from memory.
"As fast as" is the rate at which a disk must deliver the spill file so that reading it takes no longer than computing the corrections
again with %d workers; the file was in the page cache here. Bytes are those of memory or of the file. `+"`corrections.csv`"+` has all figures.

`, o.Items, o.Runs, o.workers())
	report.MarkdownHeader(b, "K:", "density:", "place", "chosen", "applications:", "MB:", "CPU s:", "more per application, CPU s:", "as fast as, MB/s:")
	for at, r := range records {
		further, rate := fmt.Sprintf("%.3f", r.Further), ""
		if r.Place == "memory" {
			further = "0"
		}
		if again := again(records[at:]); r.Place == "spill" && again > 0 {
			rate = fmt.Sprintf("%.0f", float64(r.Bytes)/1e6/again*float64(o.workers()))
		}
		report.MarkdownRow(b, fmt.Sprint(r.Topics), fmt.Sprintf("%.3f", r.Density), r.Place, string(r.Chosen), fmt.Sprint(r.Applications),
			fmt.Sprintf("%.1f", float64(r.Bytes)/1e6), fmt.Sprintf("%.2f", r.CPU), further, rate)
	}
	b.WriteString("\n" + verdict(records))
	return b.String()
}

// again returns what computing the corrections again takes beyond memory, of the next record that did.
func again(records []Record) float64 {
	for _, r := range records {
		if r.Place == string(rectify.CorrectionsRecompute) {
			return r.Further
		}
	}
	return 0
}

// verdict says which place takes the least processor time where there is no memory, and how often auto chose it.
func verdict(records []Record) string {
	shapes, spilled, right := 0, 0, 0
	for at := range records {
		if records[at].Place != "memory" {
			continue // the others of the shape follow it: spill, recompute, auto
		}
		shapes++
		best := rectify.CorrectionsRecompute
		if records[at+1].CPU < records[at+2].CPU {
			best = rectify.CorrectionsSpill
			spilled++
		}
		if records[at+3].Chosen == best {
			right++
		}
	}
	return fmt.Sprintf("Without memory, the spill file takes less processor time than computing again in %d of %d shapes. `auto` without memory chose the "+
		"one that takes less in %d of them.\n", spilled, shapes, right)
}
