// This file merges sketches of single passes over different shards.

package model

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"anchorage/corpus"
	"anchorage/matrix"
	"anchorage/sketch"
)

// Merger adds up sketches one by one; it holds one N×L block, and reads the others in pieces. The sketches must have
// the same seed, width, weights and vocabulary, and must be of different shards. Those of tasks must be of different
// tasks on the same shards. The zero value is empty.
type Merger struct {
	first      string // path of the first sketch
	count      int
	manifest   Manifest
	vocabulary *corpus.Vocabulary
	sum        *sketch.Streamed
	spoilt     error // a sketch was added in part
}

// Topics returns the number of topics that the first sketch was made for, or 0 before the first Add.
func (m *Merger) Topics() int { return m.manifest.Sketch.Topics }

// Add adds the mergeable sketch of the directory at path. If it cannot be merged, the error is an *InputError and the
// sum is unchanged. If its largest table cannot be read to its end, the sum is of no use, and every later call returns
// that error.
func (m *Merger) Add(ctx context.Context, path string) error {
	if m.spoilt != nil {
		return m.spoilt
	}
	manifest, err := ReadManifest(ctx, path, KindSketch)
	if err != nil {
		return err
	}
	if !manifest.in(ctx, path).has(sketchFile) {
		return &InputError{Path: path, Fault: NotMergeable, Reason: fmt.Sprintf("was made with %d passes and cannot be "+
			"merged", manifest.Sketch.Passes)}
	}
	if m.count == 0 {
		if m.vocabulary, m.sum, err = loadMergeable(ctx, path, &manifest); err != nil {
			return err
		}
		m.first, m.manifest, m.count = path, manifest, 1
		m.manifest.Inputs, m.manifest.Skipped = slices.Clone(manifest.Inputs), slices.Clone(manifest.Skipped)
		return nil
	}
	tasks, err := m.manifest.Tasks.merge(manifest.Tasks, m.first, path)
	if err != nil {
		return err
	}
	if err := m.differs(path, &manifest); err != nil {
		return err
	}
	if ours, theirs := m.manifest.Corpus, manifest.Corpus; tasks != nil && (ours.MinItems != theirs.MinItems ||
		ours.MinTokens != theirs.MinTokens) {
		return &InputError{Path: path, Reason: fmt.Sprintf("leaves out documents with fewer than %d items and %d tokens, "+
			"and %s those with fewer than %d and %d: tasks must agree",
			theirs.MinItems, theirs.MinTokens, m.first, ours.MinItems, ours.MinTokens)}
	}
	if err := m.addRows(ctx, path, &manifest); err != nil {
		return err
	}
	m.count++
	m.manifest.Tasks = tasks
	m.manifest.Inputs = append(m.manifest.Inputs, manifest.Inputs...)
	m.manifest.Skipped = append(m.manifest.Skipped, manifest.Skipped...)
	m.manifest.Corpus.Add(manifest.Corpus)
	return nil
}

// addRows adds the sketch of a directory, row by row.
func (m *Merger) addRows(ctx context.Context, path string, manifest *Manifest) error {
	n, from := m.sum.Items(), manifest.in(ctx, path)
	if err := from.Verify(ctx, vocabularyFile); err != nil {
		return err
	}
	added := sketch.Streamed{Seed: manifest.Sketch.Seed, Fingerprint: manifest.Corpus.VocabularySHA256}
	if added.Fingerprint == m.sum.Fingerprint { // otherwise the rest has another shape, and is not looked at
		var err error
		if added.Marginals, err = loadMarginals(ctx, path, manifest, n); err != nil {
			return err
		}
		if err := scatterTable(&added, n).read(ctx, from); err != nil {
			return err
		}
	}
	width := sketch.TestColumns + manifest.Sketch.Columns
	err := m.sum.MergeRows(&added, manifest.Sketch.Columns, func(add func(row []float32)) error {
		m.spoilt = sketchRows(n, width, add).read(ctx, from)
		return m.spoilt
	})
	if errors.As(err, new(*sketch.MergeError)) {
		return &InputError{Path: path, Reason: "cannot be merged with " + m.first + ": " + err.Error(), Err: err}
	}
	return err
}

// Missing returns what tasks are missing from the sum; nil if none is, or if the sketches are not those of tasks.
func (m *Merger) Missing() *MissingTasksError {
	if missing := m.manifest.Tasks.Missing(); len(missing) > 0 {
		return &MissingTasksError{Missing: missing, Of: m.manifest.Tasks.Of}
	}
	return nil
}

// differs refuses a sketch that contains a shard of the sum, because its documents would count twice.
func (m *Merger) differs(path string, manifest *Manifest) error {
	for _, in := range manifest.Inputs {
		for _, known := range m.manifest.Inputs {
			if in.SHA256 == known.SHA256 && in.Documents > 0 {
				return &InputError{Path: path, Reason: fmt.Sprintf("was made from %s, which is the same file as %s: its "+
					"documents would count twice", in.Path, known.Path)}
			}
		}
	}
	return nil
}

// loadMergeable loads the vocabulary and the sketch of a directory.
func loadMergeable(ctx context.Context, path string, manifest *Manifest) (*corpus.Vocabulary, *sketch.Streamed, error) {
	v, err := loadVocabulary(ctx, path, manifest)
	if err != nil {
		return nil, nil, err
	}
	marginals, err := loadMarginals(ctx, path, manifest, v.Len())
	if err != nil {
		return nil, nil, err
	}
	saved := sketch.Streamed{Seed: manifest.Sketch.Seed, Marginals: marginals, Product: matrix.NewSingle(v.Len(),
		sketch.TestColumns+manifest.Sketch.Columns)}
	for _, t := range streamedTables(&saved) {
		if err := t.read(ctx, manifest.in(ctx, path)); err != nil {
			return nil, nil, err
		}
	}
	s, err := sketch.RestoreStreamed(saved, v)
	if err != nil {
		return nil, nil, &InputError{Path: path, Reason: err.Error()}
	}
	return v, s, nil
}

// Take returns the sum: a Model that knows of no topics, and the sketch; and of how many sketches it is. It is used up
// then.
func (m *Merger) Take() (*Model, *sketch.Streamed, int) {
	sum := m.sum
	if m.sum = nil; sum == nil {
		panic("model: no sketches to merge")
	}
	return &Model{Manifest: m.manifest, Vocabulary: m.vocabulary, Marginals: sum.Marginals}, sum, m.count
}
