// This file sums up what was recovered of a known truth: means over seeds, slopes, and tables of both.

package truth

import (
	"math"
	"slices"

	"anchorage/bench/internal/report"
	"anchorage/internal/synth"
)

// The figures of a recovery that means and slopes are taken of.
const (
	errorB = iota // ℓ1 error of B
	errorCommon
	errorMiddling
	errorRare
	errorA // relative error of A
	figureCount
)

// figureNames are the names of the figures as columns.
var figureNames = [figureCount]string{"error_b", "error_b_common", "error_b_middling", "error_b_rare", "error_a"}

// figures returns the figures of a record. The errors of classes of items are relative to the class's part of a topic.
func (r *Record) figures() [figureCount]float64 {
	c := &r.Recovery.Class
	return [figureCount]float64{r.Recovery.ErrorB, c[synth.Common].Relative(), c[synth.Middling].Relative(), c[synth.Rare].Relative(), r.Recovery.ErrorA}
}

// mean sums up one method's records of one number of documents.
type mean struct {
	documents, found      int // found: seeds with which topics were found; only these count in what follows
	mean, least, greatest [figureCount]float64
	anchors               float64 // mean share of anchors recovered
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
		m := &means[at[r.Documents]]
		for f, v := range r.figures() {
			m.mean[f] += v
			if m.greatest[f] = max(m.greatest[f], v); m.found == 0 || v < m.least[f] {
				m.least[f] = v
			}
		}
		m.anchors += r.Recovery.Anchors
		m.found++
	}
	for i := range means {
		m := &means[i]
		for f := range m.mean {
			m.mean[f] /= float64(m.found)
		}
		m.anchors /= float64(m.found)
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

// fitLine returns the line of least squares through a figure of the means.
func fitLine(means []mean, figure int) report.PowerLaw {
	points := make([]report.Point, len(means))
	for i, m := range means {
		points[i] = report.Point{X: float64(m.documents), Y: m.mean[figure]}
	}
	return report.FitPowerLaw(points)
}

// Write writes what Run has returned into a folder: the tables records, means and slopes, a chart, and README.md.
func Write(folder *report.Folder, records []Record, origin report.Origin) error {
	means, slopes := meansTable(records), slopesTable(records)
	if err := folder.AddTables(recordsTable(records), means, slopes); err != nil {
		return err
	}
	if err := folder.AddChart("truth.svg", chart(records)); err != nil {
		return err
	}
	return folder.AddText("README.md", readme(origin, methodsOf(records), slopes, means))
}

// recordsTable has a row per record. Where no topics were found the errors are NaN.
func recordsTable(records []Record) *report.Table {
	t := report.NewTable("records", report.Ints("documents", "seed"), report.Texts("method"), report.Ints("passes", "iterations"),
		report.Floats(figureNames[:]...), report.Floats("anchors"), report.Texts("failure"))
	for _, r := range records {
		row := []any{int64(r.Documents), int64(r.Seed), r.Method, int64(r.Passes), int64(r.Iterations)}
		anchors := r.Recovery.Anchors
		figures := r.figures()
		if r.Failure != "" {
			anchors = math.NaN()
			for f := range figures {
				figures[f] = math.NaN()
			}
		}
		for _, v := range figures {
			row = append(row, v)
		}
		t.Add(append(row, anchors, r.Failure)...)
	}
	return t
}

// methodsOf returns the methods of records, in order of first appearance.
func methodsOf(records []Record) []string {
	var methods []string
	for _, r := range records {
		if !slices.Contains(methods, r.Method) {
			methods = append(methods, r.Method)
		}
	}
	return methods
}

// meansTable has a row per method and number of documents.
func meansTable(records []Record) *report.Table {
	t := report.NewTable("means", report.Texts("method"), report.Ints("documents", "seeds"), report.Floats(figureNames[:]...), report.Floats("anchors"))
	for _, method := range methodsOf(records) {
		for _, m := range meansOf(records, method) {
			row := []any{method, int64(m.documents), int64(m.found)}
			for _, v := range m.mean {
				row = append(row, v)
			}
			t.Add(append(row, m.anchors)...)
		}
	}
	return t
}

// slopesTable has a row per method: the slopes of the figures where sampling decides. A method without such documents has no row.
func slopesTable(records []Record) *report.Table {
	t := report.NewTable("slopes", report.Texts("method"), report.Ints("from_documents", "to_documents"), report.Floats(figureNames[:]...))
	for _, method := range methodsOf(records) {
		means := sampled(meansOf(records, method))
		if means == nil {
			continue
		}
		row := []any{method, int64(means[0].documents), int64(means[len(means)-1].documents)}
		for f := range figureCount {
			row = append(row, fitLine(means, f).Slope)
		}
		t.Add(row...)
	}
	return t
}
