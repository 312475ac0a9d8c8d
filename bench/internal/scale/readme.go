// This file writes what a series has shown: README.md with the tables, and the chart.

package scale

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"anchorage/bench/internal/report"
	"anchorage/internal/durable"
)

// published is a run of the authors' program, from codes/logs/BATCH_createVD_nytimes.log of github.com/moontae/JSMF:
// the time for V and D of the NYTimes articles with 60,000 words and K = 200. The UCI repository of data sets says that there
// are 300,000 of these articles, with about 100 million tokens.
var published = struct {
	items, documents, tokens, topics int
	seconds                          float64
}{60_000, 300_000, 330, 200, 3098.9912}

// writeResults writes README.md and the chart into a folder that holds the records.
func writeResults(results string) error {
	records, err := runLog.Read(results)
	if err != nil {
		return err
	}
	groups := groupRecords(records)
	charts := map[string][][]report.Panel{"scale.svg": chartRows(groups), "recovery.svg": recoveryRows(groups)}
	for name, rows := range charts {
		path := filepath.Join(results, name)
		if len(rows) == 0 {
			err = durable.Remove(path)
		} else {
			err = durable.WriteFile(path, report.Chart{Rows: rows, Zoom: zoom}.Write)
		}
		if err != nil {
			return err
		}
	}
	return report.WriteText(filepath.Join(results, "README.md"), readme(records, groups, len(charts["scale.svg"]) > 0, len(charts["recovery.svg"]) > 0))
}

// readme returns the text of README.md.
func readme(records []Record, groups []group, chart, recovered bool) string {
	var b strings.Builder
	b.WriteString("# How a fit scales\n\n")
	writeOrigin(&b, records)
	b.WriteString(introduction)
	if chart {
		b.WriteString("\n![seconds and memory against the size](scale.svg)\n\n" +
			"The legend gives the slopes of seconds and of peak memory.\n")
	}
	if recovered {
		b.WriteString("\n![errors of topics against the size](recovery.svg)\n")
	}
	for i := range groups {
		g := &groups[i]
		fmt.Fprintf(&b, "\n## %s\n\n", g.run.title())
		fmt.Fprintf(&b, "Workers: %d. Seed of the corpora: %d. Flags of the fits: `%s`.\n\n", g.run.Workers, g.run.Seed,
			g.run.Flags)
		g.writeRuns(&b)
		b.WriteString("\n")
		g.writeRates(&b)
		g.writeRecovery(&b)
		b.WriteString("\n")
		g.writeStages(&b)
	}
	writeForecasts(&b, groups)
	writePublished(&b, records)
	heading := "\n## Runs that failed\n\n"
	for _, r := range records {
		if r.Failure != "" {
			fmt.Fprintf(&b, "%s- N = %d, M = %d, K = %d: %s\n", heading, r.Items, r.Documents, r.Topics, r.Failure)
			heading = ""
		}
	}
	return b.String()
}

// writeOrigin says when, by which commands and where the records were made.
func writeOrigin(b *strings.Builder, records []Record) {
	var made []report.Made
	for _, r := range records {
		made = append(made, report.Made{Command: r.Command, Machine: r.Machine, Started: r.Started})
	}
	report.WriteMade(b, made)
}

// writeRuns writes a table with a row per run.
func (g *group) writeRuns(b *strings.Builder) {
	report.MarkdownHeader(b, "N:", "items kept:", "M:", "documents that count:", "entries:", "passes:", "largest residual:",
		"iterations:", "settled", "corrected:", "seconds:", "CPU s:", "peak MiB:")
	for i := range g.records {
		r := &g.records[i]
		cells := []string{strconv.Itoa(r.Items), strconv.Itoa(r.ItemsKept), strconv.Itoa(r.Documents),
			fmt.Sprint(r.DocumentsKept), fmt.Sprint(r.Entries), strconv.Itoa(r.Passes),
			report.Minus(fmt.Sprintf("%.2g", r.LargestResidual)), known(float64(r.Iterations)),
			map[bool]string{true: "yes", false: "no"}[r.Converged], fmt.Sprintf("%.1f %%", 100*r.Density)}
		for _, f := range figures {
			cells = append(cells, known(f.of(r.stage(whole))))
		}
		report.MarkdownRow(b, cells...)
	}
}

// writeRates writes a table with a row per run: what it does in a second, and what an entry costs.
func (g *group) writeRates(b *strings.Builder) {
	report.MarkdownHeader(b, g.run.letter()+":", "entries/s end to end:", "entries per CPU s:", "visits, ns per entry and pass:", "CPU ns:",
		"sketch, ns per entry and pass:", "CPU ns:", "peak bytes per item:")
	for i := range g.records {
		r := &g.records[i]
		entries, stage := float64(r.Entries), r.stage(sketchStage)
		visited := 1e-9 * entries * float64(r.Passes) // so that quotients are in nanoseconds
		report.MarkdownRow(b, strconv.Itoa(r.size()), known(entries/r.Seconds), known(entries/r.CPU), known(r.VisitSeconds/visited), known(r.VisitCPU/visited),
			known(stage.Seconds/visited), known(stage.CPU/visited), known(float64(r.PeakBytes)/float64(r.Items)))
	}
}

// writeRecovery writes a table with a row per run whose model was compared with the truth.
func (g *group) writeRecovery(b *strings.Builder) {
	begun := false
	for i := range g.records {
		r := &g.records[i]
		if !(r.Recovery.ErrorB > 0) {
			continue
		}
		if !begun {
			b.WriteString("\n")
			report.MarkdownHeader(b, g.run.letter()+":", "error of B:", "floor:", "ratio:", "error of A:", "floor:", "ratio:", "distance of A:", "anchors found:")
			begun = true
		}
		cells := []string{strconv.Itoa(r.size())}
		for _, f := range recoveries {
			error, floor := f.of(&r.Recovery)
			cells = append(cells, report.Readable(error), report.Readable(floor), fmt.Sprintf("%.2f", error/floor))
		}
		report.MarkdownRow(b, append(cells, report.Readable(r.Recovery.DistanceA), report.Readable(r.Recovery.Anchors))...)
	}
}

// writeStages writes a table with rows per stage and figure, a column per size, and the slopes.
func (g *group) writeStages(b *strings.Builder) {
	header := []string{"stage", "figure"}
	for _, r := range g.records {
		header = append(header, fmt.Sprintf("%s = %d:", g.run.letter(), r.size()))
	}
	report.MarkdownHeader(b, append(header, "slope:", "slope of the last step:")...)
	for _, stage := range g.stages() {
		for i, f := range figures {
			if stage == visits && i == peak {
				continue // it is that of the sketch
			}
			cells := []string{"", f.name}
			if i == 0 {
				cells[0] = stage
			}
			for j := range g.records {
				cells = append(cells, known(f.of(g.records[j].stage(stage))))
			}
			all, last := g.slope(stage, f)
			report.MarkdownRow(b, append(cells, slopeText(all), slopeText(last))...)
		}
	}
}

// forecastEntries is what forecasts are for.
const forecastEntries = 1e10

// writeForecasts writes what the series say of far more entries.
func writeForecasts(b *strings.Builder, groups []group) {
	begun := false
	for i := range groups {
		g := &groups[i]
		f, ok := g.forecast(forecastEntries)
		if !ok {
			continue
		}
		if !begun {
			b.WriteString(forecastIntroduction)
			report.MarkdownHeader(b, "series", "entries of the largest run:", "N:", "M:", "hours:", "CPU hours:", "entries/s:", "peak GiB:")
			begun = true
		}
		largest := &g.records[len(g.records)-1]
		report.MarkdownRow(b, g.run.title(), report.Readable(float64(largest.Entries)), report.Readable(f.items), report.Readable(f.documents),
			known(f.seconds/3600), known(f.cpu/3600), known(forecastEntries/f.seconds), known(f.peakBytes/(1<<30)))
	}
}

// known writes a figure, or a dash where it is 0, not known.
func known(value float64) string {
	if value == 0 {
		value = math.NaN()
	}
	return report.Readable(value)
}

// writePublished holds the runs of the published size against the published time.
func writePublished(b *strings.Builder, records []Record) {
	const stage = "sketch"
	begun := false
	for i := range records {
		r := &records[i]
		if r.Failure != "" || r.Items != published.items || r.Documents != published.documents ||
			r.Tokens != published.tokens || r.Topics != published.topics {
			continue
		}
		if !begun {
			fmt.Fprintf(b, publishedIntroduction, published.seconds)
			report.MarkdownHeader(b, "program", "seconds:", "CPU s:", "published seconds / these:")
			begun = true
		}
		made := r.stage(stage)
		report.MarkdownRow(b, "Anchorage, stage `"+stage+"`; "+strings.Join(r.Machine, "; "), known(made.Seconds), known(made.CPU),
			report.Readable(published.seconds/made.Seconds))
	}
}

// introduction says what was run and what the figures are.
const introduction = `Each run is a process of its own, which does what ` + "`anchorage fit`" + ` does. It reads Parquet shards of a
corpus drawn from a known model: N items with Zipf frequencies, as many topics as the fit looks for, documents of geometric
length. The shards are written before the clock starts, and the system may still hold them in memory. ` + "`runs.csv`" + ` has a
row per run and ` + "`stages.csv`" + ` a row per stage of a run; a later command goes on from them.

- **seconds**, **CPU s**: on the clock, and of all processors together. Those of the whole run from the start of the process
  to its end. Other work on the machine makes times longer.
- **visits of documents**: the part of the sketch's passes from the first to the last document. The rest of the sketch is algebra with
  blocks of N rows, which does not grow with the documents. An entry is an item of a document. **end to end**: entries by the seconds
  of the whole run, whatever the number of passes.
- **peak MiB**: largest resident size of the process during the stage, with what earlier stages left; – where it is not
  known.
- **slope**: of the logarithm of the figure against the logarithm of the size, N or M, by least squares over all sizes; "of the last
  step" takes the last two sizes alone. A figure in proportion to the size has slope 1.
- **corrected**: share of negative entries among the entries of Y·Yᵀ that the last iteration of the rectification checked.
- **settled**: whether the rectification ended by itself.
- **items kept**: items that occur and are not pruned.
- **error of B**: mean ℓ1 error of a topic, p(item | topic) of all N items, once topics are matched with those that were drawn, from 0
  to 2. **error of A**: ‖Â−A‖_F/‖A‖_F; **distance of A**: Σ|Â−A|. **anchors found**: share of topics whose anchor is a true one. The
  **floor** is the error of one who is told the topic of every token of all M documents and counts.
`

// forecastIntroduction begins the section about far more entries.
const forecastIntroduction = `
## What 10¹⁰ entries would take

Computed from the slopes, not measured. Every stage goes on from its figure in the largest run, by its slope against the number of
entries over all runs of the series. Seconds are the sum of the stages; the peak is that of the stage that takes most. Along items, N
and M grow together; along documents, M alone. The compact copy of the documents, a few bytes for every entry, is on disk where it does
not fit into memory, and no slope knows how fast that disk is.

`

// publishedIntroduction begins the section about the published time.
const publishedIntroduction = `
## Beside a published time

The authors' log of 2019 (` + "`codes/logs/BATCH_createVD_nytimes.log`" + ` of github.com/moontae/JSMF) gives %.0f s for V and D
alone. They come from NYTimes articles with N = 60,000 and K = 200 that were read before, by random probes and power
iterations with C; nothing is rectified. The log does not name the machine, and ours is another one. Our corpus is drawn, with as
many documents and about as many tokens (300,000 of 330). The table compares the stage that finds V and D. Neither program
writes them.

`
