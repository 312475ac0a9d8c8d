// This file holds the errors of checkpoints. Callers ask for them with errors.Is; package model gives them public
// names.

package checkpoint

import (
	"context"
	"errors"
	"fmt"

	"anchorage/internal/durable"
)

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
	said := func(value string) string {
		if value == "" {
			return "nothing"
		}
		return value
	}
	return &caused{fmt.Sprintf("%s was %s, and is %s", name, said(was), said(is)), ErrChanged}
}
