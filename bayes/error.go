// This file holds the errors that callers tell apart.

package bayes

import "errors"

// ErrCheckpoint is wrapped by the error of a checkpoint that is damaged or belongs to another fit.
var ErrCheckpoint = errors.New("the checkpoint cannot be used")

// RoomError says that working files could not be made in the directory that was given for them.
type RoomError struct {
	For string // what they would hold
	Err error  // names the path
}

func (e *RoomError) Error() string { return "making room for " + e.For + ": " + e.Err.Error() }

// Unwrap returns what went wrong.
func (e *RoomError) Unwrap() error { return e.Err }
