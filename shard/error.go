// This file holds the error of bad input.

package shard

import (
	"errors"

	"anchorage/shard/internal/fault"
)

// Error is bad input: a shard that cannot be read, or holds what no document may hold. It says where, and Err says
// what.
type Error struct {
	Path   string
	Row    int64  // row or line within the shard, from 1; 0 where it is not known
	Group  int    // Parquet row group, from 1; 0 without one
	Column string // column name; empty without one
	Err    error
}

// Error returns one line: the place, then what is wrong with it.
func (e *Error) Error() string { return (*fault.Error)(e).Error() }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// inFile returns err as an *Error about the file at path, unless it is already one; nil stays nil.
func inFile(path string, err error) error { return AsError(fault.InFile(path, err)) }

// AsError returns an error of the internal packages below as an *Error; any other stays as it is.
func AsError(err error) error {
	if place, ok := err.(*fault.Error); ok {
		return (*Error)(place)
	}
	var known *Error
	var place *fault.Error
	if errors.As(err, &known) || !errors.As(err, &place) {
		return err
	}
	return &Error{Path: place.Path, Row: place.Row, Group: place.Group, Column: place.Column, Err: err}
}
