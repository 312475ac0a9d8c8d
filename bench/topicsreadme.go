// This file writes what a comparison of topics has shown: README.md with a table per corpus, and the charts.

package bench

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"anchorage/internal/durable"
)

// topicsGroup is the runs that differ in the seed alone.
type topicsGroup struct {
	run     TopicsRun // its seed is without meaning
	records []TopicsRecord
}

// groupRecords returns the runs by what they are of, in the order of the tables: corpora by name, vocabularies from the largest
// to the smallest, K, methods as TopicsMethods lists them and others behind. Runs that failed are left out.
func groupRecords(records []TopicsRecord) []topicsGroup {
	var groups []topicsGroup
	at := make(map[TopicsRun]int)
	for _, r := range records {
		run := r.TopicsRun
		run.Seed = 0
		if r.Failure != "" {
			continue
		}
		if _, ok := at[run]; !ok {
			at[run] = len(groups)
			groups = append(groups, topicsGroup{run: run})
		}
		groups[at[run]].records = append(groups[at[run]].records, r)
	}
	order := TopicsMethods()
	place := func(method string) int {
		if i := slices.Index(order, method); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(groups, func(a, b topicsGroup) int {
		return cmp.Or(cmp.Compare(a.run.Corpus, b.run.Corpus), cmp.Compare(a.run.MaxDFRatio, b.run.MaxDFRatio), cmp.Compare(a.run.MinDF, b.run.MinDF),
			cmp.Compare(unlimited(b.run.MaxItems), unlimited(a.run.MaxItems)), cmp.Compare(a.run.Topics, b.run.Topics),
			cmp.Compare(place(a.run.Method), place(b.run.Method)), cmp.Compare(a.run.Method, b.run.Method))
	})
	return groups
}

// unlimited returns a limit with 0, which is none, as the greatest.
func unlimited(limit int) int {
	if limit == 0 {
		return math.MaxInt
	}
	return limit
}

// vocabulary says in words which items count.
func (r TopicsRun) vocabulary() string {
	text := fmt.Sprintf("df ≥ %d, ≤ %g %%", r.MinDF, 100*r.MaxDFRatio)
	if r.MaxItems > 0 {
		text += fmt.Sprintf(", first %d by tf·idf", r.MaxItems)
	}
	return text
}

// topicsFigure is a column of figures. Of figures that are better high the best of those that are compared is set in bold.
type topicsFigure struct {
	name   string
	format string
	high   bool
	of     func(r *TopicsRecord) float64 // NaN where there is none
}

// topicsFigures are the columns of the tables.
var topicsFigures = func() []topicsFigure {
	var figures []topicsFigure
	for l, lambda := range topicsLambdas {
		ranking := func(of func(r TopicsRanking) float64) func(*TopicsRecord) float64 {
			return func(r *TopicsRecord) float64 { return of(r.Rankings[l]) }
		}
		figures = append(figures,
			topicsFigure{fmt.Sprintf("NPMI, λ = %g", lambda), "%.3f", true, ranking(func(r TopicsRanking) float64 { return r.NPMI })},
			topicsFigure{fmt.Sprintf("diversity, λ = %g", lambda), "%.3f", true, ranking(func(r TopicsRanking) float64 { return r.Diversity })},
			topicsFigure{fmt.Sprintf("rarest word, λ = %g", lambda), "%.0f", false, ranking(func(r TopicsRanking) float64 { return float64(r.LeastDocuments) })},
			topicsFigure{fmt.Sprintf("thin topics, λ = %g", lambda), "%.0f", false, ranking(func(r TopicsRanking) float64 { return float64(r.ThinTopics) })})
	}
	anchors := func(of func(a *TopicsAnchors) float64) func(*TopicsRecord) float64 {
		return func(r *TopicsRecord) float64 {
			if r.Anchors == nil {
				return math.NaN()
			}
			return of(r.Anchors)
		}
	}
	return append(figures,
		topicsFigure{"anchor df", "%.0f", false, anchors(func(a *TopicsAnchors) float64 { return a.MedianDF })},
		topicsFigure{"largest pivot", "%.3g", false, anchors(func(a *TopicsAnchors) float64 { return a.LargestPivot })},
		topicsFigure{"d ≤ 0", "%.0f", false, anchors(func(a *TopicsAnchors) float64 { return float64(a.NonPositive) })},
		topicsFigure{"seconds", "%.1f", false, func(r *TopicsRecord) float64 { return r.Seconds }},
		topicsFigure{"CPU s", "%.1f", false, func(r *TopicsRecord) float64 { return r.CPU }},
		topicsFigure{"peak MB", "%.0f", false, func(r *TopicsRecord) float64 { return float64(r.PeakBytes) / 1e6 }})
}()

// mean returns the mean of a figure over the seeds, with its standard deviation.
func (g *topicsGroup) mean(f topicsFigure) cell {
	values := make([]float64, len(g.records))
	for i := range g.records {
		values[i] = f.of(&g.records[i])
	}
	return meanOf(values)
}

// cells returns the row of a group but for bold print.
func (g *topicsGroup) cells() []string {
	items := g.records[0].Items
	cells := []string{g.run.vocabulary(), fmt.Sprint(items), fmt.Sprint(g.run.Topics), g.run.Method, fmt.Sprint(len(g.records))}
	for _, f := range topicsFigures {
		c := g.mean(f)
		text := "–"
		if !math.IsNaN(c.mean) {
			text = fmt.Sprintf(f.format, c.mean)
		}
		if c.deviation > 0 {
			text += " ± " + fmt.Sprintf(f.format, c.deviation)
		}
		cells = append(cells, strings.ReplaceAll(text, "-", "−"))
	}
	return cells
}

// writeTopicsTable writes the table of one corpus. Groups of the same vocabulary and K are compared.
func writeTopicsTable(w io.Writer, groups []topicsGroup) error {
	header, rule := []string{"vocabulary", "N", "K", "method", "seeds"}, []string{"---", "---:", "---:", "---", "---:"}
	fixed := len(header)
	for _, f := range topicsFigures {
		header, rule = append(header, f.name), append(rule, "---:")
	}
	if err := markdownRow(w, header); err != nil {
		return err
	}
	if err := markdownRow(w, rule); err != nil {
		return err
	}
	for i := range groups {
		cells := groups[i].cells()
		for c, f := range topicsFigures {
			best, compared := math.Inf(-1), 0
			for j := range groups {
				if groups[j].comparable(&groups[i]) {
					best, compared = max(best, groups[j].mean(f).mean), compared+1
				}
			}
			if f.high && compared > 1 && groups[i].mean(f).mean == best {
				cells[fixed+c] = "**" + cells[fixed+c] + "**"
			}
		}
		if err := markdownRow(w, cells); err != nil {
			return err
		}
	}
	return nil
}

// comparable says that two groups differ in the method alone.
func (g *topicsGroup) comparable(other *topicsGroup) bool {
	a, b := g.run, other.run
	a.Method, b.Method = "", ""
	return a == b
}

// writeTopicsResults writes README.md and the charts into a folder that holds the records.
func writeTopicsResults(results string, records []TopicsRecord) error {
	var text strings.Builder
	text.WriteString(topicsIntroduction)
	for _, v := range topicsVariants {
		markdownRow(&text, []string{v.name, v.note}) // a strings.Builder takes everything
	}
	for _, p := range topicsPeers {
		markdownRow(&text, []string{p.name, p.note})
	}
	groups := groupRecords(records)
	for len(groups) > 0 {
		corpus := groups[0].run.Corpus
		n := slices.IndexFunc(groups, func(g topicsGroup) bool { return g.run.Corpus != corpus })
		if n < 0 {
			n = len(groups)
		}
		fmt.Fprintf(&text, "\n## %s\n\n", corpus)
		for _, chart := range topicsCharts(corpus, groups[:n]) {
			err := durable.WriteFile(filepath.Join(results, chart.name), func(w io.Writer) error { return writeChart(w, chart.rows) })
			if err != nil {
				return err
			}
			fmt.Fprintf(&text, "![%s](%s)\n\n", chart.title, chart.name)
		}
		if err := writeTopicsTable(&text, groups[:n]); err != nil {
			return err
		}
		groups = groups[n:]
	}
	writeFailures(&text, records)
	return durable.WriteFile(filepath.Join(results, "README.md"), func(w io.Writer) error {
		_, err := io.WriteString(w, text.String())
		return err
	})
}

// writeFailures lists the runs without topics.
func writeFailures(text *strings.Builder, records []TopicsRecord) {
	heading := "\n## Runs without topics\n\n"
	for _, r := range records {
		if r.Failure != "" {
			fmt.Fprintf(text, "%s- %s, %s, K = %d, %s, seed %d: %s\n", heading, r.Corpus, r.vocabulary(), r.Topics, r.Method, r.Seed, r.Failure)
			heading = ""
		}
	}
}

// topicsIntroduction begins README.md, up to the list of methods.
const topicsIntroduction = `# Topics by method, vocabulary and number of topics

Made by runs of

` + "```" + `
anchorage bench topics --data DATA -o RESULTS --corpora … --min-df … --max-items … --topics … --methods … --seeds …
` + "```" + `

where DATA is a folder with a folder per corpus, and RESULTS this one. Every run is a line of ` + "`runs.jsonl`" + `; a run that has its
line is not made again, so the tables here grow from one command to the next. Every run is a process of its own.

All methods get the same documents (at least 3 distinct items and 5 tokens of the vocabulary) and the same items, and their
topics are read by the same ranking: the 10 words of greatest relevance, λ ln p(w|k) + (1−λ) ln(p(w|k)/p(w)), for λ = 1 and 0.6.

- **NPMI**: mean over topics and pairs of a topic's words, over whole documents; −1 where a pair is in no document. High is good.
- **diversity**: distinct words of all topics, as a share. High is good.
- **rarest word**: the number of documents of the rarest word of all topics; **thin topics**: topics with a word in fewer than 20.
- **anchor df**: median number of documents that anchors are in. **largest pivot**: the rows of a stochastic matrix have norm 1 at
  most. **d ≤ 0**: items with a row sum that is not positive.
- **seconds**, **CPU s**: on the clock and of all processors, without reading or loading the documents. **peak MB**: of the
  process, with everything. Times suffer from whatever else the machine was doing.

Figures are means over seeds ± standard deviation; the best of the methods for one vocabulary and K is in bold.

| method | what it is |
| --- | --- |
`
