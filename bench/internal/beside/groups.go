// This file groups runs that differ in the repeat alone, and gives their figures.

package beside

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"anchorage/bench/internal/report"
)

// group is the repeats of a run.
type group struct {
	run     Run // its repeat means nothing
	records []Record
}

// groupsOf groups records: corpora by name, vocabularies from the smallest on, K, systems as Systems lists them and then others.
func groupsOf(records []Record) []group {
	var groups []group
	at := make(map[Run]int)
	for _, r := range records {
		run := r.Run
		run.Repeat = 0
		if _, ok := at[run]; !ok {
			at[run] = len(groups)
			groups = append(groups, group{run: run})
		}
		groups[at[run]].records = append(groups[at[run]].records, r)
	}
	order := Systems()
	place := func(name string) uint { return uint(slices.Index(order, name)) } // −1, for others, comes last
	slices.SortStableFunc(groups, func(a, b group) int {
		return cmp.Or(cmp.Compare(a.run.Corpus, b.run.Corpus), cmp.Compare(uint(a.run.Vocabulary-1), uint(b.run.Vocabulary-1)),
			cmp.Compare(a.run.Topics, b.run.Topics), cmp.Compare(place(a.run.System), place(b.run.System)))
	})
	return groups
}

// problem returns the first record without topics; nil if there is none.
func (g *group) problem() *Record {
	for i := range g.records {
		if status(g.records[i].Status) != made {
			return &g.records[i]
		}
	}
	return nil
}

// items returns N, as far as it is known.
func (g *group) items() int { return g.records[0].Items }

// figure is a column of figures.
type figure struct {
	name   string
	format string
	better int // 1 where more is better, −1 where less is, 0 where neither
	of     func(*Record) float64
	ended  func(*Record) float64 // of a run that a limit ended; nil where that has none
}

// The figures that charts show, and tables.
var (
	seconds   = figure{"seconds", "%.3g", -1, func(r *Record) float64 { return r.Seconds }, func(r *Record) float64 { return r.Wall }}
	wholeCPU  = figure{"whole CPU s", "%.3g", -1, func(r *Record) float64 { return r.WholeCPU }, func(r *Record) float64 { return r.WholeCPU }}
	peak      = figure{"peak MB", "%.0f", -1, megabytes, megabytes}
	npmi      = figure{"NPMI", "%.3f", 1, func(r *Record) float64 { return r.NPMI }, nil}
	diversity = figure{"diversity", "%.3f", 1, func(r *Record) float64 { return r.Diversity }, nil}
	likely    = figure{"ln p(token)", "%.3f", 1, func(r *Record) float64 { return r.LogLikelihood }, nil}
	truth     = figure{"error of B", "%.3f", -1, func(r *Record) float64 { return r.ErrorB }, nil}
	labelled  = figure{"AMI", "%.3f", 1, func(r *Record) float64 { return r.Agreement }, nil}
	recalled  = figure{"recall@20", "%.3f", 1, func(r *Record) float64 { return r.Recall20 }, nil}
	figures   = []figure{
		seconds,
		{"CPU s", "%.3g", -1, func(r *Record) float64 { return r.CPU }, nil},
		wholeCPU,
		{"load s", "%.2g", 0, func(r *Record) float64 { return r.Load }, nil},
		{"entries/s", "%.3g", 0, func(r *Record) float64 { return float64(r.Entries) / r.Seconds }, nil},
		peak,
		{"disk MB", "%.3g", 0, func(r *Record) float64 { return float64(r.DiskBytes) / 1e6 }, nil},
		npmi, diversity, likely,
		{"impossible", "%.2g", 0, func(r *Record) float64 { return r.Impossible }, nil},
		truth, labelled, recalled,
		{"NDCG@100", "%.3f", 1, func(r *Record) float64 { return r.NDCG100 }, nil},
	}
)

func megabytes(r *Record) float64 { return float64(r.PeakBytes) / 1e6 }

// spread is the least, the middle and the greatest value of a figure.
type spread struct{ low, middle, high float64 }

// spreadOf returns the spread of a figure over the repeats that found topics; NaN without one.
func (g *group) spreadOf(f figure) spread {
	var values []float64
	for i := range g.records {
		if status(g.records[i].Status) == made {
			values = append(values, f.of(&g.records[i]))
		}
	}
	if len(values) == 0 || math.IsNaN(slices.Max(values)) {
		return spread{math.NaN(), math.NaN(), math.NaN()}
	}
	slices.Sort(values)
	n := len(values)
	return spread{values[0], (values[(n-1)/2] + values[n/2]) / 2, values[n-1]}
}

// middle returns the repeat that found topics in the middle time; nil without one.
func (g *group) middle() *Record {
	var found []*Record
	for i := range g.records {
		if status(g.records[i].Status) == made {
			found = append(found, &g.records[i])
		}
	}
	if len(found) == 0 {
		return nil
	}
	slices.SortFunc(found, func(a, b *Record) int { return cmp.Compare(a.Seconds, b.Seconds) })
	return found[(len(found)-1)/2]
}

// text writes a spread as the least, middle and greatest value, or as one if they print alike.
func (f figure) text(s spread) string {
	if math.IsNaN(s.middle) {
		return "–"
	}
	low, middle, high := number(f.format, s.low), number(f.format, s.middle), number(f.format, s.high)
	if low == high {
		return middle
	}
	return strings.Join([]string{low, middle, high}, " – ")
}

// number formats a value without an exponent where it has few digits.
func number(format string, v float64) string {
	text := fmt.Sprintf(format, v)
	if strings.Contains(text, "e+") && math.Abs(v) < 1e7 {
		text = fmt.Sprintf("%.0f", v)
	}
	return report.Minus(text)
}

// comparable says whether two groups differ in the system alone.
func (g *group) comparable(other *group) bool {
	a, b := g.run, other.run
	a.System, b.System = "", ""
	return a == b
}
