// This file defines what diagnostics say of every topic, and the tables that hold it.

package model

import (
	"slices"

	"anchorage/metric"
)

// Diagnostics are figures about each of the K topics that help a reader to judge it, after those of MALLET; docs/diagnostics.md has the
// formulas and sources. "Items of a topic" are its TopItems prominent ones, and logarithms are natural.
type Diagnostics struct {
	// Figures are those of scope metric.OfTopic, in the order of the register. Each has a value per topic, NaN where it is unknown;
	// see Of.
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

// Course is an iteration of a rectification; see rectify.Iteration.
type Course struct {
	Change      float64 // relative to the matrix before
	Density     float64 // share of entries that were corrected
	Shift       float64 // r
	Corrections float64 // the sum of all corrections
}

// DiagnosticsRecord says what diagnostics rest on.
type DiagnosticsRecord struct {
	Documents int64 `json:"documents"` // that coherence was counted in; 0 if the documents were not at hand
	Sampled   int64 `json:"sampled"`   // those of them whose topics were inferred
	Texts     bool  `json:"texts,omitempty"`
}

// The files of diagnostics.
const (
	diagnosticsFile = "diagnostics.parquet"
	examplesFile    = "examples.parquet"
	courseFile      = "course.parquet"
	mapFile         = "map.parquet"
)

// newDiagnostics returns diagnostics of k topics that say nothing.
func newDiagnostics(k int) *Diagnostics {
	d := &Diagnostics{Examples: make([][]ExampleDocument, k)}
	for range topicFigures {
		d.Figures = append(d.Figures, unknowns(k))
	}
	return d
}

// topicFigures are the figures of diagnostics.
var topicFigures = metric.Defined(metric.OfTopic)

// Of returns the values of a figure, one per topic. It panics if there is no such figure.
func (d *Diagnostics) Of(name string) []float64 {
	i := slices.Index(topicFigures, metric.Define(metric.OfTopic, name))
	return d.Figures[i]
}
