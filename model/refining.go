// This file loads what a pass of a refinement by tasks starts from.

package model

import (
	"context"

	"anchorage/bayes/refine"
	"anchorage/internal/objects"
	"anchorage/internal/process"
	"anchorage/matrix"
)

// ReadRefining makes m a model from which a pass of a refinement by tasks can start, with Manifest.Refinement. It
// returns the SHA-256 of its manifest.json. The error is an *InputError if none can, or a *shard.Error for a table that
// cannot be read.
func (m *Model) ReadRefining(ctx context.Context, path string) (sha256 string, err error) {
	from, err := Load(ctx, path)
	if err != nil {
		return "", err
	}
	*m = *from
	r, n, k := m.Manifest.Refinement, m.Vocabulary.Len(), m.Topics()
	switch {
	case m.Manifest.Anchor == nil || !m.HasFactor():
		err = m.wrong("", NoFactor, "is a model without anchors and a factor, whose topics cannot be refined")
	case r == nil && m.Manifest.Refine != nil:
		err = m.wrong("", "", "has topics that were refined, not by tasks: start from those of anchor")
	case r == nil:
		m.Manifest.Refinement = new(refine.Round)
	case r.Passes > 0:
		if err = process.Reserve(3 * matrix.Bytes[float32](n, k)); err != nil {
			break
		}
		if r.Tokens = matrix.NewSingle(n, k); r.For == refine.ForReading {
			r.Held = matrix.NewTall(n, k)
		}
		err = m.refinementTable().read(ctx, m.from)
	}
	if err == nil {
		sha256, _, err = objects.Digest(ctx, objects.Join(path, ManifestFile))
	}
	return sha256, err
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
