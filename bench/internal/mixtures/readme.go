// This file writes the results.

package mixtures

import (
	"fmt"

	"anchorage/bench/internal/report"
)

// Write adds the records to a folder: mixtures.csv and README.md.
func Write(folder *report.Folder, records []Record, origin report.Origin) error {
	t := report.NewTable("mixtures", report.Ints("topics"), report.Floats("concentration"), report.Texts("method", "prior"), report.Ints("tokens", "documents"),
		report.Floats("error", "top_error", "stated_deviation", "coverage"))
	for _, r := range records {
		t.Add(int64(r.Topics), r.Concentration, r.Method, r.Prior, int64(r.Tokens), int64(r.Documents), r.Error, r.Top, r.Stated, r.Coverage)
	}
	if err := folder.AddTables(t); err != nil {
		return err
	}
	b := origin.Begin("How near inferred mixtures are to known ones", "")
	fmt.Fprintf(b, `
Documents are drawn from %d items and K topics, each with a mixture θ of its own, from a Dirichlet distribution whose parameters go as 1, 2, 3
and sum to c. Their topics are inferred as θ̂ under the true B and A, so that nothing is wrong but what few tokens leave open and what a method
neglects. Another run gives the same numbers.

- **error**: root mean square of ‖θ̂ − θ‖ over the documents
- **error of the top share**: root mean square of θ̂_t − θ_t, t the topic with the greatest θ̂
- **stated deviation**: root mean square of the deviation that is stated of θ̂_t
- **held**: share of the %.0f %% intervals of θ_t that hold it

`, items, 100*interval)
	report.MarkdownHeader(b, "K:", "c:", "method", "prior", "tokens:", "documents:", "error:", "error of the top share:", "stated deviation:", "held:")
	for _, r := range records {
		report.MarkdownRow(b, fmt.Sprint(r.Topics), fmt.Sprint(r.Concentration), r.Method, r.Prior, fmt.Sprint(r.Tokens), fmt.Sprint(r.Documents),
			fmt.Sprintf("%.3f", r.Error), fmt.Sprintf("%.3f", r.Top), fmt.Sprintf("%.3f", r.Stated), fmt.Sprintf("%.1f %%", 100*r.Coverage))
	}
	return folder.AddText("README.md", b.String())
}
