// This file reads files of text as one part.

package reading

import (
	"context"
	"io"

	"anchorage/shard/internal/access"
	"anchorage/shard/internal/fault"
)

// Whole makes the whole of a file of text one part, which open opens.
func Whole(open func(*access.Watch, Shard) (Reader, error)) func(context.Context, Shard) ([]Part, error) {
	return func(_ context.Context, in Shard) ([]Part, error) {
		return []Part{{Rows: -1, Bytes: in.Size, Floor: in.floorText,
			Open: func(w *access.Watch) (Reader, error) { return open(w, in) }}}, nil
	}
}

// floorText reads and decompresses the text.
func (in Shard) floorText(ctx context.Context) (int64, error) {
	text, err := access.OpenText(ctx, in.Object)
	if err != nil {
		return 0, err
	}
	defer text.Close()
	n, err := discard(text)
	return n, fault.InFile(in.Path, err)
}

// FloorBytes reads the bytes of the file as they are.
func (in Shard) FloorBytes(ctx context.Context) (int64, error) {
	file, err := in.Stream(ctx)
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
