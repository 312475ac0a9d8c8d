// This file writes what was measured of variational inference: CSV, charts and README.md.

package bayes

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"anchorage/bench/internal/report"
	"anchorage/svi"
)

// modelNames are what models are called in charts.
var modelNames = map[svi.Model]string{svi.BNMF: "Bayesian NMF", svi.CNMF: "correlated NMF", svi.LDA: "online LDA"}

// report writes everything and commits the folder.
func (b *Grid) report(folder *report.Folder, facts svi.Totals, grid, begun []*cell) error {
	runs, curves := runTables(slices.Concat(grid, begun))
	if err := folder.AddTables(runs, curves); err != nil {
		return err
	}
	if err := folder.AddChart("figure11.3.svg", b.figure3(grid)); err != nil {
		return err
	}
	if len(begun) > 0 {
		if err := folder.AddChart("beginnings.svg", b.beginningsChart(begun)); err != nil {
			return err
		}
	}
	shown := shownFit(grid)
	if shown != nil {
		if err := folder.Add("figure11.4.svg", func(w io.Writer) error { return writeBlocks(w, shown.Correlations) }); err != nil {
			return err
		}
		if err := folder.AddTables(topicTable(shown)); err != nil {
			return err
		}
	}
	if err := folder.AddText("README.md", b.readme(report.NewOrigin(b.Command, b.Workers), facts, grid, begun, shown)); err != nil {
		return err
	}
	return folder.Commit()
}

// shownFit returns the fit whose topics are shown: correlated NMF with the most topics and batches of 1000, or the next size.
func shownFit(grid []*cell) *cell {
	var best *cell
	distance := func(c *cell) int { return max(c.BatchSize-1000, 1000-c.BatchSize) }
	for _, c := range grid {
		if c.Model == svi.CNMF && (best == nil || c.Topics > best.Topics || c.Topics == best.Topics && distance(c) < distance(best)) {
			best = c
		}
	}
	return best
}

// readme returns the text of README.md.
func (b *Grid) readme(origin report.Origin, facts svi.Totals, grid, begun []*cell, shown *cell) string {
	out := origin.Begin("Variational inference: the chapter's figures on other documents", "")
	fmt.Fprintf(out, `
Times are wall-clock times; other work on the machine makes them longer. A second run gives all other numbers again.

The corpus has D = %d documents and %d tokens of V = %d items: those of greatest tf·idf among the items in at most %g %% of the
documents. Fits take the documents in random order. They test every tenth batch before they learn from it: a document's
tokens fall into thirds, and two thirds predict the other one, for each of the three.

![held-out log-likelihood against documents seen](figure11.3.svg)

Held-out log-likelihood per token against documents seen. Points are means over the batches tested within a sixteenth of the
documents, without the first twentieth of the documents.
`, facts.Documents, facts.Tokens, facts.Items, 100*b.MaxDFRatio)
	b.describeGrid(out, facts)
	out.WriteString("\n## In short\n\nHeld-out log-likelihood per token, the mean over the last fifth of the batches tested:\n\n")
	b.writeSummary(out, grid)
	if shown != nil {
		fmt.Fprintf(out, "\n## Correlations\n\n![correlations of topics](figure11.4.svg)\n\nThe %d most probable topics of correlated NMF with K = %d and |C| = %d, the most probable first.\n",
			min(correlationTopics, shown.Topics), shown.Topics, shown.BatchSize)
	}
	if len(begun) > 0 {
		out.WriteString("\n## Beginning with topics found by anchors\n\n![held-out log-likelihood by beginning](beginnings.svg)\n\n")
		writeBeginnings(out, begun)
	}
	if shown != nil {
		writeTopics(out, shown)
	}
	out.WriteString("\n## Files\n\n`runs.csv` has a row per fit, `curves.csv` a row per batch tested.\n")
	return out.String()
}

// describeGrid says what of the chapter's grid was left out, if anything was.
func (b *Grid) describeGrid(out *strings.Builder, facts svi.Totals) {
	var lines []string
	missing := func(what string, all, some []int) {
		var left []string
		for _, v := range all {
			if !slices.Contains(some, v) {
				left = append(left, fmt.Sprint(v))
			}
		}
		if len(left) > 0 {
			lines = append(lines, what+" = "+strings.Join(left, ", "))
		}
	}
	missing("K", AllTopics, b.Topics)
	missing("|C|", AllSizes, b.Sizes)
	if b.Documents > 0 && b.Documents < facts.Documents {
		lines = append(lines, fmt.Sprintf("all but about %d of the %d documents of an epoch", b.Documents, facts.Documents))
	}
	if b.Delay != 1 {
		lines = append(lines, fmt.Sprintf("t₀ = 1; these fits have t₀ = %g", b.Delay))
	}
	if len(b.Models) < len(AllModels) {
		lines = append(lines, "models other than "+strings.Join(b.Models, ", "))
	}
	if b.InitTopics > 0 && len(b.InitModels) < len(AllModels) {
		lines = append(lines, "in the comparison of beginnings, models other than "+strings.Join(b.InitModels, ", "))
	}
	if len(lines) > 0 {
		fmt.Fprintf(out, "\n## Left out\n\n- %s\n\n`go run ./bench bayes SHARD... -o RESULTS --max-df-ratio %g --init-topics 100` makes the full grid.\n",
			strings.Join(lines, "\n- "), b.MaxDFRatio)
	}
}
