// This file writes README.md and the charts of all fits of a folder.

package bayes

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"anchorage/bench/internal/report"
	"anchorage/internal/durable"
)

// read returns the records of a folder with their curves.
func read(results string) ([]Record, error) {
	records, err := runLog.Read(results)
	if err != nil {
		return nil, err
	}
	curves := newCurves()
	if err := beside(results, curves, len(records)); err != nil {
		return nil, err
	}
	for _, row := range curves.Rows {
		if run := row[0].(int64); run >= 1 {
			r := &records[run-1]
			r.curve = append(r.curve, heldOut(row))
		}
	}
	return records, nil
}

// writeResults writes README.md and the charts into a folder that holds the records.
func writeResults(results string) error {
	records, err := read(results)
	if err != nil {
		return err
	}
	list := settings(records)
	charts := map[string]report.Chart{gainName: gainChart(list)}
	var corpora []string
	for _, s := range list {
		if !slices.Contains(corpora, s.Corpus) {
			corpora = append(corpora, s.Corpus)
			charts[figure3Name(s.Corpus)] = figure3(list, s.Corpus)
		}
	}
	for name, chart := range charts {
		if len(chart.Rows) == 0 {
			continue
		}
		if err := durable.WriteFile(filepath.Join(results, name), chart.Write); err != nil {
			return err
		}
	}
	topics, correlations := newTopics(), newCorrelations()
	for _, table := range []*report.Table{topics, correlations} {
		if err := beside(results, table, len(records)); err != nil {
			return err
		}
	}
	shown := shownFit(records)
	if shown >= 0 {
		values := correlationsOf(correlations, shown)
		if err := durable.WriteFile(filepath.Join(results, "figure11.4.svg"), func(w io.Writer) error { return writeBlocks(w, values) }); err != nil {
			return err
		}
	}
	return report.WriteText(filepath.Join(results, "README.md"), readme(records, list, corpora, topics, shown))
}

const gainName = "gain.svg"

func figure3Name(corpus string) string { return "figure11.3-" + corpus + ".svg" }

// shownFit returns the place of the fit whose topics are shown, correlated NMF with the most topics and batches of 1000 or the next size; −1 if there is none.
func shownFit(records []Record) int {
	best := -1
	distance := func(i int) int { return max(records[i].BatchSize-1000, 1000-records[i].BatchSize) }
	for i, r := range records {
		if r.Model != "cnmf" || r.Seed != records[0].Seed || !settings(records[i : i+1])[0].asInChapter() {
			continue
		}
		if best < 0 || r.Topics > records[best].Topics || r.Topics == records[best].Topics && distance(i) < distance(best) {
			best = i
		}
	}
	return best
}

// correlationsOf returns the correlations of a fit, row by row.
func correlationsOf(table *report.Table, fit int) []float64 {
	var values []float64
	for _, row := range table.Rows {
		if row[0].(int64) == int64(fit+1) {
			values = append(values, row[3].(float64))
		}
	}
	return values
}

// readme returns the text of README.md.
func readme(records []Record, list []*setting, corpora []string, topics *report.Table, shown int) string {
	var b strings.Builder
	b.WriteString(introduction)
	b.WriteString("\n## What more topics are worth\n\n")
	b.WriteString("Comparisons are of neighbouring numbers of topics in the tables below, by the documents set aside and the mean over seeds.\n\n")
	writeShort(&b, list)
	if len(gainChart(list).Rows) > 0 {
		b.WriteString(gainText)
	}
	b.WriteString("\n## All fits\n\n" + fitsText)
	writeSettings(&b, list)
	if slices.ContainsFunc(list, func(s *setting) bool { return s.Priors == learned }) {
		b.WriteString("\n## Learned hyperparameters\n\nAt the end of the fits, the mean over seeds.\n\n")
		writeLearned(&b, list)
	}
	for _, corpus := range corpora {
		if len(figure3(list, corpus).Rows) > 0 {
			fmt.Fprintf(&b, "\n## Figure 11.3: %s\n\n![held-out log-likelihood against documents seen](%s)\n\n%s", corpus, figure3Name(corpus), figure3Text)
		}
	}
	if shown >= 0 {
		r := &records[shown]
		fmt.Fprintf(&b, "\n## Figure 11.4\n\n![correlations of topics](figure11.4.svg)\n\nThe correlations (11.36) of the %d most probable topics of correlated NMF with K = %d and |C| = %d on %s, the most probable first.\n",
			min(correlationTopics, r.Topics), r.Topics, r.BatchSize, r.Corpus)
		writeTopics(&b, r, topics, shown)
	}
	b.WriteString("\n## Files\n\n`runs.csv` has a row per fit. `curves.csv` has a row per batch tested, `topics.csv` and `correlations.csv` the topics of correlated NMF with the first seed; `run` is the number of the fit's row.\n")
	b.WriteString("\n## How it was made\n\n")
	var made []report.Made
	for _, r := range records {
		made = append(made, report.Made{Command: r.Command, Machine: r.Machine, Started: r.Started})
	}
	report.WriteMade(&b, made)
	return strings.TrimRight(b.String(), "\n") + "\n"
}

const introduction = `# Variational inference: the chapter's findings on other documents

Bayesian NMF, correlated NMF and online LDA, as Paisley, Blei & Jordan (2014) compare them: step sizes (t₀+t)^−½, and c₀ = V/20 and a₀ = b₀ = 1/K
unless something else is said. V items of greatest tf·idf are left of a corpus. Fits take the documents in random order. Every tenth batch is
tested before it is learned from. Up to 2,000 documents are set aside, the same for all fits of a corpus; no fit learns from them. A test deals a document's
tokens into thirds: two predict the other one, for each of the three. All scores are mean natural logarithms of the probabilities of tokens.

Where documents are cut into pieces, the tokens of each are dealt in turn to pieces of at most so many tokens, so that repeated items are spread over them.

Hyperparameters are the chapter's, or they begin there and are learned (bayes.Options.LearnPriors), or, with "window", c₀ is multiplied by D over the number of
documents that the last steps remember. The mean of batches with the weights w of the steps varies as one of 1/Σw² batches of equal weight does: so many are remembered.
`

const gainText = `
![what twice as many topics gain](gain.svg)

Online LDA and Bayesian NMF: by how much twice as many topics predict the documents set aside better, against the tokens that the last steps remember for
every one of the V·K parameters of the greater number, by hyperparameters. Bars are standard deviations over seeds.
`

const fitsText = `ln p per token of the documents set aside, with the standard deviation over seeds where there are several. "Least to most topics" is the score with the most topics less that
with the least, seed by seed. "Second to last fifth" is how the score of the batches tested changes with the most topics, from the second fifth of a fit to the
last one: a curve that falls has a negative number. Tokens a parameter are those that the last steps remember, over V·K, at the most topics.
`

const figure3Text = `ln p per token of the batches tested, against thousands of documents seen, without the first twentieth of the documents. Points are means over the batches tested within a
sixteenth of the documents, and over seeds; bars are standard deviations over seeds. K grows from row to row, the size of batches from column to column.
`
