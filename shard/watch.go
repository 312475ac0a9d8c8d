// This file gives the decoding of each batch a time limit.

package shard

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// maxDecode is how long the decoding of one batch may take, without the time spent waiting for input. The usual time
	// is some milliseconds.
	maxDecode = 10 * time.Second
	// decodePerByte is the time granted in addition for each byte read: a table is sorted whole before its first batch.
	decodePerByte = time.Microsecond
)

// errSlow says that a decoder makes no progress.
var errSlow = fmt.Errorf("the decoding of a batch takes more than %v: the data are malformed or hostile", maxDecode)

// watch is what a reader asks, between pages and between blocks of lines, whether it may go on. These are of bounded size,
// so a decoder that makes no progress is noticed. It belongs to one goroutine.
type watch struct {
	ctx   context.Context
	spent time.Duration
	last  time.Time
}

// newWatch returns a watch over work that ends with ctx. The time of the first batch begins.
func newWatch(ctx context.Context) *watch { return &watch{ctx: ctx, last: time.Now()} }

// context returns the context of the work.
func (w *watch) context() context.Context { return w.ctx }

// begin starts the time of a batch.
func (w *watch) begin() { w.spent, w.last = 0, time.Now() }

// check returns why the work must end: the error of the context, or errSlow; nil if it may go on.
func (w *watch) check() error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	w.tally()
	if w.spent > maxDecode {
		return errSlow
	}
	return nil
}

// ended reports whether err comes from the context and so says nothing about the data.
func (w *watch) ended(err error) bool { return w.ctx.Err() != nil && errors.Is(err, w.ctx.Err()) }

// tally adds the time since the last call, at most a second: a process that was stopped must not count as slow.
func (w *watch) tally() {
	now := time.Now()
	w.spent += min(now.Sub(w.last), time.Second)
	w.last = now
}

// open opens an object. Waiting for its bytes does not count as decoding.
func (w *watch) open(o object) (source, error) {
	source, err := o.open(w.ctx)
	if err != nil {
		return nil, err
	}
	return watchedSource{source, w}, nil
}

// openText opens a text, and decompresses it. Waiting for its bytes does not count as decoding.
func (w *watch) openText(o object) (*textStream, error) {
	source, err := w.open(o)
	if err != nil {
		return nil, err
	}
	return textOf(source, o.path)
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
