// This file reads an earlier model of nearly the same documents, for a fit to start from.

package model

import (
	"context"

	"anchorage/bayes/refine"
	"anchorage/corpus"
	"anchorage/internal/objects"
	"anchorage/matrix"
)

// Start is what a fit can start from: an earlier model of nearly the same documents. Its eigenvectors start the passes
// of the sketch, and its refined topics the refinement. Both end by the same rules as without it, so the model is that
// of the new documents, found in fewer passes. Items are known by their ids: items that are new start from nothing, and
// items that are gone are left out. Another number of topics, another vocabulary and other item weights cost passes, no
// more.
type Start struct {
	Vocabulary *corpus.Vocabulary // N items
	// Vectors has N rows. Its columns span the leading eigenvectors of the C of the earlier model (sketch.Eigen.Leading),
	// or of the rectified one, K columns, if the directory has no others.
	Vectors *matrix.Single
	// Mixtures is N×K: row i is p(topic | item i).
	Mixtures    *matrix.Single
	Probability []float64 // N: p(item)
	TopicJoint  []float64 // A, K×K row-major
	Anchors     []int     // the anchor item of each topic
	// Refined is what the topics were refined for; empty if they were not.
	Refined refine.Purpose
	// SHA256 is that of the model's manifest.json, in hexadecimal, and Generation its number in a store, 0 if it has none.
	// The manifest of a fit records both.
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

// ReadStart reads a model to start from, from a directory or the URL of an object store. The error is an *InputError if
// there is no model of anchors with a factor, or a *shard.Error for a table that cannot be read.
func ReadStart(ctx context.Context, path string) (*Start, error) {
	m, err := begin(ctx, path, KindModel)
	if err != nil {
		return nil, err
	}
	if m.Manifest.Anchor == nil || !m.from.has(factorFile) {
		return nil, m.wrong("", NoFactor, "is a model without anchors and a factor, from which no fit can start")
	}
	digest, _, err := objects.Digest(ctx, objects.Join(path, ManifestFile))
	if err != nil {
		return nil, err
	}
	if err := m.readVocabulary(ctx); err != nil {
		return nil, err
	}
	n, k := m.Vocabulary.Len(), m.Manifest.Sketch.Topics
	s := &Start{SHA256: digest, Vocabulary: m.Vocabulary, Mixtures: matrix.NewSingle(n, k)}
	if m.Manifest.Refine != nil {
		s.Refined = m.Manifest.Refine.For
	}
	err = m.readFiles(ctx, leadingFile)
	if s.Vectors = m.Eigen.Leading; err == nil && s.Vectors == nil {
		s.Vectors, err = m.singleFactor(ctx)
	}
	if err != nil {
		return nil, err
	}
	return s, m.from.read(ctx,
		table{file: itemsFile, rows: n, columns: []column{numbered("index"), values("probability", &s.Probability),
			matrixColumn("mixture", s.Mixtures)}},
		table{file: anchorsFile, rows: k, columns: []column{numbered("topic"), itemColumn("index", &s.Anchors, n)}},
		pairsTable(jointFile, "probability", &s.TopicJoint, k))
}
