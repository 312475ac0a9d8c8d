// This file merges sketches of single passes over different shards.

package model

import (
	"context"
	"fmt"
	"slices"

	"anchorage/corpus"
	"anchorage/internal/objects"
	"anchorage/matrix"
	"anchorage/sketch"
)

// Merger adds up sketches one by one; it holds two N×L blocks at a time. The sketches must have the same seed, width, weights and
// vocabulary, and must be of different shards.
type Merger struct {
	run        *Run
	first      string // path of the first sketch
	count      int
	manifest   Manifest
	vocabulary *corpus.Vocabulary
	sum        *sketch.Streamed
}

// NewMerger returns a sum of no sketches. run may be nil.
func NewMerger(run *Run) *Merger { return &Merger{run: orNew(run)} }

// Topics returns the number of topics that the first sketch was made for, or 0 before the first Add.
func (m *Merger) Topics() int { return m.manifest.Sketch.Topics }

// Add loads the mergeable sketch of the directory at path and adds it. If it cannot be merged, the error is an *InputError and the
// sum is unchanged.
func (m *Merger) Add(ctx context.Context, path string) error {
	defer m.run.Stage("load")()
	manifest, err := ReadManifest(ctx, path, KindSketch)
	if err != nil {
		return err
	}
	if err := m.differs(path, &manifest); err != nil {
		return err
	}
	vocabulary, added, err := loadMergeable(ctx, path, &manifest)
	if err != nil {
		return err
	}
	m.count++
	if m.count == 1 {
		m.first, m.manifest, m.vocabulary, m.sum = path, manifest, vocabulary, added
		m.manifest.Inputs, m.manifest.Skipped = slices.Clone(manifest.Inputs), slices.Clone(manifest.Skipped)
		return nil
	}
	if err := m.sum.Merge(added); err != nil {
		m.count--
		return &InputError{Path: path, Reason: "cannot be merged with " + m.first + ": " + err.Error(), Err: err}
	}
	m.manifest.Inputs = append(m.manifest.Inputs, manifest.Inputs...)
	m.manifest.Skipped = append(m.manifest.Skipped, manifest.Skipped...)
	m.manifest.Corpus.Add(manifest.Corpus)
	return nil
}

// differs refuses a sketch that contains a shard of the sum, because its documents would count twice.
func (m *Merger) differs(path string, manifest *Manifest) error {
	for _, in := range manifest.Inputs {
		for _, known := range m.manifest.Inputs {
			if in.SHA256 == known.SHA256 && in.Documents > 0 {
				return &InputError{Path: path, Reason: fmt.Sprintf("was made from %s, which is the same file as %s: its documents would count twice", in.Path, known.Path)}
			}
		}
	}
	return nil
}

// loadMergeable loads the vocabulary and the sketch of a directory.
func loadMergeable(ctx context.Context, path string, manifest *Manifest) (*corpus.Vocabulary, *sketch.Streamed, error) {
	if manifest.Layout < mergingVersion {
		return nil, nil, &InputError{Path: path, Reason: "was made by an older version, whose sketches are of another kind: sketch its shards again"}
	}
	mergeable, err := objects.Exists(ctx, objects.Join(path, sketchFile))
	if err != nil {
		return nil, nil, &InputError{Path: path, Reason: "cannot be read: " + err.Error()}
	}
	if !mergeable {
		return nil, nil, &InputError{Path: path, Fault: NotMergeable, Reason: fmt.Sprintf("was made with %d passes and cannot be merged", manifest.Sketch.Passes)}
	}
	v, err := loadVocabulary(ctx, path, manifest)
	if err != nil {
		return nil, nil, err
	}
	marginals, err := loadMarginals(ctx, path, manifest, v.Len())
	if err != nil {
		return nil, nil, err
	}
	saved := sketch.Streamed{Seed: manifest.Sketch.Seed, Marginals: marginals, Product: matrix.NewSingle(v.Len(), sketch.TestColumns+manifest.Sketch.Columns)}
	for _, t := range streamedTables(&saved) {
		if err := t.read(ctx, path); err != nil {
			return nil, nil, err
		}
	}
	s, err := sketch.RestoreStreamed(saved, v)
	if err != nil {
		return nil, nil, &InputError{Path: path, Reason: err.Error()}
	}
	return v, s, nil
}

// Sketched computes eigenpairs from the sum: opts.Topics of them, or as many as the first sketch was made for if that is 0. It uses
// up the sum.
func (m *Merger) Sketched(ctx context.Context, opts Options) (*Sketched, error) {
	if m.sum == nil {
		panic("model: no sketches to merge")
	}
	if opts.Topics == 0 {
		opts.Topics = m.Topics()
	}
	opts.Run = m.run
	opts = opts.prepared()
	opts.Seed, opts.Sketch.Columns, opts.Sketch.Passes = m.sum.Seed, m.sum.Columns(), 1
	if err := opts.Check(); err != nil {
		return nil, err
	}
	defer m.run.Stage("merge")()
	s := &Sketched{Manifest: m.manifest, Vocabulary: m.vocabulary, Marginals: m.sum.Marginals, run: m.run}
	s.Manifest.Sketch = SketchRecord{Topics: opts.Topics, Seed: opts.Seed, ItemWeights: m.manifest.Sketch.ItemWeights,
		DocumentSurplus: s.Marginals.Surplus}
	if err := s.solve(ctx, m.sum, &opts); err != nil {
		return nil, err
	}
	s.Manifest.Sketch.MergedFrom = m.count
	m.sum = nil
	return s, nil
}
