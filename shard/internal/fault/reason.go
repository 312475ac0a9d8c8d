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
	CountsWithin            // the counts are in the column of the items, and another was asked for
	CountsMissing           // a document has no counts although the first one had
	DocumentsUnclear        // more than one column, or none, may hold the documents
	DocumentsUnfit          // the column asked for does not exist or does not hold ids
	Scattered               // the rows of a document are not adjacent
	StringItems             // a string is in the place of a list of items
	SortMemory              // too little memory to sort in
	SortSpace               // no room on disk to sort in
	CountNegative           // a count is below 0
	CountZero               // a count is 0
	CountFraction           // a count is not a whole number
	CountEmpty              // a count is missing
	BadRows                 // more bad rows than may be left out
	Drift                   // a shard is not read like those before it
	NotDocuments            // a file given by name is not one of documents
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

// BadRow is an error of a single row, after which reading can continue.
type BadRow struct{ Err error }

// Error returns what Err says.
func (b *BadRow) Error() string { return b.Err.Error() }

// Unwrap returns Err.
func (b *BadRow) Unwrap() error { return b.Err }

// InRow returns an error of a single row.
func InRow(err error) error { return &BadRow{err} }

// Whole returns err as an error after which reading cannot continue.
func Whole(err error) error {
	if IsRow(err) {
		return errors.New(err.Error())
	}
	return err
}

// IsRow reports whether an error is one of a single row.
func IsRow(err error) bool {
	var row *BadRow
	return errors.As(err, &row)
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
