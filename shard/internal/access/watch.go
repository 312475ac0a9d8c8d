// This file gives the decoding of each batch a time limit.

package access

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"anchorage/shard/fault"
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

// Watch is what a reader asks, between pages and between blocks of lines, whether it may continue. These are of bounded
// size, so a decoder that makes no progress is noticed. It belongs to one goroutine.
type Watch struct {
	ctx   context.Context
	spent time.Duration
	last  time.Time
	bytes int64 // read through the watch
}

// Bytes returns how many bytes were read through the watch.
func (w *Watch) Bytes() int64 { return w.bytes }

// NewWatch returns a watch over work that ends with ctx. The time of the first batch begins.
func NewWatch(ctx context.Context) *Watch { return &Watch{ctx: ctx, last: time.Now()} }

// Context returns the context of the work.
func (w *Watch) Context() context.Context { return w.ctx }

// Begin starts the time of a batch.
func (w *Watch) Begin() { w.spent, w.last = 0, time.Now() }

// Check returns why the work must end: the error of the context, or errSlow; nil if it may continue.
func (w *Watch) Check() error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	w.tally()
	if w.spent > maxDecode {
		return errSlow
	}
	return nil
}

// Ended reports whether err comes from the context and so says nothing about the data.
func (w *Watch) Ended(err error) bool { return w.ctx.Err() != nil && errors.Is(err, w.ctx.Err()) }

// At returns err as an error about a place in the file at path, unless it has a place or comes from the context.
func (w *Watch) At(place fault.Error, path string, err error) error {
	switch placed, is := errors.AsType[*fault.Error](err); {
	case is:
		placed.Path = cmp.Or(placed.Path, path)
		return err
	case w.Ended(err):
		return err
	}
	place.Path, place.Err = path, err
	return &place
}

// tally adds the time since the last call, at most a second: a process that was stopped must not count as slow.
func (w *Watch) tally() {
	now := time.Now()
	w.spent += min(now.Sub(w.last), time.Second)
	w.last = now
}

// Open opens an object, which may be closed more than once. Waiting for its bytes does not count as decoding.
func (w *Watch) Open(o Object) (Source, error) {
	source, err := o.Open(w.ctx)
	if err != nil {
		return nil, err
	}
	return &watchedSource{Source: source, watch: w}, nil
}

// OpenText opens a text, and decompresses it. Waiting for its bytes does not count as decoding.
func (w *Watch) OpenText(o Object) (*Text, error) {
	stream, err := o.Stream(w.ctx)
	if err != nil {
		return nil, err
	}
	return o.text(watchedStream{stream, w}, false)
}

// watchedStream leaves the time of reading out of the time of decoding.
type watchedStream struct {
	io.ReadCloser
	watch *Watch
}

func (s watchedStream) Read(p []byte) (int, error) {
	return s.watch.reading(func() (int, error) { return s.ReadCloser.Read(p) })
}

// watchedSource leaves the time of reading out of the time of decoding.
type watchedSource struct {
	Source
	watch  *Watch
	closed bool
}

func (s *watchedSource) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	return s.Source.Close()
}

func (s *watchedSource) ReadAt(p []byte, offset int64) (int, error) {
	return s.watch.reading(func() (int, error) { return s.Source.ReadAt(p, offset) })
}

// reading calls read, which returns how many bytes it read, and takes its time for that of reading.
func (w *Watch) reading(read func() (int, error)) (int, error) {
	w.tally()
	n, err := read()
	w.bytes += int64(n)
	w.last = time.Now()
	w.spent -= time.Duration(n) * decodePerByte
	return n, err
}
