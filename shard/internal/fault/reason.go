// This file says what kind of advice an error calls for.

package fault

import (
	"errors"
	"fmt"
)

// Reason says which choice of the caller would help against an error.
type Reason int

// The reasons.
const (
	Unspecified      Reason = iota
	ItemsUnclear            // more than one column, or none, may hold the items
	ItemsUnfit              // the column asked for does not exist or does not hold items
	ItemsMissing            // no column holds the items of a document
	CountsUnclear           // a column may hold counts or not
	CountsUnfit             // the column asked for does not exist or does not hold counts
	CountsWithin            // the counts stand in the column of the items, and another was asked for
	CountsMissing           // a document has no counts although the first one had
	DocumentsUnclear        // more than one column, or none, may hold the documents
	DocumentsUnfit          // the column asked for does not exist or does not hold ids
	Scattered               // the rows of a document are not adjacent
	StringItems             // a string stands where a list of items should
	SortMemory              // too little memory to sort in
	SortSpace               // no room on disk to sort in
	DecoderFailed           // a panic of the decoder: the data are malformed in a way that it did not foresee
)

// Cause is an error with its reason.
type Cause struct {
	Reason Reason
	Err    error
}

// Error returns what Err says.
func (c *Cause) Error() string { return c.Err.Error() }

// Unwrap returns Err.
func (c *Cause) Unwrap() error { return c.Err }

// Because returns an error with a reason. The rest is as in fmt.Errorf.
func Because(reason Reason, format string, args ...any) error {
	return &Cause{reason, fmt.Errorf(format, args...)}
}

// ReasonOf returns the reason of an error; Unspecified if it has none.
func ReasonOf(err error) Reason {
	var cause *Cause
	if errors.As(err, &cause) {
		return cause.Reason
	}
	var recovered *Recovered
	if errors.As(err, &recovered) {
		return DecoderFailed
	}
	return Unspecified
}
