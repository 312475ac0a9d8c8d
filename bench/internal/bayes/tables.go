// This file holds the tables of what was measured.

package bayes

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"anchorage/bench/internal/report"
	"anchorage/svi"
)

// runTables returns a row per fit, and a row per batch tested.
func runTables(cells []*cell) (runs, curves *report.Table) {
	columns := slices.Concat(report.Texts("model"), report.Ints("topics", "batch_size"), report.Floats("t0"), report.Texts("beginning"))
	runs = report.NewTable("runs", columns, report.Ints("documents"), report.Floats("held_out", "seconds", "documents_per_second"))
	curves = report.NewTable("curves", columns, report.Ints("documents", "tokens"), report.Floats("log_likelihood"))
	seen := make(map[key]bool)
	for _, c := range cells {
		if seen[c.key] {
			continue
		}
		seen[c.key] = true
		values := []any{string(c.Model), int64(c.Topics), int64(c.BatchSize), c.Delay, c.beginning()}
		runs.Add(append(slices.Clone(values), c.Learned, c.final(), c.Seconds, float64(c.Learned)/c.Seconds)...)
		for _, s := range c.Scores {
			curves.Add(append(slices.Clone(values), s.Documents, s.Tokens, s.LogLikelihood)...)
		}
	}
	return runs, curves
}

// topicTable returns a row per topic of a fit, the most probable first.
func topicTable(c *cell) *report.Table {
	t := report.NewTable("topics", report.Ints("topic"), report.Floats("share"), report.Texts("items"))
	for k, topic := range c.Found {
		t.Add(int64(k+1), topic.Share, strings.Join(topic.Words, " "))
	}
	return t
}

// writeTopics writes Tables 11.3 and 11.4: the most probable topics, and every tenth of the others.
func writeTopics(b *strings.Builder, c *cell) {
	fmt.Fprintf(b, "\n## Topics\n\nThe most probable items of the most probable topics (Table 11.3) of %s, K = %d, |C| = %d. `topics.csv` has all topics.\n\n",
		modelNames[c.Model], c.Topics, c.BatchSize)
	report.MarkdownHeader(b, "topic:", "share:", "items")
	for k, topic := range c.Found {
		if k == correlationTopics {
			b.WriteString("\nTopics with less probability, every tenth of them (Table 11.4).\n\n")
			report.MarkdownHeader(b, "topic:", "share:", "items")
		}
		if k < correlationTopics || k%10 == 0 {
			report.MarkdownRow(b, fmt.Sprint(k+1), fmt.Sprintf("%.2f %%", 100*topic.Share), strings.Join(topic.Words, ", "))
		}
	}
}

// scores gives the final score of every fit of the grid.
type scores map[key]float64

func (b *Grid) scoresOf(grid []*cell) scores {
	at := make(scores)
	for _, c := range grid {
		at[c.key] = c.final()
	}
	return at
}

func (b *Grid) score(at scores, model string, k, size int) float64 {
	return at[key{Model: svi.Model(model), Topics: k, BatchSize: size, Delay: b.Delay}]
}

// writeSummary writes a table of the final scores, and what follows from it.
func (b *Grid) writeSummary(out *strings.Builder, grid []*cell) {
	at := b.scoresOf(grid)
	header := []string{"K:", "model"}
	for _, size := range b.Sizes {
		header = append(header, fmt.Sprintf("|C| = %d:", size))
	}
	report.MarkdownHeader(out, header...)
	for _, k := range b.Topics {
		for _, m := range b.Models {
			row := []string{fmt.Sprint(k), modelNames[svi.Model(m)]}
			for _, size := range b.Sizes {
				row = append(row, report.Minus(fmt.Sprintf("%.4f", b.score(at, m, k, size))))
			}
			report.MarkdownRow(out, row...)
		}
	}
	out.WriteString("\n")
	for _, m := range b.Models {
		better, comparisons := 0, 0
		for i := range b.Topics[1:] {
			for _, size := range b.Sizes {
				comparisons++
				if b.score(at, m, b.Topics[i+1], size) > b.score(at, m, b.Topics[i], size) {
					better++
				}
			}
		}
		if comparisons > 0 {
			fmt.Fprintf(out, "- %s is better with more topics in %d of %d comparisons of neighbours.\n", modelNames[svi.Model(m)], better, comparisons)
		}
	}
	b.writeSizes(out, at)
}

// writeSizes says what the size of batches does, and how far the models are apart.
func (b *Grid) writeSizes(out *strings.Builder, at scores) {
	for i := range b.Sizes[1:] {
		gain, n := 0.0, 0.0
		for _, k := range b.Topics {
			for _, m := range b.Models {
				gain += b.score(at, m, k, b.Sizes[i+1]) - b.score(at, m, k, b.Sizes[i])
				n++
			}
		}
		fmt.Fprintf(out, "- From |C| = %d to %d the score changes by %s on average.\n", b.Sizes[i], b.Sizes[i+1], report.Minus(fmt.Sprintf("%+.4f", gain/n)))
	}
	if len(b.Models) < 2 {
		return
	}
	widest := 0.0
	for _, k := range b.Topics {
		for _, size := range b.Sizes {
			low, high := math.Inf(1), math.Inf(-1)
			for _, m := range b.Models {
				score := b.score(at, m, k, size)
				low, high = min(low, score), max(high, score)
			}
			widest = max(widest, high-low)
		}
	}
	fmt.Fprintf(out, "- The models differ by %.4f at most.\n", widest)
}

// writeBeginnings compares scores at a tenth, a third and all of the documents.
func writeBeginnings(b *strings.Builder, begun []*cell) {
	report.MarkdownHeader(b, "model", "beginning", "t₀:", "first batch:", "at a tenth:", "at a third:", "at the end:")
	for _, c := range begun {
		around := func(share float64) float64 { // the mean over a tenth of all tests, from here on
			first := int(share * float64(len(c.Scores)))
			return meanScore(c.Scores[first:min(first+max(len(c.Scores)/10, 1), len(c.Scores))])
		}
		row := []string{modelNames[c.Model], c.beginning(), fmt.Sprintf("%g", c.Delay)}
		for _, score := range []float64{c.Scores[0].LogLikelihood, around(0.1), around(0.33), c.final()} {
			row = append(row, report.Minus(fmt.Sprintf("%.4f", score)))
		}
		report.MarkdownRow(b, row...)
	}
}
