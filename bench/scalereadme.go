// This file writes what was measured of how a fit scales: README.md with the tables, and the chart.

package bench

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"anchorage/internal/durable"
)

// published is a run of the authors' program, from codes/logs/BATCH_createVD_nytimes.log of github.com/moontae/JSMF:
// the time for V and D of the NYTimes articles with 60,000 words and K = 200. Of these articles the UCI repository of
// data sets says that they are 300,000, with about 100 million tokens.
var published = struct {
	items, documents, tokens, topics int
	seconds                          float64
}{60_000, 300_000, 330, 200, 3098.9912}

// writeScaleResults writes README.md and the chart into a folder that holds the records.
func writeScaleResults(results string) error {
	records, err := readScaleRecords(filepath.Join(results, scaleRuns))
	if err != nil {
		return err
	}
	groups := groupScale(records)
	rows := scaleChart(groups)
	chart := filepath.Join(results, "scale.svg")
	if len(rows) == 0 {
		err = durable.Remove(chart)
	} else {
		err = durable.WriteFile(chart, writeScaleChart(rows))
	}
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(results, "README.md"), func(w io.Writer) error {
		_, err := io.WriteString(w, scaleReadme(records, groups, len(rows) > 0))
		return err
	})
}

// scaleReadme returns the text of README.md.
func scaleReadme(records []ScaleRecord, groups []scaleSeries, chart bool) string {
	var b strings.Builder
	b.WriteString("# How a fit scales\n\n")
	writeScaleOrigin(&b, records)
	b.WriteString(scaleIntroduction)
	if chart {
		b.WriteString("\n![seconds and memory against the number of items](scale.svg)\n\n" +
			"The slopes in the legend are those of seconds and of peak memory.\n")
	}
	for i := range groups {
		g := &groups[i]
		fmt.Fprintf(&b, "\n## %s\n\n", g.run.title())
		fmt.Fprintf(&b, "Workers: %d. Seed of the corpora: %d. Flags of the fits: `%s`.\n\n", g.run.Workers, g.run.Seed,
			g.run.Flags)
		g.writeRuns(&b)
		b.WriteString("\n")
		g.writeStages(&b)
	}
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

// writeScaleOrigin says when, by which commands and where the records were made.
func writeScaleOrigin(b *strings.Builder, records []ScaleRecord) {
	type origin struct{ command, machine string }
	var origins []origin
	days := make(map[origin][]string)
	for _, r := range records {
		from := origin{r.Command, strings.Join(r.Machine, "\n- ")}
		if !slices.Contains(origins, from) {
			origins = append(origins, from)
		}
		days[from] = append(days[from], r.Started.UTC().Format(time.DateOnly))
	}
	for _, from := range origins {
		first, last := slices.Min(days[from]), slices.Max(days[from])
		when := "on " + first
		if first != last {
			when = "from " + first + " to " + last
		}
		fmt.Fprintf(b, "%d runs made %s by\n\n```\n%s\n```\n\non\n\n- %s\n\n", len(days[from]), when, from.command,
			from.machine)
	}
}

// writeRuns writes a table with a row per run.
func (g *scaleSeries) writeRuns(b *strings.Builder) {
	b.WriteString("| N | items that occur and are kept | M | documents that count | entries | passes | largest residual | " +
		"iterations | corrected | seconds | CPU s | peak MiB |\n|" + strings.Repeat("---:|", 12) + "\n")
	for i := range g.records {
		r := &g.records[i]
		cells := []string{strconv.Itoa(r.Items), strconv.Itoa(r.ItemsKept), strconv.Itoa(r.Documents),
			fmt.Sprint(r.DocumentsKept), fmt.Sprint(r.Entries), strconv.Itoa(r.Passes),
			strings.Replace(fmt.Sprintf("%.2g", r.LargestResidual), "-", "−", 1), knownText(float64(r.Iterations)),
			fmt.Sprintf("%.1f %%", 100*r.Density)}
		for _, figure := range scaleFigures {
			cells = append(cells, knownText(figure.of(r.stage(whole))))
		}
		markdownRow(b, cells)
	}
}

// writeStages writes a table with rows per stage and figure, a column per size, and the slopes.
func (g *scaleSeries) writeStages(b *strings.Builder) {
	header := []string{"stage", "figure"}
	for _, r := range g.records {
		header = append(header, fmt.Sprintf("N = %d", r.Items))
	}
	markdownRow(b, append(header, "slope", "slope of the last step"))
	fmt.Fprintf(b, "|---|---|%s\n", strings.Repeat("---:|", len(g.records)+2))
	for _, stage := range g.stages() {
		for i, figure := range scaleFigures {
			cells := []string{"", figure.name}
			if i == 0 {
				cells[0] = stage
			}
			for j := range g.records {
				cells = append(cells, knownText(figure.of(g.records[j].stage(stage))))
			}
			all, last := g.slope(stage, figure)
			markdownRow(b, append(cells, slopeText(all), slopeText(last)))
		}
	}
}

// knownText writes a figure, or a dash where it is not known.
func knownText(value float64) string {
	if value == 0 {
		value = math.NaN()
	}
	return readable(value)
}

// writePublished holds the runs of the published size against the published time.
func writePublished(b *strings.Builder, records []ScaleRecord) {
	const stage = "sketch"
	heading := fmt.Sprintf(scalePublished, published.seconds)
	for i := range records {
		r := &records[i]
		if r.Failure != "" || r.Items != published.items || r.Documents != published.documents ||
			r.Tokens != published.tokens || r.Topics != published.topics {
			continue
		}
		made := r.stage(stage)
		fmt.Fprintf(b, "%s| Anchorage, stage `%s`; %s | %s | %s | %s |\n", heading, stage, strings.Join(r.Machine, "; "),
			knownText(made.Seconds), knownText(made.CPU), readable(published.seconds/made.Seconds))
		heading = ""
	}
}

// scaleIntroduction says what was run and what the figures are.
const scaleIntroduction = `Every run is a line of ` + "`runs.jsonl`" + ` and a process of its own: ` + "`anchorage fit`" + ` on Parquet
shards of a corpus that is drawn from a known model, with N items whose frequencies follow a Zipf law, as many topics as
are to be found, and documents of a geometric length. The shards were written before, outside of the time, and may still
be held in memory by the system.

- **seconds**, **CPU s**: on the clock, and of all processors together; of the whole from the start of the process to its
  end. Times suffer from whatever else the machine was doing.
- **peak MiB**: largest resident size of the process during the stage, with what earlier stages left; – where it is not
  known.
- **slope**: of the logarithm of the figure against that of N, by least squares over all sizes; of the last step, from the
  last but one to the last size alone. 1 is in proportion to N.
- **corrected**: share of the entries of Y·Yᵀ, of those that the last iteration of the rectification checked, that were
  negative.
`

// scalePublished begins the section about the published time.
const scalePublished = `
## Beside a published time

The authors' log of 2019 (` + "`codes/logs/BATCH_createVD_nytimes.log`" + ` of github.com/moontae/JSMF) gives %.0f s for V and D
alone, from NYTimes articles with N = 60,000 and K = 200 that were read before: random probes and power iterations with
C, no rectification. That was another machine, which the log does not name, and another corpus: ours is drawn, with as
many documents and about as many tokens (300,000 of 330). It is the stage that finds V and D which is held against it; V
and D are in neither case written.

| program | seconds | CPU s | published seconds / these |
|---|---:|---:|---:|
`
