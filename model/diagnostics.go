// This file defines what diagnostics say of every topic, and the tables that hold it.

package model

import (
	"slices"

	"anchorage/metric"
	"anchorage/rectify"
)

// Diagnostics are figures about each of the K topics that help a reader to judge it, after those of MALLET;
// docs/diagnostics.md has the formulas and sources. "Items of a topic" are its TopItems prominent ones, and logarithms
// are natural.
type Diagnostics struct {
	// Figures are those of scope metric.OfTopic, in the order of the register. Each has a value per topic, NaN where it is
	// unknown; see Of.
	Figures [][]float64
	// Examples are documents with much of each topic, at most ExampleDocuments, most first.
	Examples [][]ExampleDocument
	// Map says where items lie in the plane of the anchors; nil if the model has no factor.
	Map *Map
}

// ExampleDocuments is the number of example documents of each topic.
const ExampleDocuments = 3

// ExampleDocument is a document that has much of a topic.
type ExampleDocument struct {
	Shard string  // the input that it comes from
	Row   int64   // its number among the documents of the shard, from 0
	Share float64 // of the topic, the posterior mean
	ID    string  // empty if unknown
	Text  string  // how it begins; empty if it was not asked for or is unknown
}

// DiagnosticsRecord says what diagnostics rest on.
type DiagnosticsRecord struct {
	Documents int64 `json:"documents"` // that coherence was counted in; 0 without documents
	Sampled   int64 `json:"sampled"`   // those of them whose topics were inferred
	Texts     bool  `json:"texts,omitempty"`
}

// topicFigures are the figures of diagnostics.
var topicFigures = metric.Defined(metric.OfTopic)

// Of returns the values of a figure, one per topic. It panics if there is no such figure.
func (d *Diagnostics) Of(name string) []float64 {
	i := slices.Index(topicFigures, metric.Define(metric.OfTopic, name))
	return d.Figures[i]
}

// Map says where items lie among the anchors. Row i of C̄, the rectified co-occurrences divided by their row sums, is a
// point in the span of the rows of the K anchors: Σ_k w_ik·C̄_k, where the w_ik sum to 1. Anchors are laid on the unit
// circle at equal distances, those of topics that occur together beside each other, and item i at the mean of their
// places with the weights w_i. The map is affine, so mixtures of anchors lie within the polygon of the anchors, and
// what lies outside is no mixture of them. Before are the places by C as it was counted, as far as its leading
// eigenpairs have it.
type Map struct {
	Items            []int // the anchors in the order of the topics, then the items with the greatest probability
	X, Y             []float64
	BeforeX, BeforeY []float64 // NaN if unknown
}

func (m *Map) table(n int) table {
	return table{file: mapFile, rows: len(m.Items), whole: true, columns: []column{
		itemColumn("index", &m.Items, n), values("x", &m.X), values("y", &m.Y),
		values("before_x", &m.BeforeX), values("before_y", &m.BeforeY),
	}}
}

// table has a row per topic.
func (d *Diagnostics) table(k int) table {
	columns := []column{numbered("topic")}
	if d.Figures == nil {
		d.Figures = make([][]float64, len(topicFigures))
	}
	for i, figure := range topicFigures {
		columns = append(columns, values(figure.Name, &d.Figures[i]))
	}
	return table{file: diagnosticsFile, rows: k, whole: true, columns: columns}
}

// example is a row of examples.parquet.
type example struct {
	topic, rank int32
	ExampleDocument
}

// examplesTable has a row per topic and example.
func (m *Model) examplesTable() table {
	var rows []example
	d := made(&m.Diagnostics)
	for topic, list := range d.Examples {
		for rank, x := range list {
			rows = append(rows, example{int32(topic), int32(rank), x})
		}
	}
	taken := func() error {
		d.Examples = make([][]ExampleDocument, m.Topics())
		for _, e := range rows {
			if e.topic < 0 || int(e.topic) >= m.Topics() || len(d.Examples[e.topic]) == ExampleDocuments {
				return m.wrong(examplesFile, "", "has an example of topic %d, which the model cannot have", e.topic)
			}
			d.Examples[e.topic] = append(d.Examples[e.topic], e.ExampleDocument)
		}
		return nil
	}
	return table{file: examplesFile, rows: len(rows), whole: true, taken: taken, columns: []column{
		field("topic", &rows, func(e *example) *int32 { return &e.topic }),
		field("rank", &rows, func(e *example) *int32 { return &e.rank }),
		field("shard", &rows, func(e *example) *string { return &e.Shard }),
		field("row", &rows, func(e *example) *int64 { return &e.Row }),
		field("share", &rows, func(e *example) *float64 { return &e.Share }),
		field("id", &rows, func(e *example) *string { return &e.ID }),
		field("text", &rows, func(e *example) *string { return &e.Text }),
	}}
}

// courseTable is the table of the iterations of a rectification.
func courseTable(of *[]rectify.Iteration) table {
	return table{file: courseFile, rows: len(*of), whole: true, columns: []column{numbered("iteration"),
		field("change", of, func(i *rectify.Iteration) *float64 { return &i.Change }),
		field("density", of, func(i *rectify.Iteration) *float64 { return &i.Density }),
		field("shift", of, func(i *rectify.Iteration) *float64 { return &i.Shift }),
		field("corrections", of, func(i *rectify.Iteration) *float64 { return &i.CorrectionsSum }),
	}}
}
