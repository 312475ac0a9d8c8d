// This file writes README.md, with a table per corpus, and the charts.

package topics

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

// group is the runs that differ in the seed alone.
type group struct {
	run     Run // its seed means nothing
	records []Record
}

// groupRecords groups the runs that did not fail, in the order of the tables: corpora by name, vocabularies from the largest to the
// smallest, K, methods as Methods lists them and then others.
func groupRecords(records []Record) []group {
	var groups []group
	at := make(map[Run]int)
	for _, r := range records {
		run := r.Run
		run.Seed = 0
		if r.Failure != "" {
			continue
		}
		if _, ok := at[run]; !ok {
			at[run] = len(groups)
			groups = append(groups, group{run: run})
		}
		groups[at[run]].records = append(groups[at[run]].records, r)
	}
	order := Methods()
	place := func(method string) int {
		if i := slices.Index(order, method); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(groups, func(a, b group) int {
		return cmp.Or(cmp.Compare(a.run.Corpus, b.run.Corpus), cmp.Compare(a.run.MaxDFRatio, b.run.MaxDFRatio), cmp.Compare(a.run.MinDF, b.run.MinDF),
			cmp.Compare(unlimited(b.run.MaxItems), unlimited(a.run.MaxItems)), cmp.Compare(a.run.Topics, b.run.Topics),
			cmp.Compare(place(a.run.Method), place(b.run.Method)), cmp.Compare(a.run.Method, b.run.Method))
	})
	return groups
}

// unlimited returns a limit; 0, no limit, becomes the greatest number.
func unlimited(limit int) int {
	if limit == 0 {
		return math.MaxInt
	}
	return limit
}

// vocabulary says in words which items count.
func (r Run) vocabulary() string {
	text := fmt.Sprintf("df ≥ %d, ≤ %g %%", r.MinDF, 100*r.MaxDFRatio)
	if r.MaxItems > 0 {
		text += fmt.Sprintf(", first %d by tf·idf", r.MaxItems)
	}
	return text
}

// figure is a column of figures. Where high is good, the best of the compared figures is bold.
type figure struct {
	name   string
	format string
	high   bool
	of     func(r *Record) float64 // NaN where there is none
}

// figures are the columns of the tables.
var figures = func() []figure {
	var figures []figure
	for l, lambda := range lambdas {
		ranking := func(of func(r Ranking) float64) func(*Record) float64 {
			return func(r *Record) float64 { return of(r.Rankings[l]) }
		}
		figures = append(figures,
			figure{fmt.Sprintf("NPMI, λ = %g", lambda), "%.3f", true, ranking(func(r Ranking) float64 { return r.NPMI })},
			figure{fmt.Sprintf("diversity, λ = %g", lambda), "%.3f", true, ranking(func(r Ranking) float64 { return r.Diversity })},
			figure{fmt.Sprintf("rarest word, λ = %g", lambda), "%.0f", false, ranking(func(r Ranking) float64 { return float64(r.LeastDocuments) })},
			figure{fmt.Sprintf("thin topics, λ = %g", lambda), "%.0f", false, ranking(func(r Ranking) float64 { return float64(r.ThinTopics) })})
	}
	return append(figures,
		figure{"anchor df", "%.0f", false, func(r *Record) float64 { return r.Anchors.MedianDF }},
		figure{"largest pivot", "%.3g", false, func(r *Record) float64 { return r.Anchors.LargestPivot }},
		figure{"d ≤ 0", "%.0f", false, func(r *Record) float64 { return r.Anchors.NonPositive }},
		figure{"seconds", "%.1f", false, func(r *Record) float64 { return r.Seconds }},
		figure{"CPU s", "%.1f", false, func(r *Record) float64 { return r.CPU }},
		figure{"peak MB", "%.0f", false, func(r *Record) float64 { return float64(r.PeakBytes) / 1e6 }})
}()

// mean returns the mean of a figure over the seeds, with its standard deviation.
func (g *group) mean(f figure) report.Mean {
	values := make([]float64, len(g.records))
	for i := range g.records {
		values[i] = f.of(&g.records[i])
	}
	return report.MeanOf(values)
}

// cells returns the row of a group, without bold print.
func (g *group) cells() []string {
	items := g.records[0].Items
	cells := []string{g.run.vocabulary(), fmt.Sprint(items), fmt.Sprint(g.run.Topics), g.run.Method, fmt.Sprint(len(g.records))}
	for _, f := range figures {
		c := g.mean(f)
		text := "–"
		if !math.IsNaN(c.Mean) {
			text = fmt.Sprintf(f.format, c.Mean)
		}
		if c.Deviation > 0 {
			text += " ± " + fmt.Sprintf(f.format, c.Deviation)
		}
		cells = append(cells, report.Minus(text))
	}
	return cells
}

// writeTable writes the table of one corpus. Groups of the same vocabulary and K are compared.
func writeTable(b *strings.Builder, groups []group) {
	header := []string{"vocabulary", "N:", "K:", "method", "seeds:"}
	fixed := len(header)
	for _, f := range figures {
		header = append(header, f.name+":")
	}
	report.MarkdownHeader(b, header...)
	for i := range groups {
		cells := groups[i].cells()
		for c, f := range figures {
			best, compared := math.Inf(-1), 0
			for j := range groups {
				if groups[j].comparable(&groups[i]) {
					best, compared = max(best, groups[j].mean(f).Mean), compared+1
				}
			}
			if f.high && compared > 1 && groups[i].mean(f).Mean == best {
				cells[fixed+c] = "**" + cells[fixed+c] + "**"
			}
		}
		report.MarkdownRow(b, cells...)
	}
}

// comparable says whether two groups differ in the method alone.
func (g *group) comparable(other *group) bool {
	a, b := g.run, other.run
	a.Method, b.Method = "", ""
	return a == b
}

// writeResults writes README.md and the charts into a folder that holds the records.
func writeResults(results string, records []Record) error {
	var text strings.Builder
	text.WriteString(introduction)
	report.MarkdownHeader(&text, "method", "what it is")
	for _, v := range Variants {
		report.MarkdownRow(&text, v.Name, v.Note)
	}
	for _, p := range peerMethods {
		report.MarkdownRow(&text, p.name, p.note)
	}
	groups := groupRecords(records)
	for len(groups) > 0 {
		corpus := groups[0].run.Corpus
		n := slices.IndexFunc(groups, func(g group) bool { return g.run.Corpus != corpus })
		if n < 0 {
			n = len(groups)
		}
		fmt.Fprintf(&text, "\n## %s\n\n", corpus)
		for _, chart := range charts(corpus, groups[:n]) {
			err := durable.WriteFile(filepath.Join(results, chart.name), report.Chart{Rows: chart.rows}.Write)
			if err != nil {
				return err
			}
			fmt.Fprintf(&text, "![%s](%s)\n\n", chart.title, chart.name)
		}
		writeTable(&text, groups[:n])
		groups = groups[n:]
	}
	writeFailures(&text, records)
	return report.WriteText(filepath.Join(results, "README.md"), text.String())
}

// writeFailures lists the runs without topics.
func writeFailures(text *strings.Builder, records []Record) {
	heading := "\n## Runs without topics\n\n"
	for _, r := range records {
		if r.Failure != "" {
			fmt.Fprintf(text, "%s- %s, %s, K = %d, %s, seed %d: %s\n", heading, r.Corpus, r.vocabulary(), r.Topics, r.Method, r.Seed, r.Failure)
			heading = ""
		}
	}
}

// introduction begins README.md, up to the list of methods.
const introduction = `# Topics by method, vocabulary and number of topics

Made by runs of

` + "```" + `
go run ./bench topics --data DATA -o RESULTS --corpora … --min-df … --max-items … --topics … --methods … --seeds …
` + "```" + `

DATA is a folder with a folder per corpus, and RESULTS this one. ` + "`runs.csv`" + ` has a row per run and ` + "`stages.csv`" + ` a row
per stage of a run. A run with a row is not made again, so each command adds to the tables here. Every run is a process of
its own.

All methods get the same documents (at least 3 distinct items and 5 tokens of the vocabulary) and the same items. The same
ranking reads their topics: the 10 words of greatest relevance, λ ln p(w|k) + (1−λ) ln(p(w|k)/p(w)), for λ = 1 and 0.6.

- **NPMI**: mean over topics and pairs of a topic's words, over whole documents; −1 for a pair that is in no document. High is
  good.
- **diversity**: share of distinct words among the words of all topics. High is good.
- **rarest word**: the number of documents with the rarest word of all topics. **thin topics**: topics with a word in fewer
  than 20 documents.
- **anchor df**: median number of documents with an anchor. **largest pivot**: the rows of a stochastic matrix have norm 1 at
  most. **d ≤ 0**: items whose row sum is not positive.
- **seconds**, **CPU s**: on the clock and of all processors, without reading or loading the documents. **peak MB**: of the
  whole process. Other work on the machine makes times longer.

Figures are means over seeds ± standard deviation. Bold marks the best method for a vocabulary and K.

`
