// This file loads what a pass of a refinement by tasks starts from.

package model

import (
	"context"

	"anchorage/bayes/refine"
	"anchorage/internal/objects"
	"anchorage/internal/process"
	"anchorage/matrix"
)

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
