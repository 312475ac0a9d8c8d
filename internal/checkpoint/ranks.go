// This file holds the errors of checkpoints, and lets several ranks agree on what rank 0 finds in a folder. Callers ask
// for the errors with errors.Is; package model gives them public names.

package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"anchorage/internal/collective"
	"anchorage/internal/durable"
)

// told is an error on its way to other ranks.
type told struct {
	Text  string
	Known int // which of known it wraps, from 1; 0 for none
}

// shareError returns the error of rank 0 on all ranks.
func shareError(ctx context.Context, ranks *collective.Comm, err error) error {
	if ranks.Size() == 1 {
		return err
	}
	var own told
	if err != nil {
		own = told{err.Error(), slices.IndexFunc(known, func(is error) bool { return errors.Is(err, is) }) + 1}
	}
	all, failed := collective.GatherJSON(ctx, ranks, own)
	switch {
	case failed != nil:
		return failed
	case ranks.First() || all[0].Text == "":
		return err
	case all[0].Known == 0:
		return errors.New(all[0].Text)
	}
	return &caused{all[0].Text, known[all[0].Known-1]}
}

// shared returns the error of rank 0 on all ranks, or gives them p.
func (v *Values) shared(err error, p []byte) error {
	if v.ranks.Size() == 1 {
		return err
	}
	if err := shareError(v.ctx, v.ranks, err); err != nil {
		return err
	}
	return collective.Broadcast(v.ctx, v.ranks, 0, p)
}

// shareLoaded returns the state that rank 0 has opened, or its error, on all ranks.
func shareLoaded(ctx context.Context, ranks *collective.Comm, l *Loaded, err error) (*Loaded, error) {
	if err := shareError(ctx, ranks, err); err != nil || ranks.Size() == 1 {
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

// caused is an error with a text of its cause, which other ranks know only by its number in known.
type caused struct {
	text  string
	cause error
}

func (e *caused) Error() string { return e.text }
func (e *caused) Unwrap() error { return e.cause }

// Changed returns an error that wraps ErrChanged, about something that was one thing and is another; empty for nothing.
func Changed(name, was, is string) error {
	return &caused{fmt.Sprintf("%s was %s, and is %s", name, cmp.Or(was, "nothing"), cmp.Or(is, "nothing")), ErrChanged}
}
