// This file reads an earlier model of nearly the same documents, for a fit to start from.

package model

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"anchorage/bayes/refine"
	"anchorage/corpus"
	"anchorage/internal/objects"
	"anchorage/matrix"
	"anchorage/sketch"
)

// Start is what a fit can start from: an earlier model of nearly the same documents. Its eigenvectors start the passes of the sketch,
// and its refined topics the refinement. Both end by the same rules as without it, so the model is that of the documents at hand, found
// in fewer passes. Items are known by their ids: items that are new start from nothing, and items that are gone are left out.
// Another number of topics, another vocabulary and other item weights cost passes, no more.
type Start struct {
	Vocabulary *corpus.Vocabulary // N items
	// Vectors has N rows. Its columns span the leading eigenvectors of the C of the earlier model (sketch.Eigen.Leading), or of the
	// rectified one, K columns, if the directory has no others.
	Vectors *matrix.Single
	// Mixtures is N×K: row i is p(topic | item i).
	Mixtures    *matrix.Single
	Probability []float64 // N: p(item)
	TopicJoint  []float64 // A, K×K row-major
	Anchors     []int     // the anchor item of each topic
	// Refined is what the topics were refined for; empty if they were not.
	Refined refine.Purpose
	// SHA256 is that of the model's manifest.json, in hexadecimal, and Generation its number in a store, 0 if it has none. The
	// manifest of a fit records both.
	SHA256     string
	Generation int
}

// Topics returns K.
func (s *Start) Topics() int { return s.Mixtures.Cols() }

// Bytes returns the memory that s takes.
func (s *Start) Bytes() int64 {
	n, k := s.Mixtures.Dims()
	return s.Vocabulary.Bytes() + matrix.Bytes[float32](n, k) + matrix.Bytes[float32](s.Vectors.Dims()) + 8*int64(n+k*k)
}

// ReadStart reads a model to start from, from a directory or the URL of an object store. The error is an *InputError if there is no
// model of anchors with a factor, or a *shard.Error for a table that cannot be read.
func ReadStart(ctx context.Context, path string) (*Start, error) {
	manifest, err := ReadManifest(ctx, path, KindModel)
	if err != nil {
		return nil, err
	}
	if manifest.Anchor == nil || !manifest.in(ctx, path).has(factorFile) {
		return nil, &InputError{Path: path, Reason: "is a model without anchors and a factor, from which no fit can start", Fault: NoFactor}
	}
	data, err := objects.ReadFile(ctx, objects.Join(path, manifestFile))
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(data)
	s := &Start{SHA256: hex.EncodeToString(digest[:])}
	if manifest.Refine != nil {
		s.Refined = manifest.Refine.For
	}
	if s.Vocabulary, err = loadVocabulary(ctx, path, &manifest); err != nil {
		return nil, err
	}
	n, k, from := s.Vocabulary.Len(), manifest.Sketch.Topics, manifest.in(ctx, path)
	if s.Vectors, err = readLeading(ctx, path, &manifest); err == nil && s.Vectors == nil {
		s.Vectors, err = readFactor(ctx, from, n, manifest.rank())
	}
	if err != nil {
		return nil, err
	}
	s.Mixtures = matrix.NewSingle(n, k)
	for _, t := range []table{
		{file: "items.parquet", rows: n, columns: []column{numbered("index"), values("probability", &s.Probability), singlesColumn("mixture", s.Mixtures)}},
		{file: "anchors.parquet", rows: k, columns: []column{numbered("topic"), itemColumn("index", &s.Anchors, n)}},
		pairsTable("correlations.parquet", "probability", &s.TopicJoint, k),
	} {
		if err := t.read(ctx, from); err != nil {
			return nil, err
		}
	}
	return s, nil
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

// begun is a Start as a fit uses it.
type begun struct {
	*Start
	rows   []int32 // of each item of the fit: its row in Start, or -1
	common int     // items that have one
}

// fitStart finds the items of the corpus in opts.Start. It returns nil if there is none. The error is an *OptionError if nothing can
// start from it.
func (o *Options) fitStart(docs *corpus.Corpus) (*begun, error) {
	switch {
	case o.Start == nil:
		return nil, nil
	case docs.Growing():
		return nil, badOption("Start", "the items must be known before the first pass")
	}
	b := &begun{Start: o.Start}
	if b.rows, b.common = o.Start.rowsOf(docs.Vocabulary); b.common == 0 {
		return nil, badOption("Start", "the model to start from has none of the items")
	}
	return b, nil
}

// rowsOf returns the row in s of each item of a vocabulary, or -1, and the number of items that have one.
func (s *Start) rowsOf(v *corpus.Vocabulary) (rows []int32, common int) {
	rows = make([]int32, v.Len())
	for i := range rows {
		rows[i] = -1
		if row, known := s.Vocabulary.Lookup([]byte(v.ID(i))); known {
			rows[i] = row
			common++
		}
	}
	return rows, common
}

// Serves reports whether a fit of the documents of a corpus, by the options, can start from s: its method passes over the documents several
// times, and s has some of the items.
func (s *Start) Serves(docs *corpus.Corpus, opts Options) bool {
	opts = opts.prepared()
	opts.Start = s
	if opts.checkStart() != nil || docs.Growing() {
		return false
	}
	for i := range docs.Vocabulary.Len() { // the first item serves as a rule
		if _, known := s.Vocabulary.Lookup([]byte(docs.Vocabulary.ID(i))); known {
			return true
		}
	}
	return false
}

// vectors returns what a sketch of so many columns starts from; nil for a nil b.
func (b *begun) vectors(columns int) *sketch.Start {
	if b == nil {
		return nil
	}
	random := min(sketch.LeastRandom, (columns+1)/2)
	return &sketch.Start{Columns: min(b.Vectors.Cols(), columns-random), Row: func(dst []float64, item int) {
		row := b.rows[item]
		if row < 0 {
			clear(dst)
			return
		}
		for j, v := range b.Vectors.Row(int(row))[:len(dst)] {
			dst[j] = float64(v)
		}
	}}
}

// record returns what a manifest says of b.
func (b *begun) record(vectors int) *StartRecord {
	return &StartRecord{SHA256: b.SHA256, Generation: b.Generation, Items: b.common, Vectors: vectors}
}

// checkStart returns an *OptionError if a fit by the options cannot start from a model.
func (o *Options) checkStart() error {
	switch {
	case o.Start == nil:
		return nil
	case o.Method.Dense():
		return badOption("Start", "%s holds all co-occurrences and makes no passes that could start from a model", o.Method)
	case o.Sketch.Passes == 1:
		return badOption("Start", "a single pass cannot start from a model: it needs two passes or more")
	case o.Start.Vectors == nil || o.Start.Mixtures == nil || o.Start.Vocabulary == nil:
		return badOption("Start", "the model to start from was not read by ReadStart")
	}
	return nil
}
