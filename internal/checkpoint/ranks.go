// This file holds the errors of checkpoints, and lets several ranks agree on what rank 0 finds in a folder. Callers ask
// for the errors with errors.Is; package model gives them public names.

package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"anchorage/internal/collective"
	"anchorage/internal/durable"
)

// shared returns the error of rank 0 on all ranks, or gives them p.
func (v *Values) shared(err error, p []byte) error {
	if v.ranks.Size() == 1 {
		return err
	}
	if err := collective.ShareError(v.ctx, v.ranks, err, known...); err != nil {
		return err
	}
	return collective.Broadcast(v.ctx, v.ranks, 0, p)
}

// shareLoaded returns the state that rank 0 has opened, or its error, on all ranks.
func shareLoaded(ctx context.Context, ranks *collective.Comm, l *Loaded, err error) (*Loaded, error) {
	if err := collective.ShareError(ctx, ranks, err, known...); err != nil || ranks.Size() == 1 {
		return l, err
	}
	type state struct {
		There bool
		Kind  string
		Left  int64
	}
	var own state
	if l != nil {
		own = state{true, l.Kind, l.left}
	}
	all, err := collective.GatherJSON(ctx, ranks, own)
	if err != nil || !all[0].There {
		return nil, err
	}
	found := all[0]
	if !ranks.First() {
		l = &Loaded{header: header{Kind: found.Kind}}
		l.from, l.left = strings.NewReader(""), found.Left // what is read comes from rank 0
	}
	l.ctx, l.ranks = ctx, ranks
	return l, nil
}

var (
	// ErrDamaged means that no state of a checkpoint can be read.
	ErrDamaged = errors.New("the checkpoint is damaged")
	// ErrChanged means that something that decides the result is not what it was when the checkpoint was made.
	ErrChanged = errors.New("the checkpoint belongs to another run")
	// ErrUnfinished means that the checkpoint of another run exists where a run is to begin. It wraps durable.ErrExists.
	ErrUnfinished = fmt.Errorf("an unfinished run has left a checkpoint: %w", durable.ErrExists)
	// ErrMissing means that there is no checkpoint to resume.
	ErrMissing = errors.New("there is nothing to resume")
)

// known are the errors that callers ask for. They reach all ranks.
var known = []error{ErrDamaged, ErrChanged, ErrUnfinished, ErrMissing, durable.ErrLocked, context.Canceled}

// Changed returns an error that wraps ErrChanged, about something that was one thing and is another; empty for nothing.
func Changed(name, was, is string) error {
	return &collective.CausedError{Cause: ErrChanged,
		Text: fmt.Sprintf("%s was %s, and is %s", name, cmp.Or(was, "nothing"), cmp.Or(is, "nothing"))}
}
