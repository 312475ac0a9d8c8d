// This file defines what manifests record of the stages, and of documents that were transformed with a model.

package model

import (
	"anchorage/bayes"
	"anchorage/bayes/infer"
	"anchorage/bayes/refine"
	"anchorage/corpus"
)

// RefineRecord says how topics were refined.
type RefineRecord struct {
	refine.Course
	LogLikelihood float64 `json:"log_likelihood"` // of the last pass, for each token as it is counted
	Concentration float64 `json:"concentration"`  // Σ_k α_k of the documents' Dirichlet prior
	// Dispersion is s of the Dirichlet compound multinomial that words of documents follow, for prediction.
	Dispersion float64 `json:"dispersion,omitempty"`
}

// SketchFindings is what the reader of a sketch, and of all that comes of it, should know.
type SketchFindings struct {
	// Rough says that a single pass leaves an estimated error of roughError or more: topics may be noise.
	Rough bool `json:"rough"`
}

// BayesRecord says how a model was learned by variational inference.
type BayesRecord struct {
	bayes.Options
	bayes.Plan
	Steps     int64          `json:"steps"`
	Documents int64          `json:"documents_seen"`
	HeldOut   *bayes.HeldOut `json:"held_out,omitempty"` // the last test on held-out documents
	Bound     *float64       `json:"bound,omitempty"`    // of the last iteration
}

// SteerRecord says how the topics of a model were changed after the fit.
type SteerRecord struct {
	SteerScript
	Rank int `json:"rank"` // columns of factor.parquet, whatever the number of topics
	// Earlier are the scripts of models before that one, the first first.
	Earlier []SteerScript `json:"earlier,omitempty"`
}

// SteerScript is a script by which a model was steered.
type SteerScript struct {
	SHA256 string `json:"manifest_sha256"` // of the model that was changed
	Script string `json:"script"`          // the steps; docs/steering.md
}

// StartRecord says what a fit started from.
type StartRecord struct {
	SHA256     string `json:"manifest_sha256"`      // of the earlier model
	Generation int    `json:"generation,omitempty"` // of the earlier model in a store
	Items      int    `json:"items"`                // the items that both models have
	Vectors    int    `json:"vectors"`              // from which the sketch started
	// Topics is the number of topics that started the refinement; 0 if none did.
	Topics int `json:"topics,omitempty"`
}

// Wishes are what a person wants of topics, of this model and of those that continue it.
type Wishes struct {
	Topics []TopicWish `json:"topics,omitempty"`
	// BannedAnchors are items that no topic may have as its anchor, and BannedItems items that no list shows.
	BannedAnchors []string `json:"banned_anchors,omitempty"`
	BannedItems   []string `json:"banned_items,omitempty"`
}

// TopicWish is what is wanted of a topic.
type TopicWish struct {
	ID     int    `json:"id"` // −1 in the options of a fit for a topic that is to be new
	Name   string `json:"name,omitempty"`
	Pinned bool   `json:"pinned,omitempty"`
	// Seed are the items whose mean row is the topic's corner; empty for a topic that follows from an anchor.
	Seed []string `json:"seed,omitempty"`
	// Corner are the items whose mean row a fit made the corner of the topic: the seed or, of a pinned topic without one,
	// the anchor of the generation before. Items that the documents do not have are left out. It is empty where the pivots
	// may choose.
	Corner []string `json:"corner,omitempty"`
	// Fallback are items of which the first that the documents have is the corner if they have none of Corner's.
	Fallback []string `json:"fallback,omitempty"`
}

// unweighted is SketchRecord.ItemWeights where all items weigh the same.
const unweighted = "none"

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
	Folded        int64          `json:"folded_tokens,omitempty"` // of items that shaped no topics
	Unknown       int64          `json:"unknown_tokens"`          // of others
	Without       int64          `json:"without_known,omitempty"` // documents, not empty, without known tokens
	LogLikelihood float64        `json:"log_likelihood"`          // mean over known tokens, in nats; 0 if there are none
	Names         [][]string     `json:"topic_items"`             // of each topic: its most relevant items
}
