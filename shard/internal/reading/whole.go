// This file reads files of text as one part.

package reading

import (
	"context"

	"anchorage/shard/internal/access"
)

// Whole makes the whole of a file of text one part, which open opens.
func Whole(open func(*access.Watch, Shard) (Reader, error)) func(context.Context, Shard) ([]Part, error) {
	return func(_ context.Context, in Shard) ([]Part, error) {
		return []Part{{Rows: -1, Bytes: in.Size, Open: func(w *access.Watch) (Reader, error) { return open(w, in) }}}, nil
	}
}
