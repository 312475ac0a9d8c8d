// This file decides the program's exit code.

package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/internal/checkpoint"
	"anchorage/internal/collective"
	"anchorage/internal/objects"
	"anchorage/internal/output"
	"anchorage/model"
	"anchorage/model/export"
	"anchorage/model/fit"
	"anchorage/model/steer"
	"anchorage/model/transform"
	"anchorage/rectify"
	"anchorage/shard"
	"anchorage/sketch"
	"anchorage/store"
)

// The exit codes; users' scripts depend on them.
const (
	exitDone        = 0
	exitFailed      = 1
	exitSkipped     = 3  // done, but shards were skipped
	exitUsage       = 10 // bad usage or configuration
	exitInput       = 11 // bad input
	exitResources   = 12 // out of memory budget, disk or descriptors
	exitInterrupted = 13
	exitExists      = 14 // output exists or is locked
	exitUnreported  = 15 // the output is complete, but that could not be reported or made lasting
	exitShort       = 16 // done, but the model falls short of what was required
	exitNothing     = 99 // nothing new to do
)

// usageError is an error of the command line.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// unreportedError is an error that came after the output was complete.
type unreportedError struct {
	output string
	err    error
}

func (e *unreportedError) Error() string {
	if errors.Is(e.err, model.ErrUnsynced) {
		return e.err.Error()
	}
	return fmt.Sprintf("%s is complete, but reporting that failed: %v", e.output, e.err)
}
func (e *unreportedError) Unwrap() error { return e.err }

// exitCode returns the code for an error.
func exitCode(err error) int {
	var (
		usage       *usageError
		unclear     *shard.UnclearError
		input       *shard.Error
		data        *corpus.DataError
		option      *model.OptionError
		directory   *model.InputError
		rank        *sketch.RankError
		anchorRank  *anchor.RankError
		item        *anchor.ItemError
		negative    *anchor.NegativeRowsError
		dense       *sketch.DenseError
		corrections *rectify.CorrectionsError
		spill       *rectify.SpillError
		memory      *fit.MemoryError
		times       *transform.TimeError
		unknown     *model.UnknownItemError
		form        *export.OptionError
		names       *export.ItemError
		unread      *unreadError
		driver      *objects.DriverError
		few         *fewError
		kept        *store.Error
		differs     *collective.DisagreementError
	)
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, new(*unreportedError)):
		return exitUnreported
	case errors.As(err, &unread):
		return exitCode(unread.first)
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, new(*fit.ShortError)):
		return exitShort
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EMFILE),
		errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ENOMEM), errors.As(err, &dense),
		errors.As(err, &corrections), errors.As(err, &memory), errors.As(err, &spill) && spill.Damaged, errors.As(err, new(*spaceError)):
		return exitResources
	case errors.Is(err, model.ErrExists), errors.Is(err, model.ErrLocked), errors.Is(err, model.ErrNotReplaceable):
		return exitExists
	case errors.As(err, &differs) && differs.What == comparedShards, errors.As(err, new(*collective.UnsharedError)):
		return exitInput
	case errors.As(err, &differs), errors.As(err, new(*collective.LaunchError)):
		return exitUsage
	case errors.As(err, &kept) && storeUsage[kept.Fault]:
		return exitUsage
	case errors.As(err, &rank) && rank.Rank < leastTopics, errors.As(err, &anchorRank) && anchorRank.Rank < leastTopics:
		return exitInput // no -k would do
	case errors.As(err, new(*steer.Error)), errors.As(err, new(*output.PlaceError)), errors.As(err, &usage), errors.As(err, &unclear), errors.As(err, &option), errors.As(err, &rank), errors.As(err, &anchorRank), errors.As(err, &item), errors.As(err, &negative),
		errors.As(err, &form), errors.As(err, &driver), errors.Is(err, fit.ErrUncounted):
		return exitUsage
	case errors.As(err, &input), errors.As(err, &data), errors.As(err, &directory), errors.As(err, &unknown), errors.As(err, &names),
		errors.As(err, &times), errors.As(err, new(*model.MissingTasksError)), errors.As(err, &few), errors.As(err, &kept), errors.Is(err, corpus.ErrCorrupt), errors.Is(err, fit.ErrChanged), errors.Is(err, checkpoint.ErrDamaged):
		return exitInput
	}
	return exitFailed
}
