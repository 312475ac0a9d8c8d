// This file saves and loads what passes by tasks know: the sums of a pass of a subspace iteration, what the next one
// starts from, and what a pass of a refinement starts from.

package model

import (
	"context"
	"fmt"
	"slices"

	"anchorage/bayes/refine"
	"anchorage/corpus"
	"anchorage/internal/objects"
	"anchorage/internal/process"
	"anchorage/matrix"
	"anchorage/sketch"
)

// ReadRound makes m what a merge has made for the next pass, with Vocabulary and Iteration, from a directory or the URL
// of an object store. The error is an *InputError if it is nothing to start from, or a *shard.Error for a table that
// cannot be read.
func (m *Model) ReadRound(ctx context.Context, path string) error {
	from, err := begin(ctx, path, KindSketch)
	if err != nil {
		return err
	}
	record := from.Manifest.Round
	if record == nil || record.IsSums() {
		return from.wrong("", "", "is nothing that a pass starts from: merge the sums of all tasks of the pass before")
	}
	it := &sketch.Iteration{Passes: record.Pass, Shift: record.Shift}
	if record.Holds == sketch.RoundPairs {
		if from, err = LoadStage(ctx, path, KindSketch); err == nil {
			it.Eigen = &from.Eigen
		}
	} else if err = from.readVocabulary(ctx); err == nil {
		if it.Basis, err = from.roundMatrix(); err == nil {
			err = from.from.read(ctx, matrixTable(basisFile, "q", it.Basis))
		}
		if err == nil {
			err = from.readMarginals(ctx, from.Vocabulary.Len())
		}
	}
	if err != nil {
		return err
	}
	*m = *from
	it.Marginals, m.Iteration, m.Manifest.Round.Path = m.Marginals, it, path
	m.Manifest.Round.SHA256, _, err = objects.Digest(ctx, objects.Join(path, ManifestFile))
	return err
}

// roundMatrix returns an empty matrix of the size that the manifest says.
func (m *Model) roundMatrix() (*matrix.Tall, error) {
	n, columns := m.Manifest.Corpus.Items, m.Manifest.Round.Columns
	if err := process.Reserve(matrix.Bytes[float64](n, columns)); err != nil {
		return nil, err
	}
	return matrix.NewTall(n, columns), nil
}

// sumsTables have sums for n items. Reading them adds to them.
func sumsTables(s *sketch.Sums, n int) (tables []table) {
	var columns []column
	names := []string{"df", "tf", "row_sum", "diagonal"}
	if s.Product == nil {
		names = []string{"sum", "square", "length"}
	}
	for at := range s.Whole {
		c, next := values(names[at], &s.Whole[at]), 0
		c.read = func(v any) error {
			for _, term := range v.([]int64) {
				s.Whole[at][next] += term
				next++
			}
			return nil
		}
		columns = append(columns, c)
	}
	if s.Product != nil {
		columns = append(columns, addedColumn(s.Product))
	}
	if columns != nil {
		tables = append(tables, table{file: sumsFile, rows: n, columns: append([]column{expectedIndex(n)}, columns...)})
	}
	if t := s.Totals; t != nil {
		tables = append(tables, table{file: totalsFile, rows: t.Rows(), columns: []column{expectedIndex(t.Rows()),
			addedColumn(t)}})
	}
	return tables
}

// expectedIndex numbers n rows.
func expectedIndex(n int) column { return expected("index", n, func(row int) int { return row }) }

// addedColumn has a matrix of sums. Reading it adds to them.
func addedColumn(to *matrix.Tall) column {
	c := matrixColumn("y", to)
	c.read = rowsColumn("y", to.Rows(), to.Cols(), nil, func(row []float64, i int) {
		for j, term := range row {
			to.Row(i)[j] += term
		}
	}).read
	return c
}

// beginSums begins the sums that those of the directory can be added to.
func (m *Model) beginSums(ctx context.Context) (err error) {
	m.Sums = new(sketch.Sums)
	record, whole := m.Manifest.Round, 0
	if record.For != "" {
		sums, err := refine.NewSums(m.Manifest.Corpus.Items, record.Columns, record.Holds == sketch.RoundSurvey)
		if err == nil {
			m.Sums.Product, m.Sums.Totals = sums.Tokens, sums.Totals
		}
		return err
	}
	if record.Holds == sketch.RoundEvidence {
		whole = 3
	} else if m.Sums.Product, err = m.roundMatrix(); err == nil && record.Pass == 1 {
		whole, err = 4, m.readVocabulary(ctx)
	}
	for range whole {
		m.Sums.Whole = append(m.Sums.Whole, make([]int64, m.Manifest.Corpus.Items))
	}
	return err
}

// addSums adds the sums of a directory, row by row.
func (m *Merger) addSums(ctx context.Context, of *Model) error {
	ours, theirs, first := m.model.Manifest.Round, of.Manifest.Round, m.model.from.path
	switch what := differing(&of.Manifest, &m.model.Manifest); {
	case ours.Pass != theirs.Pass:
		return of.wrong("", "", "has sums of pass %d, and %s those of pass %d: merge the tasks of one pass", theirs.Pass,
			first, ours.Pass)
	case ours.Start != theirs.Start:
		return of.wrong("", "", "has sums from another start than %s: make its task again from the same", first)
	case what != "" || *ours != *theirs:
		return of.wrong("", "", "was made by other options than %s (%spasses: %d, not %d): make its task again by the same",
			first, what, theirs.Passes, ours.Passes)
	}
	m.model.Sums.Documents += of.Manifest.Corpus.Documents
	m.spoilt = of.from.read(ctx, sumsTables(m.model.Sums, of.Manifest.Corpus.Items)...)
	return m.spoilt
}

// differing says what tasks of a pass must agree on and do not, as far as it is known of the first; "" for nothing.
func differing(a, b *Manifest) (text string) {
	for _, fact := range []struct {
		name string
		a, b any
	}{{"topics", a.Sketch.Topics, b.Sketch.Topics}, {"seed", a.Sketch.Seed, b.Sketch.Seed},
		{"columns", a.Sketch.Columns, b.Sketch.Columns}, {"item weights", a.Sketch.ItemWeights, b.Sketch.ItemWeights},
		{"pair prior", a.Sketch.PairPrior, b.Sketch.PairPrior}, {"shards", a.Tasks.Shards, b.Tasks.Shards},
		{"list of shards", a.Tasks.SHA256, b.Tasks.SHA256},
		{"vocabulary", a.Corpus.VocabularySHA256, b.Corpus.VocabularySHA256},
		{"least items of a document", a.Corpus.MinItems, b.Corpus.MinItems},
		{"least tokens of a document", a.Corpus.MinTokens, b.Corpus.MinTokens}} {
		if fact.a != fact.b && fact.a != 0 {
			text += fmt.Sprintf("%s: %v, not %v; ", fact.name, fact.a, fact.b)
		}
	}
	return text
}

// CheckTask returns an *InputError unless a task, as far as its manifest is known, can start from m: its options, items
// and shards are those of the first pass.
func (m *Model) CheckTask(task *Manifest) error {
	if what := differing(task, &m.Manifest); what != "" {
		return m.wrong("", "", "cannot start this task, which differs from those before in %sgive what they had", what)
	}
	for _, in := range task.Inputs {
		if !slices.ContainsFunc(m.Manifest.Inputs, func(i corpus.Input) bool { return i.SHA256 == in.SHA256 }) {
			return &InputError{Path: in.Path, Reason: "has changed since the first pass of " + m.Manifest.Round.Path +
				": begin again with that"}
		}
	}
	return nil
}

// ReadRefining makes m a model from which a pass of a refinement by tasks can start, with Manifest.Refinement, without
// Items. RowSums are those of its topics, anchor.Topics.RowSums. The error is an *InputError if none can start from it,
// or a *shard.Error for a table that cannot be read.
func (m *Model) ReadRefining(ctx context.Context, path string) error {
	from, err := Load(ctx, path)
	if err != nil {
		return err
	}
	*m = *from
	r, n, k := m.Manifest.Refinement, m.Vocabulary.Len(), m.Topics()
	switch {
	case m.Manifest.Anchor == nil || !m.HasFactor():
		return m.wrong("", NoFactor, "is a model without anchors and a factor, whose topics cannot be refined")
	case r == nil && m.Manifest.Refine != nil:
		return m.wrong("", "", "has topics that were refined, not by tasks: start from those of anchor")
	case r == nil:
		r = new(refine.Round)
		m.Manifest.Refinement = r
	case r.Passes > 0 && (len(r.Alpha) != k || len(r.Shares) != k || r.Survey == nil):
		return m.wrong(ManifestFile, Damaged, "has a refinement of another number of topics than %d", k)
	case r.Passes > 0:
		if err := process.Reserve(3 * matrix.Bytes[float32](n, k)); err != nil {
			return err
		}
		if r.Tokens = matrix.NewSingle(n, k); r.For == refine.ForReading {
			r.Held = matrix.NewTall(n, k)
		}
		if err := m.refinementTable().read(ctx, m.from); err != nil {
			return err
		}
	}
	m.RowSums = m.Tokens()
	for i, weight := range m.Weights {
		m.RowSums[i] *= weight
	}
	m.Items = nil // B takes much memory
	r.SHA256, _, err = objects.Digest(ctx, objects.Join(path, ManifestFile))
	return err
}

// refinementTable has what the next pass of a refinement needs beside the topics.
func (m *Model) refinementTable() table {
	r, n := m.Manifest.Refinement, m.Vocabulary.Len()
	t := table{file: refinementFile, rows: n, items: true, columns: []column{numbered("index"),
		matrixColumn("tokens", r.Tokens)}}
	if r.Held != nil {
		t.columns = append(t.columns, orOnes("reliability", &r.Reliability, m.Manifest.Anchor.Evidence),
			singleColumn("held", n, m.Topics(), func(dst []float64, i int) { copy(dst, r.Held.Row(i)) }, r.Held))
	}
	return t
}
