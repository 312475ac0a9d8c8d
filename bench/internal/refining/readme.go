// This file writes README.md, with a table and a chart per corpus.

package refining

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"anchorage/bench/internal/report"
	"anchorage/internal/durable"
)

// group is what a table and a chart show.
type group struct {
	corpus string
	topics int
}

// writeResults writes README.md and the charts into a folder that holds the records.
func writeResults(results string, records []Record) error {
	slices.SortStableFunc(records, func(a, b Record) int {
		return cmp.Or(cmp.Compare(a.Corpus, b.Corpus), cmp.Compare(a.Topics, b.Topics), cmp.Compare(place(a.Setting), place(b.Setting)), cmp.Compare(a.Hold, b.Hold))
	})
	var text strings.Builder
	text.WriteString(introduction)
	for len(records) > 0 {
		of := group{records[0].Corpus, records[0].Topics}
		n := slices.IndexFunc(records, func(r Record) bool { return group{r.Corpus, r.Topics} != of })
		if n < 0 {
			n = len(records)
		}
		name := fmt.Sprintf("refine-%s-%d.svg", of.corpus, of.topics)
		if err := durable.WriteFile(filepath.Join(results, name), chart(of, records[:n]).Write); err != nil {
			return err
		}
		writeTable(&text, of, name, records[:n])
		records = records[n:]
	}
	return report.WriteText(filepath.Join(results, "README.md"), text.String())
}

// chart draws NPMI against the likelihood, one point for each record.
func chart(of group, records []Record) report.Chart {
	panel := report.Panel{Title: fmt.Sprintf("%s, K = %d", of.corpus, of.topics), X: "held-out ln p per token", Y: "NPMI"}
	for _, setting := range settings {
		series := report.Series{Name: setting.title, Style: setting.style}
		for _, r := range records {
			if r.Setting == setting.name {
				series.Points = append(series.Points, report.Point{X: r.LogLikelihood, Y: r.NPMI})
			}
		}
		if len(series.Points) > 0 {
			panel.Series = append(panel.Series, series)
		}
	}
	return report.Chart{Rows: [][]report.Panel{{panel}}, Zoom: 2}
}

// writeTable writes the part of one corpus.
func writeTable(b *strings.Builder, of group, chart string, records []Record) {
	first := records[0]
	fmt.Fprintf(b, "\n## %s, K = %d\n\n%d items in at least %d and at most %g %% of %d documents to learn from; %d documents held out, of which %d tokens are scored.\n\n![NPMI against likelihood](%s)\n\n",
		of.corpus, of.topics, first.Items, first.MinDF, 100*first.MaxDFRatio, first.Documents, first.Held, first.Tokens, chart)
	report.MarkdownHeader(b, "refined for", "hold:", "NPMI:", "diversity:", "held-out ln p:", "impossible %:", "burstiness:", "passes:", "seconds:", "CPU s:", "workers:", "program")
	for _, r := range records {
		hold, burstiness := "–", "–"
		if r.Setting == reading {
			hold = fmt.Sprint(r.Hold)
		}
		if !math.IsNaN(r.Burstiness) {
			burstiness = fmt.Sprintf("%.2f", r.Burstiness)
		}
		report.MarkdownRow(b, r.Setting, hold, number("%.3f", r.NPMI), number("%.3f", r.Diversity), number("%.4f", r.LogLikelihood), number("%.2f", 100*r.Impossible),
			burstiness, fmt.Sprint(r.Passes), number("%.1f", r.Seconds), number("%.1f", r.CPU), fmt.Sprint(r.Workers), r.Program)
	}
}

func number(format string, value float64) string { return report.Minus(fmt.Sprintf(format, value)) }

// introduction begins README.md.
const introduction = `# What the refinement of topics is worth

Made by runs of

` + "```" + `
go run ./bench refine --data DATA -o RESULTS --corpora … -k … --hold … --python PYTHON
` + "```" + `

DATA is a folder with a folder per corpus, and RESULTS this one. ` + "`runs.csv`" + ` has a row per run, ` + "`stages.csv`" + ` a row per stage of a
run. A run with a row is not made again, so each command adds to the tables here.

Every tenth document is held out. Topics are learned from the others, with the default limits of their kind. For a held-out
document, two thirds of its tokens, at random, say its mixture, and the other third is scored. Each program finds the mixtures by its
own inference; ours is that of ` + "`anchorage transform`" + `, with the model's A.

- **none**: topics as the anchors have them. **reading**, **prediction**: refined by the likelihood of the documents; **hold** is how
  much topics for reading are held to those before.
- **sklearn-lda**: LatentDirichletAllocation of scikit-learn, online: 256 documents in a batch, offset 64, decay 0.7.
  **gensim-lda**: LdaModel of gensim, α and η learned. Both learn for 10 passes. The row is of the most likely topics after 1, 2, 5 and
  10 passes, on the held-out tokens: that favours them.
- **NPMI**, **diversity**: of the first ten items of each topic, over the documents to learn from: those that our models list as
  prominent, and the most probable ones of the other programs. High is good.
- **held-out ln p**: mean over the scored tokens, in nats. High is good. A token to which the topics give no probability counts as
  10⁻¹²; **impossible %** is the share of such tokens.
- **burstiness**: how many times as often as the topics explain documents repeat items.
- **passes**: over the documents, of the refinement alone, or of another program.
- **seconds**, **CPU s**: to find the topics, all stages, on the clock and of all processors. Other work on the machine makes times
  longer.

In the charts the line goes from the least hold to the greatest.
`
