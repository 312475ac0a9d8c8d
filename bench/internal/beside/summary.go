// This file writes the part of a document that shows the results: a table, two charts, and where other programs are better and why.

package beside

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"anchorage/bench/internal/report"
)

// What the summary shows.
const (
	summaryCorpus = "wiki" // or the first one there is
	summaryTopics = 50     // or the least number there is
	labelCorpus   = "debian"
	basketCorpus  = "retail"
)

// marked is the part of a document, with the lines that mark it.
var marked = regexp.MustCompile(`(?s)(<!-- peers[^\n]*-->\n).*?(<!-- /peers -->\n)`)

// WriteSummary writes the summary of a folder of results into the marked part of a document.
func WriteSummary(document, results string) error {
	text, err := Summarized(document, results)
	if err != nil {
		return err
	}
	return report.WriteText(document, text)
}

// Summarized returns the text of a document with the summary of a folder of results in its marked part.
func Summarized(document, results string) (string, error) {
	text, err := os.ReadFile(document)
	if err != nil {
		return "", err
	}
	at := marked.FindSubmatchIndex(text)
	if at == nil {
		return "", fmt.Errorf("%s has no part between a line <!-- peers … --> and a line <!-- /peers -->", filepath.Base(document))
	}
	records, err := runLog.Read(results)
	if err != nil {
		return "", err
	}
	way, err := relative(filepath.Dir(document), results)
	if err != nil {
		return "", err
	}
	return string(text[:at[3]]) + "\n" + summary(records, way) + "\n" + string(text[at[4]:]), nil
}

// relative returns the way from a folder to another one, as links have it.
func relative(from, to string) (string, error) {
	from, err := filepath.Abs(from)
	if err != nil {
		return "", err
	}
	if to, err = filepath.Abs(to); err != nil {
		return "", err
	}
	way, err := filepath.Rel(from, to)
	return filepath.ToSlash(way), err
}

// summary returns the summary of records. way leads to their folder.
func summary(records []Record, way string) string {
	if len(records) == 0 {
		return "Not measured yet.\n"
	}
	groups := groupsOf(slices.DeleteFunc(slices.Clone(records), func(r Record) bool { return status(r.Status) == absent }))
	corpus := summaryCorpus
	if !slices.ContainsFunc(groups, func(g group) bool { return g.run.Corpus == corpus }) {
		corpus = records[0].Corpus
	}
	k := topicsOf(groups, corpus)
	table := largest(groups, corpus, k)
	if len(table) == 0 {
		return "Not measured yet.\n"
	}
	columns := []column{{table, seconds, ""}, {table, wholeCPU, ""}, {table, peak, ""}, {table, npmi, ""}, {table, diversity, ""}, {table, likely, ""}}
	for _, other := range []struct {
		corpus string
		figure figure
	}{{Drawn, truth}, {Drawn, labelled}, {labelCorpus, labelled}, {basketCorpus, recalled}} {
		if of := largest(groups, other.corpus, k); other.corpus != corpus && slices.ContainsFunc(of, func(g group) bool { return !math.IsNaN(g.spreadOf(other.figure).middle) }) {
			columns = append(columns, column{of, other.figure, other.corpus})
		}
	}
	var b strings.Builder
	writeHead(&b, table, way)
	writeColumns(&b, groups, table, columns)
	for _, chart := range charts(corpus, within(groups, corpus)) {
		fmt.Fprintf(&b, "\n![%s](%s/%s)\n", chart.title, way, chart.name)
	}
	writeReasons(&b, columns)
	return b.String()
}

// within returns the groups of a corpus.
func within(groups []group, corpus string) []group {
	return slices.DeleteFunc(slices.Clone(groups), func(g group) bool { return g.run.Corpus != corpus })
}

// topicsOf returns the K that is shown of a corpus.
func topicsOf(groups []group, corpus string) int {
	k := 0
	for _, g := range within(groups, corpus) {
		if g.run.Topics == summaryTopics {
			return summaryTopics
		}
		if k == 0 || g.run.Topics < k {
			k = g.run.Topics
		}
	}
	return k
}

// largest returns the groups of a corpus and K with the most items, of those vocabularies with which ours found topics.
func largest(groups []group, corpus string, k int) (list []group) {
	own := -1
	for i := range groups { // the smallest vocabulary comes first
		if g := &groups[i]; g.run.Corpus == corpus && g.run.Topics == k && g.run.System == Ours && g.problem() == nil {
			own = i
		}
	}
	for i := range groups {
		if own >= 0 && groups[i].comparable(&groups[own]) {
			list = append(list, groups[i])
		}
	}
	return list
}

// column is a figure of the summary.
type column struct {
	groups []group
	figure figure
	corpus string // empty for that of the table
}

// name names the figure, and the corpus where it is another one.
func (c column) name() string {
	if c.corpus == "" {
		return c.figure.name
	}
	return c.figure.name + ", " + c.corpus
}

// writeHead says what the table shows.
func writeHead(b *strings.Builder, table []group, way string) {
	var own *Record
	for i := range table {
		if table[i].run.System == Ours {
			own = table[i].middle()
		}
	}
	fmt.Fprintf(b, "`go run ./bench peers` gives all programs the same documents and items, and %d threads; a run may take %s. The table is of\n"+
		"%s with N = %s items, %s documents and K = %d; a system stands with its best setting and its run in the middle. In the charts,\n"+
		"a cross in a ring is where a limit ended a run. [bench/results/peers](%s/README.md) has all corpora, vocabularies and settings,\n"+
		"repeats and stages, and says what the figures are.\n\n",
		own.Threads, limitsOf(own), own.Corpus, humanize.Comma(int64(own.Items)), humanize.Comma(own.Documents), own.Topics, way)
}

// limitsOf writes the limits of a run.
func limitsOf(r *Record) string {
	time := fmt.Sprint(time.Duration(r.TimeLimit * float64(time.Second)))
	memory := fmt.Sprintf("%.3g GB", float64(r.MemoryLimit)/1e9)
	switch {
	case r.TimeLimit == 0 && r.MemoryLimit == 0:
		return "any time and memory"
	case r.TimeLimit == 0:
		return memory
	case r.MemoryLimit == 0:
		return time
	}
	return time + " and " + memory
}

// writeColumns writes the table: a row for each system of summarySystems.
func writeColumns(b *strings.Builder, groups, table []group, columns []column) {
	header := []string{"system", "failed"}
	for _, c := range columns {
		header = append(header, c.name()+":")
	}
	report.MarkdownHeader(b, header...)
	for _, s := range summarySystems(table) {
		cells, any := []string{s.name, failure(groups, table[0].run, s.name)}, false
		for _, c := range columns {
			cell := "–"
			for i := range c.groups {
				if g := &c.groups[i]; g.run.System == s.name && g.problem() == nil {
					if v := g.spreadOf(c.figure).middle; !math.IsNaN(v) {
						cell, any = number(c.figure.format, v), true
					}
				}
			}
			cells = append(cells, cell)
		}
		if any || cells[1] != "" {
			report.MarkdownRow(b, cells...)
		}
	}
}

// failure says with how many items a system failed first, on the corpus and with the K of a run; "" where it did not.
func failure(groups []group, of Run, name string) string {
	for i := range groups {
		g := &groups[i]
		if r := g.problem(); r != nil && g.run.System == name && g.run.Corpus == of.Corpus && g.run.Topics == of.Topics && status(r.Status) != beyond {
			return fmt.Sprintf("%s, N = %d", r.Status, cmp.Or(r.Items, g.run.Vocabulary))
		}
	}
	return ""
}

// notable is the share by which another setting of ours must be better to be named: runs of one setting differ by less.
const notable = 0.05

// writeReasons says where other programs are better than ours, and why.
func writeReasons(b *strings.Builder, columns []column) {
	var lines []string
	for _, c := range columns {
		r := rank(only(c.groups, summarySystems(c.groups)), c.figure)
		var better []string
		var why []string
		for _, s := range r.better() {
			better = append(better, s.text(c.figure))
			if system, err := find(s.system); err == nil {
				if reason := system.kind.reason(c.figure.name); reason != "" && !slices.Contains(why, reason) {
					why = append(why, reason)
				}
			}
		}
		if len(better) == 0 {
			continue
		}
		line := fmt.Sprintf("- **%s**, %s here: %s.", c.name(), number(c.figure.format, r.own), strings.Join(better, ", "))
		for _, reason := range why {
			line += " " + reason
		}
		for _, s := range rank(c.groups, c.figure).order {
			if gain := float64(c.figure.better) * (s.value - r.own); strings.HasPrefix(s.system, Ours+"-") && gain > notable*math.Abs(r.own) {
				line += " Of ours, " + s.text(c.figure) + " is better too."
			}
		}
		lines = append(lines, line+"\n")
	}
	if len(lines) == 0 {
		b.WriteString("\nNo other program is better in any of these columns.\n")
		return
	}
	b.WriteString("\nWhere other programs are better:\n\n" + strings.Join(lines, ""))
}

// summarySystems returns the systems that the summary shows: those with their best settings, and the default ones of programs whose best setting
// failed where that did not.
func summarySystems(groups []group) (list []system) {
	works := func(name string) bool {
		return slices.ContainsFunc(groups, func(g group) bool { return g.run.System == name && g.problem() == nil })
	}
	best := ""
	for _, s := range systems { // the default follows the best setting
		if s.kind != ours && !s.plain || s.name == Ours {
			best = s.name
		}
		if !s.plain || !works(best) && works(s.name) {
			list = append(list, s)
		}
	}
	return list
}

// only returns the groups of systems.
func only(groups []group, list []system) []group {
	return slices.DeleteFunc(slices.Clone(groups), func(g group) bool {
		return !slices.ContainsFunc(list, func(s system) bool { return s.name == g.run.System })
	})
}
