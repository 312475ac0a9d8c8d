// This file writes README.md, with a table per corpus, vocabulary and K, and the charts.

package beside

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"anchorage/bench/internal/report"
	"anchorage/internal/durable"
)

// writeResults writes README.md and the charts into a folder that holds the records.
func writeResults(results string, records []Record) error {
	var b strings.Builder
	b.WriteString(introduction)
	writeOrigins(&b, records)
	writeAbsent(&b, records)
	groups := groupsOf(slices.DeleteFunc(slices.Clone(records), func(r Record) bool { return status(r.Status) == absent }))
	for len(groups) > 0 {
		corpus := groups[0].run.Corpus
		n := slices.IndexFunc(groups, func(g group) bool { return g.run.Corpus != corpus })
		if n < 0 {
			n = len(groups)
		}
		fmt.Fprintf(&b, "\n## %s\n\n", corpus)
		for _, chart := range charts(corpus, groups[:n]) {
			if err := durable.WriteFile(filepath.Join(results, chart.name), report.Chart{Rows: chart.rows, Zoom: chartZoom}.Write); err != nil {
				return err
			}
			fmt.Fprintf(&b, "![%s](%s)\n\n", chart.title, chart.name)
		}
		writeCorpus(&b, groups[:n])
		groups = groups[n:]
	}
	b.WriteString("\n## Systems\n\n")
	report.MarkdownHeader(&b, "system", "what it is")
	for _, s := range systems {
		report.MarkdownRow(&b, s.name, s.note)
	}
	return report.WriteText(filepath.Join(results, "README.md"), b.String())
}

// writeOrigins says which commits made how many runs, when and where.
func writeOrigins(b *strings.Builder, records []Record) {
	type origin struct {
		commit, machine, limits string
		threads                 int
	}
	var origins []origin
	days := make(map[origin][]string)
	for _, r := range records {
		limits := fmt.Sprintf("%v and %.3g GB", time.Duration(r.TimeLimit)*time.Second, float64(r.MemoryLimit)/1e9)
		o := origin{r.Commit, r.Machine, limits, r.Threads}
		if !slices.Contains(origins, o) {
			origins = append(origins, o)
		}
		days[o] = append(days[o], r.Started.UTC().Format(time.DateOnly))
	}
	for _, o := range origins {
		fmt.Fprintf(b, "- runs: %d, from %s to %s, commit %s, %d threads, limits of %s (0 is none), on %s\n", len(days[o]), slices.Min(days[o]), slices.Max(days[o]),
			cmp.Or(o.commit, "unknown"), o.threads, o.limits, o.machine)
	}
}

// writeAbsent lists the systems that were not available.
func writeAbsent(b *strings.Builder, records []Record) {
	reasons := make(map[string]string)
	for _, r := range records {
		if status(r.Status) == absent {
			reasons[r.System] = r.Reason
		}
	}
	if len(reasons) == 0 {
		return
	}
	b.WriteString("\n## Not available here\n\nThese were not measured:\n\n")
	for _, name := range Systems() {
		if reason, ok := reasons[name]; ok {
			fmt.Fprintf(b, "- **%s**: %s\n", name, reason)
		}
	}
}

// writeCorpus writes the tables of one corpus, one for each vocabulary and K.
func writeCorpus(b *strings.Builder, groups []group) {
	for len(groups) > 0 {
		n := slices.IndexFunc(groups, func(g group) bool { return !g.comparable(&groups[0]) })
		if n < 0 {
			n = len(groups)
		}
		writeTable(b, groups[:n])
		groups = groups[n:]
	}
}

// writeTable writes a row for each system, and says where another is better than ours.
func writeTable(b *strings.Builder, groups []group) {
	for i := range groups {
		if r := groups[i].records[0]; r.Items > 0 {
			fmt.Fprintf(b, "### N = %d, K = %d: %d documents, %d entries\n\n", r.Items, r.Topics, r.Documents, r.Entries)
			break
		}
		if i == len(groups)-1 {
			fmt.Fprintf(b, "### At most %d items, K = %d\n\n", groups[i].run.Vocabulary, groups[i].run.Topics)
		}
	}
	shown := slices.DeleteFunc(slices.Clone(figures), func(f figure) bool {
		return !slices.ContainsFunc(groups, func(g group) bool { return !math.IsNaN(g.spreadOf(f).middle) })
	})
	header := []string{"system", "status"}
	for _, f := range shown {
		header = append(header, f.name+":")
	}
	report.MarkdownHeader(b, header...)
	for i := range groups {
		g := &groups[i]
		cells := []string{g.run.System, "1 run"}
		if len(g.records) > 1 {
			cells[1] = fmt.Sprintf("%d runs", len(g.records))
		}
		if r := g.problem(); r != nil {
			cells[1] = "**" + r.Status + "**"
			if r.Reason != "" {
				cells[1] += ": " + r.Reason
			}
		}
		for _, f := range shown {
			cells = append(cells, f.text(g.spreadOf(f)))
		}
		report.MarkdownRow(b, cells...)
	}
	b.WriteByte('\n')
	writeBest(b, groups, shown)
	writeStages(b, groups)
}

// writeBest writes a row for each figure: the best system, ours, and all that are better than ours, with the reason.
func writeBest(b *strings.Builder, groups []group, shown []figure) {
	if !slices.ContainsFunc(groups, func(g group) bool { return g.run.System != Ours && g.middle() != nil }) {
		return
	}
	report.MarkdownHeader(b, "figure", "best", "`"+Ours+"`:", "better than `"+Ours+"`, the best first")
	for _, f := range shown {
		r := rank(groups, f)
		if len(r.order) == 0 {
			continue
		}
		cells := []string{f.name, "", "–", ""}
		for _, s := range r.order {
			if s.value == r.order[0].value {
				cells[1] += ", " + s.text(f)
			}
		}
		cells[1] = strings.TrimPrefix(cells[1], ", ")
		if !math.IsNaN(r.own) {
			cells[2] = number(f.format, r.own)
			var better []string
			for _, s := range r.better() {
				better = append(better, s.text(f))
			}
			if cells[3] = strings.Join(better, ", "); len(better) == 0 {
				cells[3] = "none"
			}
		}
		report.MarkdownRow(b, cells...)
	}
	b.WriteByte('\n')
}

// writeStages writes the stages of each system's run of the middle time.
func writeStages(b *strings.Builder, groups []group) {
	begun := false
	for i := range groups {
		r := groups[i].middle()
		if r == nil || len(r.Stages) == 0 {
			continue
		}
		if !begun {
			b.WriteString("Seconds and CPU seconds by stage, of the run in the middle:\n\n")
			report.MarkdownHeader(b, "system", "stages")
			begun = true
		}
		var stages []string
		for _, s := range r.Stages {
			stages = append(stages, fmt.Sprintf("%s %s / %s", s.Name, number("%.3g", s.Seconds), number("%.3g", s.CPU)))
		}
		report.MarkdownRow(b, r.System, strings.Join(stages, " · "))
	}
	if begun {
		b.WriteByte('\n')
	}
}

// introduction begins README.md.
const introduction = `# Other programs beside ours

Made by runs of

` + "```" + `
go run ./bench peers --data DATA -o RESULTS --corpora … --vocabulary … --topics … --peers … --repeats …
` + "```" + `

` + "`runs.csv`" + ` has a row per run and ` + "`stages.csv`" + ` a row per stage of a run. A run with a row is not made again, so each command adds to
the tables here. ` + "`bash bench/peers/install`" + ` installs the other programs, as far as Debian has them.

All systems learn from the same documents and items: nine of ten documents, and the items of greatest tf·idf. Each run is a process of its own,
on as many threads as the others, after all its files have been read once. A repeat has its number for a seed. Cells are the least, the middle
and the greatest of the repeats.

Charts show each system with its best setting. A line ends where the system failed; a cross in a ring stands where a limit ended it, at what it had
taken by then.

Below each table are, for each figure, the best system, ours, and all that are better than ours. ` + "`anchorage`" + ` gets the limit of memory as its own
` + "`--memory-limit`" + `; the other programs have no such flag, and are ended when they take more.

- **status**: how many runs there are, or how the system ended: out of memory or time, failed, or not available here. A system that was out of
  memory or time with fewer items or topics is **not tried** with more.
- **seconds**, **CPU s**: of everything but **load s**, which is reading the documents and a program's library, and writing the topics. Processes that a system
  starts may be missing in CPU s; **whole CPU s** has them, with the start of the program, reading and writing. **entries/s**: non-zero counts for
  each of these seconds. **peak MB**: of all processes of the run together. **disk MB**: all that it wrote, with the topics.
- **NPMI**, **diversity**: of the first 10 items that a program lists for each topic, on the documents learned from, as ` + "`anchorage eval --topics`" + ` has
  them. Ours are those of ` + "`anchorage topics`" + `, which ranks items by their thinned documents; those of others have the greatest weights, by tf-idf where
  they factor that.
- **ln p(token)**: document completion, on the first 3,000 of the other documents: two thirds of the tokens give the mixture, the other third is
  scored. All topics are mixed with 1 % of p(item), and all systems have the prior that 3,000 documents tell by these topics. **impossible**:
  the share of tokens that the topics exclude without that.
- **error of B**: on drawn corpora, the mean over topics of Σ|b̂ − b|, from 0 to 2. **AMI**: adjusted mutual information of the items' most
  probable topics with their labels; those of drawn corpora are the true topics.
- **recall@20**, **NDCG@100**: of the held-out halves of 3,000 baskets, recommended by topics alone.

Other work on the machine makes times longer.

`
