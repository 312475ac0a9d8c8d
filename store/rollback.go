// This file makes an earlier generation the current one.

package store

import (
	"context"
	"fmt"

	"anchorage/internal/objects"
	"anchorage/model"
)

// earlier returns the generation that the current one took the place of, which leaves out those that a rollback left
// behind; if it is not retained, the latest before the current one; 0 if there is none.
func (s *State) earlier() (number int) {
	if at := s.generation(s.Generation); at != nil && s.generation(at.Before) != nil {
		return at.Before
	}
	for _, g := range s.Generations {
		if g.Number < s.Generation {
			number = g.Number
		}
	}
	return number
}

// Rollback makes the generation of a number the current one, with the shards and options that it was made of; 0 means
// the one before the current. It writes a new state: later generations stay, as long as they are retained. Updates
// leave out the shards that the rollback takes out, unless PlanOptions.Again is set or their content has changed. If
// the writer passed over a damaged state, 0 means the generation of the state before that.
func (w *Writer) Rollback(ctx context.Context, number int) (*Generation, error) {
	if number == 0 && w.passed {
		number = w.State.Generation
	}
	if number == 0 {
		number = w.State.earlier()
		if number == 0 {
			return nil, &Error{Path: w.Path, Fault: NoGeneration, Reason: "has no generation before the current one"}
		}
	}
	g := w.State.generation(number)
	if g == nil {
		return nil, &Error{Path: w.Path, Fault: NoGeneration, Reason: fmt.Sprintf("has no generation %d", number)}
	}
	then, err := readState(ctx, w.Path, g.State)
	if err != nil {
		return nil, err
	}
	if err := checkFile(ctx, objects.Join(w.GenerationPath(number), model.ManifestFile), hashed(g.Manifest)); err != nil {
		return nil, err
	}
	next, err := w.nextState(ctx)
	if err != nil {
		return nil, err
	}
	next.Options, next.Files, next.Shards, next.Generation = then.Options, then.Files, then.Shards, number
	next.RolledBack = without(append(next.RolledBack, without(w.State.Shards, next.RolledBack)...), then.Shards)
	ctx = context.WithoutCancel(ctx)
	if err := writeState(ctx, w.Path, next, w.options.Warn); err != nil {
		return nil, err
	}
	w.State = next
	w.tidy(ctx)
	return g, nil
}
