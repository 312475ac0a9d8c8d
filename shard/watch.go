// This file stands between readers and their callers: a panic becomes an error, and decoding has a time limit.

package shard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

const (
	// maxDecode is how long the decoding of one batch may take, without the time for which input is waited for. The usual
	// time is some milliseconds.
	maxDecode = 10 * time.Second
	// decodePerByte is how much longer it may take for each byte that is read: a table has to be sorted whole before its
	// first batch.
	decodePerByte = time.Microsecond
)

var errSlow = fmt.Errorf("the decoding of a batch takes more than %v: the data are malformed or hostile", maxDecode)

// watch is the context of a reader. Readers ask for its error between pages and between blocks of lines, which are of
// bounded size, so that it notices a decoder that makes no progress.
type watch struct {
	context.Context
	spent time.Duration
	last  time.Time
}

// begin starts the time of a batch.
func (w *watch) begin() { w.spent, w.last = 0, time.Now() }

// Err implements context.Context.
func (w *watch) Err() error {
	if err := w.Context.Err(); err != nil {
		return err
	}
	w.tally()
	if w.spent > maxDecode {
		return errSlow
	}
	return nil
}

// tally counts the time since it was last called, but not that in which the whole process was stopped.
func (w *watch) tally() {
	now := time.Now()
	w.spent += min(now.Sub(w.last), time.Second)
	w.last = now
}

// watchedSource leaves the time of reading out of the time of decoding.
type watchedSource struct {
	source
	watch *watch
}

// ReadAt implements io.ReaderAt.
func (s watchedSource) ReadAt(p []byte, offset int64) (int, error) {
	s.watch.tally()
	n, err := s.source.ReadAt(p, offset)
	s.watch.last = time.Now()
	s.watch.spent -= time.Duration(n) * decodePerByte
	return n, err
}

// watchedReader is a reader under a watch.
type watchedReader struct {
	Reader
	watch *watch
	path  string
}

// openWatched opens a part by open and puts the reader under a watch.
func openWatched(ctx context.Context, part Part, open func(context.Context, Part) (Reader, error)) (Reader, error) {
	w := &watchedReader{watch: &watch{Context: ctx}, path: part.Shard.Path}
	w.watch.begin()
	err := guard(func() (err error) {
		w.Reader, err = open(w.watch, part)
		return err
	})
	if err != nil {
		return nil, w.place(err)
	}
	return w, nil
}

// Next implements Reader.
func (w *watchedReader) Next(batch *Batch) error {
	w.watch.begin()
	err := guard(func() error { return w.Reader.Next(batch) })
	if err == nil || err == io.EOF {
		return err
	}
	return w.place(err)
}

// place makes the errors that have come about here errors of the shard.
func (w *watchedReader) place(err error) error {
	var known *Error
	var recovered *Recovered
	if !errors.As(err, &known) && (errors.Is(err, errSlow) || errors.As(err, &recovered)) {
		return &Error{Path: w.path, Err: err}
	}
	return err
}
