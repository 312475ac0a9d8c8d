// This file reads files of text as one part.

package shard

import (
	"context"
	"io"
)

// wholeFile makes the whole of a file of text one part, which open opens.
func wholeFile(open func(*watch, input) (Reader, error)) func(context.Context, input) ([]part, error) {
	return func(_ context.Context, in input) ([]part, error) {
		return []part{{Rows: -1, Bytes: in.size, Floor: in.floorText,
			Open: func(w *watch) (Reader, error) { return open(w, in) }}}, nil
	}
}

// floorText reads and decompresses the text.
func (in input) floorText(ctx context.Context) (int64, error) {
	text, err := openText(ctx, in.object)
	if err != nil {
		return 0, err
	}
	defer text.Close()
	n, err := discard(text)
	return n, fileError(in.path, err)
}

// floorBytes reads the bytes of the file as they are.
func (in input) floorBytes(ctx context.Context) (int64, error) {
	file, err := in.stream(ctx)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	return discard(file)
}

// discard reads to the end, in pieces as large as those of the readers.
func discard(r io.Reader) (int64, error) {
	return io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{r}, make([]byte, 256<<10))
}
