// This file says whether a run of variational inference may begin, given the checkpoint that lies at its path.

package model

import (
	"errors"
	"io/fs"
	"os"

	"anchorage/checkpoint"
)

// UnfinishedError and InterruptedError are those of package checkpoint.
type (
	UnfinishedError  = checkpoint.UnfinishedError
	InterruptedError = checkpoint.InterruptedError
)

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
		return &UnfinishedError{Checkpoint: o.Checkpoint}
	}
	return nil
}

func noCheckpoint(path string) error {
	return &InputError{Path: path, Fault: NoCheckpoint, Reason: "does not exist: there is nothing to resume"}
}
