// This file says whether a run of variational inference may begin, given the checkpoint that lies at its path.

package model

import (
	"errors"
	"io/fs"
	"os"
)

// UnfinishedError reports that the checkpoint of another run exists where a run is to begin anew. It wraps ErrExists.
type UnfinishedError struct{ Checkpoint string }

// Error names the checkpoint.
func (e *UnfinishedError) Error() string {
	return e.Checkpoint + " is the checkpoint of an unfinished run"
}

// Unwrap returns ErrExists.
func (e *UnfinishedError) Unwrap() error { return ErrExists }

// CheckCheckpoint returns an *InputError if Resume is set and there is no checkpoint, and an *UnfinishedError if there is one and neither
// Resume nor Restart is set. Bayes checks this itself; programs can do it before they open the documents.
func (o *BayesOptions) CheckCheckpoint() error {
	if o.Checkpoint == "" {
		return nil
	}
	_, err := os.Lstat(o.Checkpoint)
	switch missing := errors.Is(err, fs.ErrNotExist); {
	case missing && o.Resume:
		return noCheckpoint(o.Checkpoint)
	case err != nil && !missing:
		return err
	case err == nil && !o.Resume && !o.Restart:
		return &UnfinishedError{o.Checkpoint}
	}
	return nil
}

func noCheckpoint(path string) error {
	return &InputError{Path: path, Fault: NoCheckpoint, Reason: "does not exist: there is nothing to resume"}
}
