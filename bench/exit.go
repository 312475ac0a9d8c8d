// This file decides with which code the program ends. The codes are those of anchorage.

package main

import (
	"context"
	"errors"
	"syscall"

	"anchorage/bench/internal/run"
	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/model"
	"anchorage/shard"
)

// The exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 10
	exitInput       = 11
	exitResources   = 12 // out of memory, disk or descriptors
	exitInterrupted = 13
	exitExists      = 14
)

// usageError is a command line that cannot be run.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// runError marks the errors of a command that has started, as opposed to those of its command line.
type runError struct{ err error }

func (e *runError) Error() string { return e.err.Error() }
func (e *runError) Unwrap() error { return e.err }

// keptError is an error of a command that keeps finished runs; what says so to those who interrupt it.
type keptError struct {
	what string
	err  error
}

func (e *keptError) Error() string { return e.err.Error() }
func (e *keptError) Unwrap() error { return e.err }

// exitCode returns the code for an error.
func exitCode(err error) int {
	var (
		usage     *usageError
		settings  *run.UsageError
		input     *shard.Error
		data      *corpus.DataError
		directory *model.InputError
	)
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE),
		errors.Is(err, syscall.ENOMEM):
		return exitResources
	case errors.Is(err, durable.ErrExists):
		return exitExists
	case errors.As(err, &usage), errors.As(err, &settings):
		return exitUsage
	case errors.As(err, &input), errors.As(err, &data), errors.As(err, &directory):
		return exitInput
	}
	return exitFailed
}
