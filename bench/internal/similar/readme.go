// This file writes the results.

package similar

import (
	"fmt"

	"anchorage/bench/internal/report"
)

// Write adds the records to a folder: similar.csv and README.md.
func Write(folder *report.Folder, records []Record, o Options, origin report.Origin) error {
	t := report.NewTable("similar", report.Texts("corpus", "documents", "vectors"), report.Ints("items", "queries"), report.Floats("first", "ten"))
	for _, r := range records {
		t.Add(r.Corpus, r.band(), r.Vectors, int64(r.Items), int64(r.Queries), r.First, r.Ten)
	}
	if err := folder.AddTables(t); err != nil {
		return err
	}
	b := origin.Begin("Which vectors find substitutes", "")
	fmt.Fprintf(b, `
Items were split in two, of which every document has one in turn; then a model of %d topics was learned. A half is asked for the
items most like it, by the cosine of some vectors. The share of halves that find the other half in first place, and among the first
ten, by the number of documents of a half. Other items may be as good an answer, so no share can be 1; only the vectors are compared.

- profile: the item's row of the rectified co-occurrences, which `+"`anchorage items MODEL similar`"+` uses
- factor: its row of the factor Y
- mixture: its topics
- pairs, both: `+"`--by`"+` of these names; 200 neighbours of each item were counted
- factor and mixture, profile and mixture: the mean of both cosines

`, o.Topics)
	report.MarkdownHeader(b, "corpus", "items:", "documents", "queries:", "vectors", "first:", "first ten:")
	for _, r := range records {
		report.MarkdownRow(b, r.Corpus, fmt.Sprint(r.Items), r.band(), fmt.Sprint(r.Queries), r.Vectors, fmt.Sprintf("%.3f", r.First), fmt.Sprintf("%.3f", r.Ten))
	}
	return folder.AddText("README.md", b.String())
}
