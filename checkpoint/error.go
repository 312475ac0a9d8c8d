// This file holds the errors of checkpoints.

package checkpoint

import (
	"errors"
	"fmt"

	"anchorage/internal/durable"
)

// ErrDamaged means that no state of a checkpoint can be read. Errors wrap it. Open with Restart removes the checkpoint.
var ErrDamaged = errors.New("the checkpoint is damaged")

// UnfinishedError reports that the checkpoint of another run exists where a run is to begin anew. It wraps durable.ErrExists.
type UnfinishedError struct{ Checkpoint string }

// Error names the checkpoint.
func (e *UnfinishedError) Error() string {
	return e.Checkpoint + " is the checkpoint of an unfinished run"
}

// Unwrap returns the error of outputs that exist.
func (e *UnfinishedError) Unwrap() error { return durable.ErrExists }

// MissingError reports that there is no checkpoint to go on from.
type MissingError struct{ Checkpoint string }

// Error names the checkpoint.
func (e *MissingError) Error() string {
	return e.Checkpoint + " does not exist: there is nothing to resume"
}

// ChangedError reports that something that decides the result is not what it was when the checkpoint was made.
type ChangedError struct {
	Name    string // what has changed
	Was, Is string // empty for nothing
}

// Error says what was and what is.
func (e *ChangedError) Error() string {
	said := func(value string) string {
		if value == "" {
			return "nothing"
		}
		return value
	}
	return fmt.Sprintf("%s was %s, and is %s", e.Name, said(e.Was), said(e.Is))
}

// InterruptedError reports that a run was interrupted and can be resumed.
type InterruptedError struct {
	Checkpoint string
	Err        error
}

// Error names the checkpoint.
func (e *InterruptedError) Error() string { return "interrupted: the checkpoint is " + e.Checkpoint }

// Unwrap returns what interrupted the run.
func (e *InterruptedError) Unwrap() error { return e.Err }
