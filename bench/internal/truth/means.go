// This file sums up what was recovered of a known truth: means over seeds, their ratios to the floor, and slopes.

package truth

import (
	"math"

	"anchorage/bench/internal/report"
)

// mean sums up one method's records of one number of documents.
type mean struct {
	documents, found      int // found: seeds with which topics were found; only these count in what follows
	mean, least, greatest [figureCount]float64
	ratio                 [figureCount]float64 // of the mean to that of the floor; NaN where the floor is not known
	anchors               float64              // mean share of anchors recovered; NaN for methods without
	cpu, peak             float64              // means of seconds and bytes; NaN where they were not measured
}

// meansOf returns the means of one method over seeds, in the order of the records.
func meansOf(records []Record, method string) []mean {
	var means []mean
	at := make(map[int]int)
	for _, r := range records {
		if r.Method != method || r.Failure != "" {
			continue
		}
		if _, ok := at[r.Documents]; !ok {
			at[r.Documents] = len(means)
			means = append(means, mean{documents: r.Documents})
		}
		means[at[r.Documents]].add(&r)
	}
	for i := range means {
		m := &means[i]
		n := float64(m.found)
		for f := range m.mean {
			m.mean[f] /= n
		}
		m.anchors, m.cpu, m.peak = m.anchors/n, m.cpu/n, m.peak/n
		if m.peak == 0 {
			m.peak = math.NaN()
		}
	}
	return means
}

// add adds a record to the sums that means are made of.
func (m *mean) add(r *Record) {
	for f, v := range r.Figures {
		m.mean[f] += v
		if m.greatest[f] = max(m.greatest[f], v); m.found == 0 || v < m.least[f] {
			m.least[f] = v
		}
	}
	m.anchors += r.Anchors
	m.cpu += r.CPU
	m.peak += float64(r.PeakBytes)
	m.found++
}

// means returns the means of a method with their ratios to the floor of the same seeds.
func (g *group) means(method string) []mean {
	floors := make(map[[2]uint64]*Record) // by documents and seed
	for i, r := range g.records {
		if r.Method == Floor {
			floors[[2]uint64{uint64(r.Documents), r.Seed}] = &g.records[i]
		}
	}
	means := meansOf(g.records, method)
	for i := range means {
		m := &means[i]
		var sums [figureCount]float64
		for _, r := range g.records {
			if r.Method != method || r.Documents != m.documents || r.Failure != "" {
				continue
			}
			floor := floors[[2]uint64{uint64(r.Documents), r.Seed}]
			for f := range sums {
				if floor == nil {
					sums[f] = math.NaN()
				} else {
					sums[f] += floor.Figures[f]
				}
			}
		}
		for f, sum := range sums {
			m.ratio[f] = m.mean[f] * float64(m.found) / sum
		}
	}
	return means
}

// sampled returns the means for the numbers of documents from which on all anchors are recovered, if there are at least two. Their
// errors come from the sampling of documents; with fewer documents, wrong anchors decide.
func sampled(means []mean) []mean {
	first := len(means)
	for first > 0 && means[first-1].anchors > 1-1e-9 {
		first--
	}
	if len(means)-first < 2 {
		return nil
	}
	return means[first:]
}

// fitted returns the means that a method's slopes are taken of: those of sampled, or all where there are none, as with methods
// without anchors. It returns nil where there are fewer than two.
func fitted(means []mean) []mean {
	if of := sampled(means); of != nil {
		return of
	}
	if len(means) < 2 {
		return nil
	}
	return means
}

// fitLine returns the line of least squares through a figure of the means.
func fitLine(means []mean, figure int) report.PowerLaw {
	points := make([]report.Point, len(means))
	for i, m := range means {
		points[i] = report.Point{X: float64(m.documents), Y: m.mean[figure]}
	}
	return report.FitPowerLaw(points)
}

// corpusColumns say which corpora a row is of.
func corpusColumns() []report.Column {
	return append(report.Ints("items", "topics", "tokens"), report.Texts("flags", "method")...)
}

func (g *group) corpusCells(method string) []any {
	return []any{int64(g.run.Items), int64(g.run.Topics), int64(g.run.Tokens), g.run.Flags, method}
}

// meansTable has a row per group, method and number of documents.
func meansTable(groups []group) *report.Table {
	t := report.NewTable("means", corpusColumns(), report.Ints("documents", "seeds"), report.Floats(figureNames[:]...),
		report.Floats("anchors", "ratio_b", "ratio_a", "cpu_seconds", "peak_bytes"))
	for i := range groups {
		g := &groups[i]
		for _, method := range g.methods() {
			for _, m := range g.means(method) {
				row := append(g.corpusCells(method), int64(m.documents), int64(m.found))
				for _, v := range m.mean {
					row = append(row, v)
				}
				t.Add(append(row, m.anchors, m.ratio[errorB], m.ratio[errorA], m.cpu, m.peak)...)
			}
		}
	}
	return t
}

// slopesTable has a row per group and method with at least two numbers of documents: the slopes of the figures over the means of
// fitted, and that of the error of B over the last two.
func slopesTable(groups []group) *report.Table {
	t := report.NewTable("slopes", corpusColumns(), report.Ints("from_documents", "to_documents"), report.Floats(figureNames[:]...),
		report.Floats("last_step_b"))
	for i := range groups {
		g := &groups[i]
		for _, method := range g.methods() {
			means := fitted(g.means(method))
			if means == nil {
				continue
			}
			row := append(g.corpusCells(method), int64(means[0].documents), int64(means[len(means)-1].documents))
			for f := range figureCount {
				row = append(row, fitLine(means, f).Slope)
			}
			t.Add(append(row, fitLine(means[len(means)-2:], errorB).Slope)...)
		}
	}
	return t
}
