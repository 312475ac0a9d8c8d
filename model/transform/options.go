// This file holds the options, and the record of what was done.

package transform

import (
	"io"
	"time"

	"anchorage/corpus"
	"anchorage/model"
)

// Options say how shards are transformed. The zero value uses all processors.
type Options struct {
	// TimeColumn names a column, or field, with the time of every document; empty for none. ParseTime reads it. A document
	// of several rows has the earliest of their times.
	TimeColumn string
	// Folded are items that shaped no topics, whose tokens the record counts apart from unknown ones; Write takes those of
	// the model.
	Folded  *corpus.Vocabulary
	Workers int // goroutines; 0 for as many as there are processors
	// Progress, if not nil, is called with the number of documents done; total is 0, since that is not known.
	Progress func(stage string, done, total int64)
	// Warn, if not nil, is called when a request to an object store fails and will be repeated.
	Warn func(path string, attempt int, pause time.Duration, err error)
	// Replace lets the new directory take the place of one that is there, as model.Replace does.
	Replace bool
	Skipped []corpus.Skipped // shards that were left out, for the manifest
	// Check, if not nil, is called by Write before the directory appears. An error of it is returned, and nothing is left.
	Check func(*Record) error
}

// Files receives files. A model.Output is one.
type Files interface {
	// WriteFile writes a file; after an error it is gone.
	WriteFile(name string, write func(io.Writer) error) error
}

// Kind is the kind of a directory of documents' topics, in its manifest.
const Kind = "anchorage/documents"

// layoutVersion is the version of the directory's layout.
const layoutVersion = 1

// Manifest describes a directory that Write has made. Equal shards, models, options and programs give equal manifests.
type Manifest struct {
	Kind    string               `json:"kind"`
	Layout  int                  `json:"layout"`
	Program string               `json:"program"`
	Model   ModelRecord          `json:"model"`
	Record  Record               `json:"documents"`
	Skipped []corpus.Skipped     `json:"skipped,omitempty"`
	Outputs []model.OutputRecord `json:"outputs"`
}

// ModelRecord says which model documents were transformed with.
type ModelRecord struct {
	VocabularySHA256 string `json:"vocabulary_sha256"` // corpus.Vocabulary.Fingerprint
	Items            int    `json:"items"`             // N
	TablesSHA256     string `json:"tables_sha256"`     // of topic_items.parquet, B; empty for a model in memory
}

// Record says what was made of the documents.
type Record = model.DocumentsRecord
