// This file writes what was measured of variational inference: tables, charts and a README.md.

package bench

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"anchorage/internal/durable"
	"anchorage/shard"
	"anchorage/svi"
)

// bayesNames are what models are called in charts.
var bayesNames = map[svi.Model]string{svi.BNMF: "Bayesian NMF", svi.CNMF: "correlated NMF", svi.LDA: "online LDA"}

// report writes everything and commits dir.
func (b *Bayes) report(dir *durable.Dir, facts svi.Totals, grid, begun []*bayesCell) error {
	runs, curves := b.tables(slices.Concat(grid, begun))
	for _, t := range []*table{runs, curves} {
		if err := t.save(dir); err != nil {
			return err
		}
	}
	if err := dir.WriteFile("figure11.3.svg", func(w io.Writer) error { return writeChart(w, b.figure3(grid)) }); err != nil {
		return err
	}
	if len(begun) > 0 {
		if err := dir.WriteFile("beginnings.svg", func(w io.Writer) error { return writeChart(w, b.beginningsChart(begun)) }); err != nil {
			return err
		}
	}
	shown := b.shown(grid)
	if shown != nil {
		if err := dir.WriteFile("figure11.4.svg", func(w io.Writer) error { return writeBlocks(w, shown.Correlations) }); err != nil {
			return err
		}
		if err := dir.WriteFile("topics.md", func(w io.Writer) error { return writeTopicTables(w, shown) }); err != nil {
			return err
		}
	}
	if err := dir.WriteFile("README.md", b.readme(facts, grid, begun, shown)); err != nil {
		return err
	}
	return dir.Commit()
}

// shown returns the fit whose topics are shown: correlated NMF with the most topics and batches of 1000, or the next size.
func (b *Bayes) shown(grid []*bayesCell) *bayesCell {
	var best *bayesCell
	distance := func(c *bayesCell) int { return max(c.BatchSize-1000, 1000-c.BatchSize) }
	for _, c := range grid {
		if c.Model == svi.CNMF && (best == nil || c.Topics > best.Topics || c.Topics == best.Topics && distance(c) < distance(best)) {
			best = c
		}
	}
	return best
}

// tables returns a row per fit, and a row per batch tested.
func (b *Bayes) tables(cells []*bayesCell) (runs, curves *table) {
	key := []shard.Field{{Name: "model", Type: shard.String}, {Name: "topics", Type: shard.Int64}, {Name: "batch_size", Type: shard.Int64},
		{Name: "t0", Type: shard.Float64}, {Name: "beginning", Type: shard.String}}
	runs = newTable("runs", append(slices.Clone(key),
		shard.Field{Name: "documents", Type: shard.Int64}, shard.Field{Name: "held_out", Type: shard.Float64},
		shard.Field{Name: "seconds", Type: shard.Float64}, shard.Field{Name: "documents_per_second", Type: shard.Float64})...)
	curves = newTable("curves", append(slices.Clone(key),
		shard.Field{Name: "documents", Type: shard.Int64}, shard.Field{Name: "tokens", Type: shard.Int64},
		shard.Field{Name: "log_likelihood", Type: shard.Float64})...)
	seen := make(map[bayesKey]bool)
	for _, c := range cells {
		if seen[c.bayesKey] {
			continue
		}
		seen[c.bayesKey] = true
		values := []any{string(c.Model), int64(c.Topics), int64(c.BatchSize), c.Delay, c.beginning()}
		runs.add(append(slices.Clone(values), c.Learned, c.final(), c.Seconds, float64(c.Learned)/c.Seconds)...)
		for _, s := range c.Scores {
			curves.add(append(slices.Clone(values), s.Documents, s.Tokens, s.LogLikelihood)...)
		}
	}
	return runs, curves
}

func (k bayesKey) beginning() string {
	if k.Anchors {
		return "anchors"
	}
	return "random"
}

// chartPoints is how many points a curve has: each is the mean over the batches tested in its stretch of documents.
const chartPoints = 16

// curve returns a line of the chart. Scores from before the first twentieth of the documents are left out, for they would
// take up all of the scale.
func (c *bayesCell) curve(name string, style int) series {
	s := series{name: name, style: style}
	width := float64(c.Learned) / chartPoints
	for i := range chartPoints {
		var in []svi.HeldOut
		for _, score := range c.Scores {
			at := float64(score.Documents)
			if at >= float64(i)*width && at < float64(i+1)*width && at >= float64(c.Learned)/20 {
				in = append(in, score)
			}
		}
		if len(in) > 0 {
			s.points = append(s.points, point{x: (float64(i) + 0.5) * width, y: meanScore(in), deviation: math.NaN()})
		}
	}
	return s
}

// documentTicks puts a tick at every fourth part of the documents, rounded to one digit.
func documentTicks(learned int64) []float64 {
	step := float64(learned) / 4
	digit := math.Pow(10, math.Floor(math.Log10(step)))
	step = max(math.Round(step/digit), 1) * digit
	var ticks []float64
	for x := step; x < 1.1*float64(learned); x += step {
		ticks = append(ticks, x)
	}
	return ticks
}

// figure3 is Figure 11.3: a row per number of topics, a column per size of batches.
func (b *Bayes) figure3(grid []*bayesCell) [][]panel {
	var rows [][]panel
	for _, k := range b.Topics {
		var row []panel
		for i, size := range b.Sizes {
			p := panel{x: fmt.Sprintf("|C| = %d, thousands seen", size), thousands: true}
			if i == 0 {
				p.title, p.y = fmt.Sprintf("K = %d", k), "ln p per token"
			}
			for _, c := range grid {
				if c.Topics == k && c.BatchSize == size {
					p.ticks = documentTicks(c.Learned)
					p.series = append(p.series, c.curve(bayesNames[c.Model], []int{3, 0, 2}[slices.Index(BayesModels, string(c.Model))]))
				}
			}
			row = append(row, p)
		}
		rows = append(rows, row)
	}
	return rows
}

// beginningsChart shows a panel per model.
func (b *Bayes) beginningsChart(begun []*bayesCell) [][]panel {
	var row []panel
	for i, name := range b.InitModels {
		p := panel{x: bayesNames[svi.Model(name)] + ", thousands", thousands: true}
		if i == 0 {
			p.title, p.y = fmt.Sprintf("K = %d, |C| = 1000", b.InitTopics), "ln p per token"
		}
		for _, c := range begun {
			if string(c.Model) != name {
				continue
			}
			style, label := 3, "random"
			if c.Anchors {
				style, label = 0, "anchors"
			}
			p.ticks = documentTicks(c.Learned)
			line := c.curve(fmt.Sprintf("%s, t₀ = %g", label, c.Delay), style)
			if line.dashed = c.Delay != 1; line.dashed {
				line.style++
			}
			p.series = append(p.series, line)
		}
		row = append(row, p)
	}
	return [][]panel{row}
}

// writeTopicTables writes the tables 11.3 and 11.4: the most probable topics, and every tenth of the others.
func writeTopicTables(w io.Writer, c *bayesCell) error {
	var out strings.Builder
	fmt.Fprintf(&out, "# Topics of %s, K = %d, |C| = %d\n\n", bayesNames[c.Model], c.Topics, c.BatchSize)
	out.WriteString("Most probable items from the most probable topics (Table 11.3).\n\n| topic | share | items |\n| ---: | ---: | --- |\n")
	for k, topic := range c.Found {
		if k == correlationTopics {
			out.WriteString("\nTopics with less probability, every tenth of them (Table 11.4).\n\n| topic | share | items |\n| ---: | ---: | --- |\n")
		}
		if k < correlationTopics || k%10 == 0 {
			fmt.Fprintf(&out, "| %d | %.2f %% | %s |\n", k+1, 100*topic.Share, strings.ReplaceAll(strings.Join(topic.Words, ", "), "|", `\|`))
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// readme returns a function that writes the README.md.
func (b *Bayes) readme(facts svi.Totals, grid, begun []*bayesCell, shown *bayesCell) func(io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "# Variational inference: the chapter's figures on other documents\n\nMade on %s by\n\n```\n%s\n```\n\non\n\n",
		time.Now().UTC().Format(time.DateOnly), b.Command)
	for _, line := range machine(b.Workers) {
		fmt.Fprintf(&out, "- %s\n", line)
	}
	fmt.Fprintf(&out, `
Times are wall-clock times, and suffer from whatever else the machine was doing. All other numbers come out the same again.
The corpus has D = %d documents and %d tokens of V = %d items, those of greatest tf·idf that are in at most %g %% of the
documents. Documents are taken in random order; every tenth batch is tested before it is learned from: tokens in thirds, a document's
variables from two of them, the third predicted, for each of the three.

![held-out log-likelihood against documents seen](figure11.3.svg)

Held-out log-likelihood per token against documents seen. Points are means over the batches tested within a sixteenth of the
documents; those of the first twentieth are left out.
`, facts.Documents, facts.Tokens, facts.Items, 100*b.MaxDFRatio)
	if full := b.leftOut(facts); full != "" {
		out.WriteString("\n## Left out\n\n" + full)
	}
	out.WriteString("\n## In short\n\nHeld-out log-likelihood per token, the mean over the last fifth of the batches tested:\n\n")
	out.WriteString(b.summary(grid))
	if shown != nil {
		fmt.Fprintf(&out, "\n## Correlations\n\n![correlations of topics](figure11.4.svg)\n\nThe %d most probable topics of correlated NMF with K = %d and |C| = %d, the most probable first; [topics.md](topics.md) has their items.\n",
			min(correlationTopics, shown.Topics), shown.Topics, shown.BatchSize)
	}
	if len(begun) > 0 {
		out.WriteString("\n## Beginning with topics found by anchors\n\n![held-out log-likelihood by beginning](beginnings.svg)\n\n" + beginningsTable(begun))
	}
	out.WriteString("\n## Files\n\n`runs` has a row for every fit, `curves` one for every batch tested (Parquet, CSV, Markdown).\n")
	return func(w io.Writer) error {
		_, err := io.WriteString(w, out.String())
		return err
	}
}

// leftOut says what of the chapter's grid was not run.
func (b *Bayes) leftOut(facts svi.Totals) string {
	var lines []string
	missing := func(all, some []int) (left []string) {
		for _, v := range all {
			if !slices.Contains(some, v) {
				left = append(left, fmt.Sprint(v))
			}
		}
		return left
	}
	if left := missing(BayesTopics, b.Topics); len(left) > 0 {
		lines = append(lines, "K = "+strings.Join(left, ", "))
	}
	if left := missing(BayesSizes, b.Sizes); len(left) > 0 {
		lines = append(lines, "|C| = "+strings.Join(left, ", "))
	}
	if b.Documents > 0 && b.Documents < facts.Documents {
		lines = append(lines, fmt.Sprintf("all but about %d of the %d documents of an epoch", b.Documents, facts.Documents))
	}
	if b.Delay != 1 {
		lines = append(lines, fmt.Sprintf("t₀ = 1, for which t₀ = %g was taken", b.Delay))
	}
	if len(b.Models) < len(BayesModels) {
		lines = append(lines, "models other than "+strings.Join(b.Models, ", "))
	}
	if b.InitTopics > 0 && len(b.InitModels) < len(BayesModels) {
		lines = append(lines, "in the comparison of beginnings, models other than "+strings.Join(b.InitModels, ", "))
	}
	if len(lines) == 0 {
		return ""
	}
	return fmt.Sprintf("- %s\n\nThe full grid is made by `anchorage bench bayes SHARD... -o RESULTS --max-df-ratio %g --init-topics 100`.\n", strings.Join(lines, "\n- "), b.MaxDFRatio)
}

// summary returns a table of the final scores, and what follows from it.
func (b *Bayes) summary(grid []*bayesCell) string {
	var out strings.Builder
	out.WriteString("| K | model |")
	for _, size := range b.Sizes {
		fmt.Fprintf(&out, " \\|C\\| = %d |", size)
	}
	out.WriteString("\n| ---: | --- |" + strings.Repeat(" ---: |", len(b.Sizes)) + "\n")
	at := make(map[bayesKey]float64)
	for _, c := range grid {
		at[c.bayesKey] = c.final()
	}
	score := func(m string, k, size int) float64 {
		return at[bayesKey{Model: svi.Model(m), Topics: k, BatchSize: size, Delay: b.Delay}]
	}
	for _, k := range b.Topics {
		for _, m := range b.Models {
			fmt.Fprintf(&out, "| %d | %s |", k, bayesNames[svi.Model(m)])
			for _, size := range b.Sizes {
				fmt.Fprintf(&out, " %s |", strings.Replace(fmt.Sprintf("%.4f", score(m, k, size)), "-", "−", 1))
			}
			out.WriteString("\n")
		}
	}
	out.WriteString("\n")
	for _, m := range b.Models {
		better, comparisons := 0, 0
		for i := range b.Topics[1:] {
			for _, size := range b.Sizes {
				comparisons++
				if score(m, b.Topics[i+1], size) > score(m, b.Topics[i], size) {
					better++
				}
			}
		}
		if comparisons > 0 {
			fmt.Fprintf(&out, "- %s is better with more topics in %d of %d comparisons of neighbours.\n", bayesNames[svi.Model(m)], better, comparisons)
		}
	}
	for i := range b.Sizes[1:] {
		gain, n := 0.0, 0.0
		for _, k := range b.Topics {
			for _, m := range b.Models {
				gain += score(m, k, b.Sizes[i+1]) - score(m, k, b.Sizes[i])
				n++
			}
		}
		fmt.Fprintf(&out, "- From |C| = %d to %d the score changes by %s on average.\n", b.Sizes[i], b.Sizes[i+1], strings.Replace(fmt.Sprintf("%+.4f", gain/n), "-", "−", 1))
	}
	if len(b.Models) > 1 {
		widest := 0.0
		for _, k := range b.Topics {
			for _, size := range b.Sizes {
				low, high := math.Inf(1), math.Inf(-1)
				for _, m := range b.Models {
					low, high = min(low, score(m, k, size)), max(high, score(m, k, size))
				}
				widest = max(widest, high-low)
			}
		}
		fmt.Fprintf(&out, "- The models are apart by %.4f at most.\n", widest)
	}
	return out.String()
}

// beginningsTable compares scores at a tenth, a third and all of the documents.
func beginningsTable(begun []*bayesCell) string {
	var out strings.Builder
	out.WriteString("| model | beginning | t₀ | first batch | at a tenth | at a third | at the end |\n| --- | --- | ---: | ---: | ---: | ---: | ---: |\n")
	for _, c := range begun {
		around := func(share float64) float64 { // the mean over tests from here on, a tenth of all
			first := int(share * float64(len(c.Scores)))
			return meanScore(c.Scores[first:min(first+max(len(c.Scores)/10, 1), len(c.Scores))])
		}
		fmt.Fprintf(&out, "| %s | %s | %g | %s |\n", bayesNames[c.Model], c.beginning(), c.Delay, strings.ReplaceAll(
			fmt.Sprintf("%.4f | %.4f | %.4f | %.4f", c.Scores[0].LogLikelihood, around(0.1), around(0.33), c.final()), "-", "−"))
	}
	return out.String()
}
