// This file holds the record of documents that were transformed with a model.

package model

import (
	"anchorage/bayes/infer"
	"anchorage/corpus"
)

// DocumentsRecord says which documents were transformed and how. Package transform makes it; the manifest of a model
// has it if the training documents were transformed too.
type DocumentsRecord struct {
	Prior  string `json:"prior"` // dirichlet, and collapsed: how mixtures are estimated, see package infer
	Method string `json:"method"`
	infer.Options
	Topics     int       `json:"topics"` // K
	Alpha      []float64 `json:"alpha"`  // of the Dirichlet prior; see infer.Inferrer.Alpha
	TimeColumn string    `json:"time_column,omitempty"`
	// SlashedDates says how dates such as 03/04/2025 were read, and whether that is clear; empty if there were none.
	SlashedDates string `json:"slashed_dates,omitempty"`
	// Files are the tables, a table per input; see docs/format/documents.md.
	Files         []string       `json:"files"`
	Inputs        []corpus.Input `json:"inputs"`
	Documents     int64          `json:"documents"`
	Known         int64          `json:"known_tokens"`
	Unknown       int64          `json:"unknown_tokens"`
	Without       int64          `json:"without_known,omitempty"` // documents of unknown items only
	LogLikelihood float64        `json:"log_likelihood"`          // mean over known tokens, in nats; 0 if there are none
	Names         [][]string     `json:"topic_items"`             // of each topic: its most relevant items
}
