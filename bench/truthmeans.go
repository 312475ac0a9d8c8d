// This file sums up what was recovered of a known truth: means over seeds, slopes, and tables of both.

package bench

import (
	"math"
	"slices"

	"anchorage/internal/durable"
	"anchorage/internal/synth"
	"anchorage/shard"
)

// The figures of a recovery that means and slopes are taken of.
const (
	truthB = iota // ℓ1 error of B
	truthCommon
	truthMiddling
	truthRare
	truthA // relative error of A
	truthFigures
)

// truthNames are the names of the figures as columns.
var truthNames = [truthFigures]string{"error_b", "error_b_common", "error_b_middling", "error_b_rare", "error_a"}

// figures returns the figures of a record. The errors of classes of items are relative to the class's part of a topic.
func (r *TruthRecord) figures() [truthFigures]float64 {
	c := &r.Recovery.Class
	return [truthFigures]float64{r.Recovery.ErrorB, c[synth.Common].Relative(), c[synth.Middling].Relative(), c[synth.Rare].Relative(), r.Recovery.ErrorA}
}

// truthMean sums up one method's records of one number of documents.
type truthMean struct {
	documents, found      int // found: seeds with which topics were found; only these count in what follows
	mean, least, greatest [truthFigures]float64
	anchors               float64 // mean share of anchors recovered
}

// truthMeans returns the means of one method over seeds, in the order of the records.
func truthMeans(records []TruthRecord, method string) []truthMean {
	var means []truthMean
	at := make(map[int]int)
	for _, r := range records {
		if r.Method != method || r.Failure != "" {
			continue
		}
		if _, ok := at[r.Documents]; !ok {
			at[r.Documents] = len(means)
			means = append(means, truthMean{documents: r.Documents})
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

// sampled returns the part of the means in which the sampling of documents is what errors come from, if there are at least two
// numbers of documents in it: from where on all anchors are recovered. Below, what decides is which wrong anchors are taken.
func sampled(means []truthMean) []truthMean {
	first := len(means)
	for first > 0 && means[first-1].anchors > 1-1e-9 {
		first--
	}
	if len(means)-first < 2 {
		return nil
	}
	return means[first:]
}

// fitTruth returns the line of least squares through a figure of the means.
func fitTruth(means []truthMean, figure int) powerLaw {
	points := make([]point, len(means))
	for i, m := range means {
		points[i] = point{x: float64(m.documents), y: m.mean[figure]}
	}
	return fitPowerLaw(points)
}

// WriteTruth writes what Truth has returned: the tables records, means and slopes, each as Parquet, CSV and Markdown, a chart,
// and a README.md with the command.
func WriteTruth(dir *durable.Dir, records []TruthRecord, command string, workers int) error {
	means, slopes := meansTable(records), slopesTable(records)
	for _, t := range []*table{recordsTable(records), means, slopes} {
		if err := t.save(dir); err != nil {
			return err
		}
	}
	if err := dir.WriteFile("truth.svg", truthChart(records).write); err != nil {
		return err
	}
	return dir.WriteFile("README.md", truthReadme(command, workers, methodsOf(records), slopes, means))
}

func floatFields(names ...string) []shard.Field {
	var fields []shard.Field
	for _, name := range names {
		fields = append(fields, shard.Field{Name: name, Type: shard.Float64})
	}
	return fields
}

// recordsTable has a row per record; where no topics were found, the errors are not numbers.
func recordsTable(records []TruthRecord) *table {
	fields := []shard.Field{{Name: "documents", Type: shard.Int64}, {Name: "seed", Type: shard.Int64}, {Name: "method", Type: shard.String},
		{Name: "passes", Type: shard.Int64}, {Name: "iterations", Type: shard.Int64}}
	fields = append(fields, floatFields(truthNames[:]...)...)
	fields = append(fields, floatFields("anchors")...)
	t := newTable("records", append(fields, shard.Field{Name: "failure", Type: shard.String})...)
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
		t.add(append(row, anchors, r.Failure)...)
	}
	return t
}

// methodsOf returns the methods of records, in order of first appearance.
func methodsOf(records []TruthRecord) []string {
	var methods []string
	for _, r := range records {
		if !slices.Contains(methods, r.Method) {
			methods = append(methods, r.Method)
		}
	}
	return methods
}

// meansTable has a row per method and number of documents.
func meansTable(records []TruthRecord) *table {
	fields := []shard.Field{{Name: "method", Type: shard.String}, {Name: "documents", Type: shard.Int64}, {Name: "seeds", Type: shard.Int64}}
	t := newTable("means", append(fields, floatFields(append(truthNames[:], "anchors")...)...)...)
	for _, method := range methodsOf(records) {
		for _, m := range truthMeans(records, method) {
			row := []any{method, int64(m.documents), int64(m.found)}
			for _, v := range m.mean {
				row = append(row, v)
			}
			t.add(append(row, m.anchors)...)
		}
	}
	return t
}

// slopesTable has a row per method: the slopes of the figures where sampling decides. A method without such documents has none.
func slopesTable(records []TruthRecord) *table {
	fields := []shard.Field{{Name: "method", Type: shard.String}, {Name: "from_documents", Type: shard.Int64}, {Name: "to_documents", Type: shard.Int64}}
	t := newTable("slopes", append(fields, floatFields(truthNames[:]...)...)...)
	for _, method := range methodsOf(records) {
		means := sampled(truthMeans(records, method))
		if means == nil {
			continue
		}
		row := []any{method, int64(means[0].documents), int64(means[len(means)-1].documents)}
		for f := range truthFigures {
			row = append(row, fitTruth(means, f).slope)
		}
		t.add(row...)
	}
	return t
}
