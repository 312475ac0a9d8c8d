// This file defines the manifest, which says what a directory was made from, how, and what is in it, and its records.

package model

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"anchorage/anchor"
	"anchorage/bayes"
	"anchorage/bayes/infer"
	"anchorage/bayes/refine"
	"anchorage/corpus"
	"anchorage/internal/objects"
	"anchorage/rectify"
	"anchorage/sketch"
)

// Version is the version of the program. Manifests record it.
const Version = "0.1.0"

// layoutVersion is the version of the layout of sketches, factors and models. Directories of other versions are
// refused.
const layoutVersion = 1

// The kinds of directories, one for the result of each stage.
const (
	KindSketch = "anchorage/sketch"
	KindFactor = "anchorage/factor"
	KindModel  = "anchorage/model"
)

// Manifest describes a directory. Equal input, options and program give equal manifests.
type Manifest struct {
	Kind    string           `json:"kind"`
	Layout  int              `json:"layout"`
	Program string           `json:"program"`
	Inputs  []corpus.Input   `json:"inputs"`
	Skipped []corpus.Skipped `json:"skipped,omitempty"`
	// Reading says how the input was read, as the names and values of the program's flags that were given; absent if it
	// was read as its content says.
	Reading map[string]string `json:"reading,omitempty"`
	Corpus  corpus.Account    `json:"corpus"`
	// Start says what the fit started from; nil if it started from nothing.
	Start *StartRecord `json:"start,omitempty"`
	// Choice says why there are as many topics; nil if the number was given.
	Choice  *ChoiceRecord  `json:"choice,omitempty"`
	Sketch  SketchRecord   `json:"sketch"`
	Rectify *RectifyRecord `json:"rectify,omitempty"`
	Anchor  *AnchorRecord  `json:"anchor,omitempty"`
	Refine  *RefineRecord  `json:"refine,omitempty"`
	// Refinement is what the next pass of a refinement by tasks needs to know; nil without such passes.
	Refinement *refine.Round `json:"refinement,omitempty"`
	// RefineNeeds is the memory that a refinement would have taken, in bytes, if the memory limit left it out.
	RefineNeeds int64 `json:"refine_needs_bytes,omitempty"`
	// Certificate says whether the fit can be relied on; nil for variational inference.
	Certificate *Certificate `json:"certificate,omitempty"`
	// Tasks says of which tasks a sketch is; nil if it is of no tasks.
	Tasks *TasksRecord `json:"tasks,omitempty"`
	// Round says which part of an iteration by tasks a sketch is; nil of a sketch with all that it needs.
	Round *sketch.Round `json:"round,omitempty"`
	Bayes *BayesRecord  `json:"bayes,omitempty"`
	// Diagnostics says what the diagnostics were computed from; nil if there are none.
	Diagnostics *DiagnosticsRecord `json:"diagnostics,omitempty"`
	// Documents says how the training documents were transformed; nil if they were not.
	Documents *DocumentsRecord `json:"documents,omitempty"`
	// Fold says which items were left out and have a place in folded.parquet; nil without that file.
	Fold *FoldRecord `json:"fold,omitempty"`
	// TopicIDs are the ids of the topics of a model that continues another, and NextTopicID the least id that no topic has
	// had. Absent, the ids are 0 to K−1.
	TopicIDs    []int `json:"topic_ids,omitempty"`
	NextTopicID int   `json:"next_topic_id,omitempty"`
	// Levels are the coarser models inside this one, the coarsest first; none if there is one level.
	Levels []LevelRecord `json:"levels,omitempty"`
	// TopicNames are the names that a person gave the K topics, empty for those without; absent if no topic has one.
	TopicNames []string `json:"topic_names,omitempty"`
	// Steer says how the topics were changed after the fit; nil if they were not.
	Steer *SteerRecord `json:"steer,omitempty"`
	// Wishes are what a person wants of the topics; nil if nothing.
	Wishes *Wishes `json:"wishes,omitempty"`
	// Beside are the files without digests here: run.json, whose times differ, and the tables of pairs with their record,
	// which may be replaced. They are there all the same.
	Beside  []string       `json:"beside,omitempty"`
	Outputs []OutputRecord `json:"outputs"`
}

// OutputRecord is a file of the directory.
type OutputRecord struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// ChoiceRecord says why a model has as many topics as it has, where they were chosen by package choose.
type ChoiceRecord struct {
	Topics int     `json:"topics"`          // the recommended number
	There  int     `json:"there,omitempty"` // the number that the documents show, if fewer can be relied on
	Low    int     `json:"low"`             // the least and the greatest number that the documents do not speak against
	High   int     `json:"high"`
	Open   bool    `json:"open,omitempty"` // there may be more topics than the range has
	Basis  string  `json:"basis"`          // what the number follows from
	Reason string  `json:"reason"`         // the same in a sentence
	From   int     `json:"from"`           // the range
	To     int     `json:"to"`
	Edge   float64 `json:"edge"` // the greatest eigenvalue that noise has
}

// SketchRecord says how eigenpairs were found.
type SketchRecord struct {
	Topics            int     `json:"topics"`
	Seed              uint64  `json:"seed"`
	Columns           int     `json:"columns"`
	Passes            int     `json:"passes"`
	Power             bool    `json:"power,omitempty"`      // by subspace iteration
	Form              string  `json:"form,omitempty"`       // sketch.Form of a single pass
	ItemWeights       string  `json:"item_weights"`         // none, or a name of fit.ItemWeights
	PairPrior         float64 `json:"pair_prior,omitempty"` // κ of sketch.Options
	LargestResidual   float64 `json:"largest_residual"`
	ResidualEstimated bool    `json:"residual_estimated"`
	KrylovBlocks      int     `json:"krylov_blocks,omitempty"` // earlier programs wrote it, and nothing reads it
	Leading           int     `json:"leading,omitempty"`       // vectors in leading.parquet
	// GuardValues are the eigenvalues of the vectors in leading.parquet beyond those of topics.
	GuardValues []float64       `json:"guard_values,omitempty"`
	MergedFrom  int             `json:"merged_from,omitempty"`
	Norm        json.RawMessage `json:"norm,omitempty"` // earlier programs wrote it, and nothing reads it
	// Of a single pass: ‖C·V − V·D‖_F/‖D‖_F, estimated by columns that nothing is fitted to.
	EstimatedError float64         `json:"estimated_error,omitempty"`
	Findings       *SketchFindings `json:"findings,omitempty"`
}

// RectifyRecord says how the factor was rectified.
type RectifyRecord struct {
	Method        string              `json:"method"`
	Normalization string              `json:"normalization,omitempty"` // a name of fit.Normalization
	Truncated     bool                `json:"truncated,omitempty"`     // iterations made truncated eigendecompositions
	Iterations    int                 `json:"iterations"`
	Converged     bool                `json:"converged"`
	Unsettled     bool                `json:"unsettled,omitempty"` // it should have continued until it converged
	Change        float64             `json:"change"`
	Density       float64             `json:"density"`
	Shift         float64             `json:"shift"`
	Norm          float64             `json:"norm"`
	Negative      *rectify.Negativity `json:"negative,omitempty"` // of ENN
}

// AnchorRecord says how topics were found.
type AnchorRecord struct {
	Method      string  `json:"method"`
	RowSums     string  `json:"row_sums"`
	AnchorMinDF int64   `json:"anchor_min_df"`
	Evidence    bool    `json:"evidence"` // the noise of rows was taken into account
	Polish      bool    `json:"polish"`
	Unpolished  int     `json:"unpolished_rows,omitempty"` // see anchor.Unpolished
	Relevance   float64 `json:"relevance"`
	// Characteristic says where the characteristic items are from: OfDocuments, in which the anchors' rows were counted;
	// OfFactor, the rectified co-occurrences; or OfBoth, where steering took those of topics with other anchors from the
	// factor.
	Characteristic string          `json:"characteristic,omitempty"`
	WholeRow       bool            `json:"whole_row,omitempty"` // they are as published: fit.AnchorOptions
	LargestKKT     float64         `json:"largest_kkt_residual"`
	Findings       anchor.Findings `json:"findings"`
}

// ReadManifest reads the manifest of a directory, which must be complete and of the given kind. The error is an
// *InputError.
func ReadManifest(ctx context.Context, path, kind string) (manifest Manifest, err error) {
	_, text, err := OpenDirectory(ctx, path, describe(kind))
	if err != nil {
		return manifest, err
	}
	file := objects.Join(path, ManifestFile)
	var of struct{ Layout int }
	if err := json.Unmarshal(text, &of); err != nil {
		return manifest, &InputError{Path: file, Fault: Damaged, Reason: "cannot be read: " + err.Error()}
	}
	if of.Layout != layoutVersion {
		return manifest, &InputError{Path: path, Reason: fmt.Sprintf("has layout %d, but this program reads layout %d",
			of.Layout, layoutVersion)}
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if !unverified(ctx) {
		decoder.DisallowUnknownFields()
	}
	if err := decoder.Decode(&manifest); err != nil {
		return manifest, &InputError{Path: file, Fault: Damaged, Reason: "cannot be read: " + err.Error()}
	}
	if manifest.Kind != kind {
		return manifest, &InputError{Path: path, Reason: "is a " + describe(manifest.Kind) + ", but a " +
			describe(kind) + " is needed"}
	}
	return manifest, nil
}

// describe names a kind of directory for people.
func describe(kind string) string {
	switch kind {
	case KindSketch:
		return "sketch (made by sketch or merge)"
	case KindFactor:
		return "factor (made by rectify)"
	case KindModel:
		return "model"
	}
	return fmt.Sprintf("directory of unknown kind %q", kind)
}

// Fault is the kind of fault of an input.
type Fault string

// The faults that callers distinguish. Packages that read more than models have others.
const (
	NotMergeable  Fault = "not mergeable"  // the sketch is of more than one pass
	PartialSketch Fault = "partial sketch" // the sketch is of some tasks only
	PartialSum    Fault = "partial sum"    // so is a sum of sketches
	NotBayesian   Fault = "not bayesian"   // the model has no variational state
	NoPairs       Fault = "no pairs"       // the model has no table of pairs that fits it
	Damaged       Fault = "damaged"        // a file is not the one that was written
	Incomplete    Fault = "incomplete"     // a file is missing, or belongs to no directory
	NoFactor      Fault = "no factor"      // the model has no anchors or no factor
	NoLevel       Fault = "no level"       // the model has no level of that number of topics
)

// InputError reports that a directory or file of results cannot be used as input.
type InputError struct {
	Path, Reason string
	Fault        Fault
	Err          error // the error that Reason quotes; may be nil
}

// Unwrap returns Err.
func (e *InputError) Unwrap() error { return e.Err }

// Error names the path and what is wrong with it.
func (e *InputError) Error() string { return e.Path + " " + e.Reason }

// OptionError reports that an option is out of range or contradicts another.
type OptionError struct {
	Option string // the field, as in "Topics" or "Sketch.Passes"
	Reason string
}

// Error names the option and the reason.
func (e *OptionError) Error() string { return e.Option + ": " + e.Reason }

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
