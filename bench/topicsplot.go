// This file lays out the charts of a comparison of topics: figures against the size of the vocabulary, a row per K.

package bench

import (
	"fmt"
	"slices"
)

// topicsChart is a chart with the name of its file.
type topicsChart struct {
	name, title string
	rows        [][]panel
}

// topicsCharts returns the charts of one corpus: the growth of a vocabulary that is cut by tf·idf (--max-items), and that of
// vocabularies cut by document frequency (--min-df), each where there are at least two sizes.
func topicsCharts(corpus string, groups []topicsGroup) []topicsChart {
	var charts []topicsChart
	var rules []TopicsRun // one for each --min-df
	for _, g := range groups {
		rule := TopicsRun{MinDF: g.run.MinDF, MaxDFRatio: g.run.MaxDFRatio}
		if !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
	}
	for _, rule := range rules {
		charts = appendChart(charts, fmt.Sprintf("growth-%s-df%d-%g", corpus, rule.MinDF, rule.MaxDFRatio), corpus+", the first N items by tf·idf, df ≥ "+fmt.Sprint(rule.MinDF),
			selectGroups(groups, func(r TopicsRun) bool { return r.MinDF == rule.MinDF && r.MaxDFRatio == rule.MaxDFRatio }))
	}
	ratios := make(map[float64]bool)
	for _, rule := range rules {
		if ratios[rule.MaxDFRatio] {
			continue
		}
		ratios[rule.MaxDFRatio] = true
		charts = appendChart(charts, fmt.Sprintf("df-%s-%g", corpus, rule.MaxDFRatio), corpus+", all items of a least df",
			selectGroups(groups, func(r TopicsRun) bool { return r.MaxItems == 0 && r.MaxDFRatio == rule.MaxDFRatio }))
	}
	return charts
}

func selectGroups(groups []topicsGroup, want func(TopicsRun) bool) []topicsGroup {
	var some []topicsGroup
	for _, g := range groups {
		if want(g.run) {
			some = append(some, g)
		}
	}
	return some
}

// sizes returns the numbers of items, increasing.
func sizes(groups []topicsGroup) []float64 {
	var list []float64
	for _, g := range groups {
		list = append(list, float64(g.records[0].Items))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// appendChart adds the chart of some groups, with a row for every K that has at least two sizes.
func appendChart(charts []topicsChart, name, title string, groups []topicsGroup) []topicsChart {
	chart := topicsChart{name: name + ".svg", title: title}
	var topics []int
	for _, g := range groups {
		topics = append(topics, g.run.Topics)
	}
	slices.Sort(topics)
	for _, k := range slices.Compact(topics) {
		of := selectGroups(groups, func(r TopicsRun) bool { return r.Topics == k })
		ticks := sizes(of)
		if len(ticks) < 2 {
			continue
		}
		var row []panel
		for _, f := range topicsFigures {
			if f.high {
				row = append(row, panel{x: "Items N (thousands)", y: f.name, logX: true, thousands: true, ticks: ticks, series: topicsSeries(of, f)})
			}
		}
		row[0].title = fmt.Sprintf("%s, K = %d", corpusOf(of), k)
		chart.rows = append(chart.rows, row)
	}
	if len(chart.rows) == 0 {
		return charts
	}
	return append(charts, chart)
}

func corpusOf(groups []topicsGroup) string { return groups[0].run.Corpus }

// topicsSeries returns a line per method. A method has the same style in every chart of the same program; those of other
// programs are dashed.
func topicsSeries(groups []topicsGroup, f topicsFigure) []series {
	var lines []series
	for style, method := range TopicsMethods() {
		s := series{name: method, style: style, dashed: isPeer(method)}
		for _, g := range groups {
			if g.run.Method == method {
				c := g.mean(f)
				s.points = append(s.points, point{float64(g.records[0].Items), c.mean, c.deviation})
			}
		}
		slices.SortFunc(s.points, func(a, b point) int {
			if a.x < b.x {
				return -1
			}
			return 1
		})
		if len(s.points) > 0 {
			lines = append(lines, s)
		}
	}
	return lines
}
