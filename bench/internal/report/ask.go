// This file has runs made by processes of their own, which take an order and answer with a record.

package report

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Answer is what a process that makes a run writes on its standard output, in the encoding of gob, which has NaN.
type Answer[R any] struct {
	Record R
	Absent string // why the other program cannot run here; the record then means nothing
}

// AbsentError says that another program is not installed.
type AbsentError struct{ Reason string }

// Error returns the reason.
func (e *AbsentError) Error() string { return e.Reason }

// Ask starts a process, gives it an order as JSON on its standard input, and returns its answer, as Reply writes it. Whatever ends the
// process is a failure of the run, and so is the end of the limit, unless that is 0. The error is that of ctx, or says that no process
// can be started or that it is of another kind.
func Ask[A any](ctx context.Context, command []string, limit time.Duration, order any, stderr io.Writer) (answer *A, failure string, err error) {
	text, err := json.Marshal(order)
	if err != nil {
		return nil, "", err
	}
	limited := ctx
	if limit > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	var stdout bytes.Buffer
	ended, err := RunProcess(limited, command, bytes.NewReader(text), &stdout, stderr)
	switch {
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case limited.Err() != nil: // perhaps before the process was started
		return nil, fmt.Sprintf("it takes longer than %v", limit), nil
	case err != nil:
		return nil, "", err
	case ended.Failure != "":
		return nil, ended.Failure, nil
	}
	answer = new(A) // gob leaves out zeros
	if err := gob.NewDecoder(&stdout).Decode(answer); err != nil {
		return nil, "", fmt.Errorf("%s did not answer with a record: %w", command[0], err)
	}
	return answer, "", nil
}

// Reply writes the answer of a run that has ended with err. The record's failure, which is pointed to, becomes the text of err, without
// what hide replaces: results do not name the folders of a machine. The error is that of ctx, or of writing.
func Reply[R any](ctx context.Context, out io.Writer, record *R, failure *string, err error, hide *strings.Replacer) error {
	var answer Answer[R]
	var absent *AbsentError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &absent):
		answer.Absent = absent.Reason
	case err != nil:
		*failure = hide.Replace(err.Error())
	}
	answer.Record = *record
	return gob.NewEncoder(out).Encode(answer)
}

// Again says which runs of a grid are made again although they have a record.
type Again string

// The runs that are made again: none; those that failed; all.
const (
	AgainNone   Again = "none"
	AgainFailed Again = "failed"
	AgainAll    Again = "all"
)

// Check returns an error, which names the flag, unless a is empty or one of the above.
func (a Again) Check() error {
	switch a {
	case "", AgainNone, AgainFailed, AgainAll:
		return nil
	}
	return fmt.Errorf("--again is %q: it must be none, failed or all", a)
}

// Wants says whether to make a run again that has a record, of a failure or not.
func (a Again) Wants(failed bool) bool { return a == AgainAll || a == AgainFailed && failed }
