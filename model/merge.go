// This file merges sketches of single passes over different shards, and keeps account of tasks: sketches of parts of
// the same shards, which become whole when all are merged.

package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"anchorage/matrix"
	"anchorage/sketch"
)

// Merger adds up sketches, or sums of tasks, one by one; it holds one N×L block, and reads the others in pieces. The
// sketches must have the same seed, width, weights and vocabulary, and must be of different shards. Those of tasks must
// be of different tasks on the same shards, and sums of one pass from one start. The zero value is empty.
type Merger struct {
	// model is the first sketch, with what the manifests of the others add to its own, and the sums of a pass of several
	model  Model
	count  int
	sum    *sketch.Streamed // of single passes; nil for sums
	spoilt error            // a sketch was added in part
}

// Topics returns the number of topics that the first sketch was made for, or 0 before the first Add.
func (m *Merger) Topics() int { return m.model.Manifest.Sketch.Topics }

// Add adds the mergeable sketch of the directory at path. If it cannot be merged, the error is an *InputError and the
// sum is unchanged. If its largest table cannot be read to its end, the sum is of no use, and every later call returns
// that error.
func (m *Merger) Add(ctx context.Context, path string) error {
	if m.spoilt != nil {
		return m.spoilt
	}
	added, err := begin(ctx, path, KindSketch)
	if err != nil {
		return err
	}
	round := added.Manifest.Round.IsSums()
	if !round && !added.from.has(sketchFile) || m.count > 0 && round != (m.sum == nil) {
		if r := added.Manifest.Round; r != nil {
			return added.wrong("", "", "has the %s of pass %d: merge the sums of tasks of one pass", r.Holds, r.Pass)
		}
		return added.wrong("", NotMergeable, "was made with %d passes and cannot be merged", added.Manifest.Sketch.Passes)
	}
	if m.count == 0 {
		if round {
			err = added.beginSums(ctx)
		} else {
			m.sum, err = added.readMergeable(ctx)
		}
		if err != nil {
			return err
		}
		if m.model, m.count = *added, 1; round {
			return m.addSums(ctx, added)
		}
		return nil
	}
	ours, theirs, first := &m.model.Manifest, &added.Manifest, m.model.from.path
	tasks, err := ours.Tasks.merge(theirs.Tasks, first, path)
	if err != nil {
		return err
	}
	for _, in := range theirs.Inputs { // documents of the same shard would count twice
		for _, known := range ours.Inputs {
			if in.SHA256 == known.SHA256 && in.Documents > 0 {
				return added.wrong("", "", "was made from %s, which is the same file as %s: its documents would count twice",
					in.Path, known.Path)
			}
		}
	}
	if a, b := &ours.Corpus, &theirs.Corpus; tasks != nil && (a.MinItems != b.MinItems || a.MinTokens != b.MinTokens) {
		return added.wrong("", "", "leaves out documents with fewer than %d items and %d tokens, and %s those with fewer "+
			"than %d and %d: tasks must agree", b.MinItems, b.MinTokens, first, a.MinItems, a.MinTokens)
	}
	add := m.addRows
	if round {
		add = m.addSums
	}
	if err := add(ctx, added); err != nil {
		return err
	}
	m.count++
	ours.Tasks = tasks
	ours.Inputs, ours.Skipped = append(ours.Inputs, theirs.Inputs...), append(ours.Skipped, theirs.Skipped...)
	ours.Corpus.Add(theirs.Corpus)
	return nil
}

// addRows adds a sketch, row by row.
func (m *Merger) addRows(ctx context.Context, of *Model) error {
	n, record := m.sum.Items(), &of.Manifest.Sketch
	if err := of.from.Verify(ctx, vocabularyFile); err != nil {
		return err
	}
	added := sketch.Streamed{Seed: record.Seed, Fingerprint: of.Manifest.Corpus.VocabularySHA256}
	if added.Fingerprint == m.sum.Fingerprint { // otherwise the rest has another shape, and is not looked at
		if err := of.readMarginals(ctx, n); err != nil {
			return err
		}
		added.Marginals = of.Marginals
		if err := scatterTable(&added, n).read(ctx, of.from); err != nil {
			return err
		}
	}
	width := sketch.TestColumns + record.Columns
	err := m.sum.MergeRows(&added, record.Columns, func(add func(row []float32)) error {
		rows := rowsColumn("y", n, width, nil, func(row []float32, _ int) { add(row) })
		m.spoilt = table{file: sketchFile, rows: n, columns: []column{numbered("index"), rows}}.read(ctx, of.from)
		return m.spoilt
	})
	if errors.As(err, new(*sketch.MergeError)) {
		return &InputError{Path: of.from.path, Reason: "cannot be merged with " + m.model.from.path + ": " + err.Error(),
			Err: err}
	}
	return err
}

// Whole returns an *InputError if tasks are missing from the sum; nil if the sketches are not those of tasks.
func (m *Merger) Whole() error { return m.model.Manifest.Tasks.Whole("") }

// readMergeable reads the vocabulary and the sketch of a directory.
func (m *Model) readMergeable(ctx context.Context) (*sketch.Streamed, error) {
	if err := m.readVocabulary(ctx); err != nil {
		return nil, err
	}
	n, record := m.Vocabulary.Len(), &m.Manifest.Sketch
	if err := m.readMarginals(ctx, n); err != nil {
		return nil, err
	}
	saved := sketch.Streamed{Seed: record.Seed, Marginals: m.Marginals,
		Product: matrix.NewSingle(n, sketch.TestColumns+record.Columns)}
	if err := m.from.read(ctx, streamedTables(&saved)...); err != nil {
		return nil, err
	}
	s, err := sketch.RestoreStreamed(saved, m.Vocabulary)
	if err != nil {
		return nil, m.wrong("", "", "%v", err)
	}
	return s, nil
}

// Take returns the sum, which is used up then: a Model that knows of no topics, with the sums of a pass of several, or
// else the sketch; and of how many sketches it is.
func (m *Merger) Take() (*Model, *sketch.Streamed, int) {
	of := &Model{Manifest: m.model.Manifest, Vocabulary: m.model.Vocabulary, Sums: m.model.Sums}
	sum := m.sum
	if m.model.Sums, m.sum = nil, nil; of.Sums == nil && sum == nil {
		panic("model: no sketches to merge")
	}
	if sum != nil {
		of.Marginals = sum.Marginals
	}
	return of, sum, m.count
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

// TasksRecord says of which tasks a sketch is.
type TasksRecord struct {
	Numbers []int  `json:"numbers"` // increasing, from 0
	Of      int    `json:"of"`
	Shards  int    `json:"shards"`        // of all tasks
	SHA256  string `json:"shards_sha256"` // of the list of these, shard.Fingerprint
}

// mostMissing is how many tasks that are missing an error names.
const mostMissing = 10

// Whole returns an *InputError if tasks are missing from a sketch, which is at path, or a sum if that is empty. It
// returns nil for a nil t.
func (t *TasksRecord) Whole(path string) error {
	if t == nil || len(t.Numbers) == t.Of {
		return nil
	}
	var names []string
	for number := range t.Of {
		if _, found := slices.BinarySearch(t.Numbers, number); !found && len(names) < mostMissing {
			names = append(names, strconv.Itoa(number))
		}
	}
	if more := t.Of - len(t.Numbers) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	e := &InputError{Path: path, Fault: PartialSketch, Reason: fmt.Sprintf("is of %d of %d tasks; missing: %s",
		len(t.Numbers), t.Of, strings.Join(names, ", "))}
	if path == "" {
		e.Path, e.Fault = "the sum", PartialSum
	}
	return e
}

// merge adds the tasks of the sketch at path to those of the sketches that were added before, of which first is one.
// Either may be nil. The error is an *InputError.
func (t *TasksRecord) merge(other *TasksRecord, first, path string) (*TasksRecord, error) {
	switch {
	case t == nil && other == nil:
		return nil, nil
	case t == nil || other == nil:
		return nil, &InputError{Path: path, Reason: "cannot be merged with " + first +
			": one of them is of a task, and the other is not"}
	case t.Of != other.Of || t.Shards != other.Shards || t.SHA256 != other.SHA256:
		return nil, &InputError{Path: path, Reason: fmt.Sprintf("is of tasks on other shards than %s: %d tasks on %d "+
			"shards, and %d on %d, whose names or sizes differ", first, other.Of, other.Shards,
			t.Of, t.Shards)}
	}
	sum := *t
	sum.Numbers = slices.Clone(t.Numbers)
	for _, number := range other.Numbers {
		at, found := slices.BinarySearch(sum.Numbers, number)
		if found {
			return nil, &InputError{Path: path, Reason: fmt.Sprintf("is of task %d, as another of the sketches is: its "+
				"documents would count twice", number)}
		}
		sum.Numbers = slices.Insert(sum.Numbers, at, number)
	}
	return &sum, nil
}
