// This file saves and loads sketches and factors, the results of the stages before a model. Both are the beginnings of
// a Model.

package model

import (
	"context"
	"errors"

	"anchorage/matrix"
	"anchorage/sketch"
)

// SaveSketch writes what the first stage found, with the eigenpairs, into a directory that Create began, and completes
// it. A dense C cannot be saved.
func (m *Model) SaveSketch(out *Output, eigen *sketch.Eigen, how Saving) error {
	if eigen.Vectors == nil {
		return errors.New("model: the sketch has no eigenvectors to save")
	}
	return out.saveTables(stageTables(m, eigen.Values, eigen.Residuals, matrixTable(eigenvectorsFile, "v", eigen.Vectors),
		eigen.Leading), &m.Manifest, how)
}

// SaveFactor writes what the first two stages found into a directory that Create began, and completes it. A dense C
// cannot be saved.
func (m *Model) SaveFactor(out *Output, how Saving) error {
	if m.Factor == nil {
		return errors.New("model: there is no factor to save")
	}
	tables := stageTables(m, m.Eigenvalues, m.Residuals, matrixTable(factorFile, "y", m.Factor), m.Leading)
	if len(m.Course) > 0 {
		tables = append(tables, courseTable(&m.Course))
	}
	return out.saveTables(tables, &m.Manifest, how)
}

// LoadSketch loads a saved sketch: a Model that knows of no topics, and the eigenpairs.
func LoadSketch(ctx context.Context, path string) (*Model, *sketch.Eigen, error) {
	m, err := loadStage(ctx, path, KindSketch)
	if err != nil {
		return nil, nil, err
	}
	vectors := matrix.NewTall(m.Vocabulary.Len(), len(m.Eigenvalues))
	if err := matrixTable(eigenvectorsFile, "v", vectors).read(ctx, m.from); err != nil {
		return nil, nil, err
	}
	leading, err := m.ReadLeading(ctx)
	record := &m.Manifest.Sketch
	return m, &sketch.Eigen{Values: m.Eigenvalues, Vectors: vectors, Leading: leading, Residuals: m.Residuals,
		Passes: record.Passes, Estimated: record.ResidualEstimated}, err
}

// LoadFactor loads a saved factor: a Model that knows of no topics.
func LoadFactor(ctx context.Context, path string) (*Model, error) {
	m, err := loadStage(ctx, path, KindFactor)
	if err != nil {
		return nil, err
	}
	if m.Factor, err = m.ReadFactor(ctx); err != nil {
		return nil, err
	}
	if m.Leading, err = m.ReadLeading(ctx); err != nil || !m.from.has(courseFile) {
		return m, err
	}
	return m, courseTable(&m.Course).read(ctx, m.from)
}

// loadStage loads what sketch and factor directories have alike.
func loadStage(ctx context.Context, path, kind string) (*Model, error) {
	m, err := begin(ctx, path, kind)
	if err != nil {
		return nil, err
	}
	if r := m.Manifest.Round; r != nil && r.Holds != sketch.RoundPairs {
		return nil, m.wrong("", "", "holds the %s of a pass by tasks, and no eigenpairs yet: make the passes that are left",
			r.Holds)
	}
	if err := m.readVocabulary(ctx); err != nil {
		return nil, err
	}
	if err := m.readMarginals(ctx, m.Vocabulary.Len()); err != nil {
		return nil, err
	}
	if err := spectrumTable(&m.Eigenvalues, &m.Residuals, m.Manifest.Sketch.Topics).read(ctx, m.from); err != nil {
		return nil, err
	}
	m.Evidence, err = m.ReadEvidence(ctx)
	return m, err
}

// readMarginals reads the marginals of the directory's n items.
func (m *Model) readMarginals(ctx context.Context, n int) error {
	m.Marginals = sketch.Marginals{Documents: m.Manifest.Corpus.Documents, PairPrior: m.Manifest.Sketch.PairPrior}
	return marginalsTable(&m.Marginals, n, m.Manifest.Sketch.ItemWeights != unweighted).read(ctx, m.from)
}

// ReadFactor reads the factor of a directory that was loaded.
func (m *Model) ReadFactor(ctx context.Context) (*matrix.Tall, error) {
	y := matrix.NewTall(m.Vocabulary.Len(), m.Manifest.Rank())
	return y, matrixTable(factorFile, "y", y).read(ctx, m.from)
}

// mostGuards bounds what a manifest may say, so that a damaged one does not ask for all memory.
const mostGuards = 1000

// ReadLeading reads the vectors that later fits may start from, of a directory that was loaded; nil if there are none,
// as in those of single passes.
func (m *Model) ReadLeading(ctx context.Context) (*matrix.Single, error) {
	if !m.from.has(leadingFile) {
		return nil, nil
	}
	columns := m.Manifest.Sketch.Leading
	if columns < m.Manifest.Rank() || columns > m.Manifest.Rank()+mostGuards {
		return nil, m.wrong("", "", "has a manifest with %d leading vectors", columns)
	}
	leading := matrix.NewSingle(m.Manifest.Corpus.Items, columns)
	return leading, matrixTable(leadingFile, "v", leading).read(ctx, m.from)
}

// ReadEvidence reads how far each item's row can be trusted, of a model that was loaded; nil if it was not measured.
func (m *Model) ReadEvidence(ctx context.Context) (*sketch.Evidence, error) {
	if !m.from.has(evidenceFile) {
		return nil, nil
	}
	e := new(sketch.Evidence)
	return e, evidenceTable(e, m.Vocabulary.Len()).read(ctx, m.from)
}

// Rank returns the number of columns of the factor, whatever the number of topics.
func (m *Manifest) Rank() int {
	if m.Steer != nil {
		return m.Steer.Rank
	}
	return m.Sketch.Topics
}

// WriteStreamed writes the sketch of a single pass, so that it can be merged with others.
func (o *Output) WriteStreamed(s *sketch.Streamed) error {
	for _, t := range streamedTables(s) {
		if err := t.write(o); err != nil {
			return err
		}
	}
	return nil
}
