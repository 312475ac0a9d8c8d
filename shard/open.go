// This file is between readers and their callers: a panic becomes an error, and decoding has a time limit.

package shard

import (
	"context"
	"io"

	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/reading"
)

// Reader yields the documents of one part of a shard, in order.
type Reader interface {
	// Next fills batch with the documents that follow, at least one unless rows were left out, and returns io.EOF when
	// nothing is left. After any other error, which is an *Error for bad input, the reader cannot be used further.
	Next(batch *Batch) error
	// Taken returns about how many bytes of the file the documents so far took, as they are on disk.
	Taken() int64
	// Close releases what the reader holds. It may be called more than once.
	Close() error
}

// Open returns a reader of the part. Once ctx is done, its Next returns ctx.Err(). Any other error is an *Error.
func Open(ctx context.Context, part Part) (Reader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if part.part.Open == nil {
		panic("shard: part that Parts did not return")
	}
	r := &partReader{watch: access.NewWatch(ctx), path: part.Shard.Path}
	err := fault.Guard(func() (err error) {
		r.reader, err = part.part.Open(r.watch)
		return err
	})
	if err != nil {
		return nil, fault.In(ctx, r.path, err)
	}
	return r, nil
}

// partReader is the Reader of a part, whatever its format.
type partReader struct {
	reader reading.Reader
	watch  *access.Watch
	path   string
}

func (r *partReader) Next(batch *Batch) error {
	r.watch.Begin()
	err := fault.Guard(func() error { return r.reader.Next(batch) })
	if err == io.EOF {
		return err
	}
	return fault.In(r.watch.Context(), r.path, err)
}

func (r *partReader) Taken() int64 {
	bytes := float64(r.watch.Bytes())
	if ahead, ok := r.reader.(reading.Ahead); ok {
		bytes *= 1 - ahead.Ahead()
	}
	return int64(bytes)
}

func (r *partReader) Close() error { return r.reader.Close() }
