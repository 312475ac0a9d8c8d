// This file ends copying when a context ends.

package durable

import (
	"context"
	"io"
)

// ReadUntil returns a reader that fails once its context is done.
func ReadUntil(ctx context.Context, from io.Reader) io.Reader { return until(ctx, from.Read) }

// WriteUntil returns a writer that fails once its context is done.
func WriteUntil(ctx context.Context, to io.Writer) io.Writer { return until(ctx, to.Write) }

func until(ctx context.Context, do interruptible) interruptible {
	return func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return do(p)
	}
}

// interruptible is the one method of a reader or a writer.
type interruptible func(p []byte) (int, error)

func (i interruptible) Read(p []byte) (int, error)  { return i(p) }
func (i interruptible) Write(p []byte) (int, error) { return i(p) }
