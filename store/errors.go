// This file defines the errors about stores.

package store

import (
	"errors"
	"fmt"

	"anchorage/internal/durable"
)

// Fault is the kind of fault of a store, or of what it was asked.
type Fault int

// The faults that callers distinguish.
const (
	OtherFault   Fault = iota
	NotAStore          // nothing at the path, or something else
	Damaged            // a file is not what was written
	Undated            // a window is asked for, and a shard has no date
	NoMatch            // no shard has the name that is to be removed
	NoGeneration       // the store has no such generation
	Outdated           // another run has updated the store meanwhile
	Unnamed            // a shard has no name to be known by
	Emptied            // a given shard is so late that all shards of the store would leave the window
	BadDate            // a date, a pattern of dates or a span of days is malformed
	Dangling           // the path is a link that leads to nothing, or its folder does not exist
)

// Error reports that a store cannot do what it was asked.
type Error struct {
	Path   string // of the store, the file in it, or the shard
	Reason string
	Fault  Fault
	Err    error // the cause; may be nil
}

// Error names the path and what is wrong with it.
func (e *Error) Error() string { return e.Path + " " + e.Reason }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// overtaken returns what it means that an output of a store was there, or held: another run is updating the store.
// Other errors stay.
func overtaken(path string, err error) error {
	if !errors.Is(err, durable.ErrExists) && !errors.Is(err, durable.ErrLocked) {
		return err
	}
	return &Error{Path: path, Fault: Outdated, Reason: "is being updated by another run",
		Err: fmt.Errorf("%w: %w", durable.ErrLocked, err)}
}

// damaged returns an *Error about a file that is not what was written.
func damaged(path, format string, args ...any) error {
	return &Error{Path: path, Fault: Damaged, Reason: "is damaged: " + fmt.Sprintf(format, args...)}
}

// otherLayout returns an *Error about a layout that this program does not read.
func otherLayout(path string, layout int) error {
	return &Error{Path: path,
		Reason: fmt.Sprintf("has layout %d, but this program reads layout %d", layout, layoutVersion)}
}
