// This file stands between readers and their callers: a panic becomes an error, and decoding has a time limit.

package shard

import (
	"context"
	"io"
)

// Open returns a reader of the part. Once ctx is done, its Next returns ctx.Err(). Any other error is an *Error.
func Open(ctx context.Context, part Part) (Reader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &partReader{watch: newWatch(ctx), path: part.Shard.Path}
	err := guard(func() (err error) {
		r.reader, err = part.part.Open(r.watch)
		return err
	})
	if err != nil {
		return nil, r.fail(err)
	}
	return r, nil
}

// partReader is the Reader of a part, whatever its format.
type partReader struct {
	reader Reader
	watch  *watch
	path   string
}

// Next implements Reader.
func (r *partReader) Next(batch *Batch) error {
	r.watch.begin()
	err := guard(func() error { return r.reader.Next(batch) })
	if err == nil || err == io.EOF {
		return err
	}
	return r.fail(err)
}

// fail makes an error of a reader one of this package.
func (r *partReader) fail(err error) error {
	if r.watch.ended(err) {
		return err
	}
	return publicError(r.path, err)
}

// Close implements Reader.
func (r *partReader) Close() error { return r.reader.Close() }
