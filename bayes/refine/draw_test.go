package refine

import (
	"context"

	"anchorage/corpus"
	"anchorage/internal/synth"
)

// drawn is a corpus with the model that it was drawn from.
type drawn struct {
	docs   *corpus.Documents
	truth  *synth.Truth
	tokens int64
}

// draw makes documents of a known model.
func draw(m synth.Model) drawn {
	docs, truth := m.Draw()
	d := drawn{docs: docs, truth: truth}
	for _, c := range docs.Counts {
		d.tokens += int64(c)
	}
	return d
}

// pass yields the documents in runs of 70.
func (d drawn) pass(ctx context.Context, fn func(*corpus.Documents) error) error {
	return inPasses(d.docs, 70)(ctx, fn)
}
