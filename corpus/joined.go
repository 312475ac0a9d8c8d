// This file joins several compact copies to one.

package corpus

import (
	"errors"
	"os"
	"sort"
)

// Join returns the copies as one: the documents of the first, then those of the second, and so on. Items keep their
// numbers, which must mean the same in all of them. Closing the result closes them all.
func Join(copies []*Copy) *Copy {
	joined := &Copy{name: "the joined copies", parts: copies, starts: make([]int, len(copies)+1)}
	joined.close = func() error {
		var all error
		for _, c := range copies {
			all = errors.Join(all, c.Close())
		}
		return all
	}
	t := &joined.totals
	for i, c := range copies {
		t.blocks += c.totals.blocks
		t.documents += c.totals.documents
		t.entries += c.totals.entries
		t.tokens += c.totals.tokens
		t.items = max(t.items, c.totals.items)
		joined.starts[i+1] = int(t.blocks)
	}
	return joined
}

// block returns the copy that holds a block, and the number of the block in it.
func (c *Copy) block(number int) (*Copy, int) {
	if c.parts == nil {
		return c, number
	}
	at := sort.SearchInts(c.starts, number+1) - 1
	return c.parts[at], number - c.starts[at]
}

// OpenCopyAt is OpenCopy for one of many copies: the file is opened again for every block that is read, so that the
// number of copies is not limited by that of open files.
func OpenCopyAt(path string) (*Copy, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	return copyIn(path, reopened(path), info, func() error { return nil })
}

// reopened is a file that is opened for every reading.
type reopened string

// ReadAt implements io.ReaderAt.
func (r reopened) ReadAt(b []byte, offset int64) (int, error) {
	file, err := os.Open(string(r))
	if err != nil {
		return 0, err
	}
	defer file.Close()
	return file.ReadAt(b, offset)
}
