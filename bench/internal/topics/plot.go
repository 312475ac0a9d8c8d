// This file lays out the charts of a comparison of topics: figures against the size of the vocabulary, a row per K.

package topics

import (
	"cmp"
	"fmt"
	"slices"

	"anchorage/bench/internal/report"
)

// namedChart is a chart with the name of its file.
type namedChart struct {
	name, title string
	rows        [][]report.Panel
}

// charts returns the charts of one corpus that have at least two sizes: a vocabulary cut by tf·idf (--max-items), and
// vocabularies cut by document frequency (--min-df).
func charts(corpus string, groups []group) []namedChart {
	var charts []namedChart
	var rules []Run // one for each --min-df
	for _, g := range groups {
		rule := Run{MinDF: g.run.MinDF, MaxDFRatio: g.run.MaxDFRatio}
		if !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
	}
	for _, rule := range rules {
		charts = appendChart(charts, fmt.Sprintf("growth-%s-df%d-%g", corpus, rule.MinDF, rule.MaxDFRatio), corpus+", the first N items by tf·idf, df ≥ "+fmt.Sprint(rule.MinDF),
			selectGroups(groups, func(r Run) bool { return r.MinDF == rule.MinDF && r.MaxDFRatio == rule.MaxDFRatio }))
	}
	ratios := make(map[float64]bool)
	for _, rule := range rules {
		if ratios[rule.MaxDFRatio] {
			continue
		}
		ratios[rule.MaxDFRatio] = true
		charts = appendChart(charts, fmt.Sprintf("df-%s-%g", corpus, rule.MaxDFRatio), corpus+", all items of a least df",
			selectGroups(groups, func(r Run) bool { return r.MaxItems == 0 && r.MaxDFRatio == rule.MaxDFRatio }))
	}
	return charts
}

func selectGroups(groups []group, want func(Run) bool) []group {
	var some []group
	for _, g := range groups {
		if want(g.run) {
			some = append(some, g)
		}
	}
	return some
}

// sizes returns the numbers of items, increasing.
func sizes(groups []group) []float64 {
	var list []float64
	for _, g := range groups {
		list = append(list, float64(g.records[0].Items))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// appendChart adds the chart of some groups, with a row for every K that has at least two sizes.
func appendChart(charts []namedChart, name, title string, groups []group) []namedChart {
	chart := namedChart{name: name + ".svg", title: title}
	var topics []int
	for _, g := range groups {
		topics = append(topics, g.run.Topics)
	}
	slices.Sort(topics)
	for _, k := range slices.Compact(topics) {
		of := selectGroups(groups, func(r Run) bool { return r.Topics == k })
		ticks := sizes(of)
		if len(ticks) < 2 {
			continue
		}
		var row []report.Panel
		for _, f := range figures {
			if f.high {
				row = append(row, report.Panel{X: "Items N (thousands)", Y: f.name, LogX: true, Thousands: true, Ticks: ticks, Series: lines(of, f)})
			}
		}
		row[0].Title = fmt.Sprintf("%s, K = %d", corpusOf(of), k)
		chart.rows = append(chart.rows, row)
	}
	if len(chart.rows) == 0 {
		return charts
	}
	return append(charts, chart)
}

func corpusOf(groups []group) string { return groups[0].run.Corpus }

// lines returns a line per method. A method has the same style in every chart of the same program; those of other
// programs are dashed.
func lines(groups []group, f figure) []report.Series {
	var list []report.Series
	for style, method := range Methods() {
		s := report.Series{Name: method, Style: style, Dashed: isPeer(method)}
		for _, g := range groups {
			if g.run.Method == method {
				s.Points = append(s.Points, report.At(float64(g.records[0].Items), g.mean(f)))
			}
		}
		slices.SortFunc(s.Points, func(a, b report.Point) int { return cmp.Compare(a.X, b.X) })
		if len(s.Points) > 0 {
			list = append(list, s)
		}
	}
	return list
}
