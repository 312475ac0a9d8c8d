// This file opens compact copies, also several as one, and reads their headers, indices and footers.
// docs/format/corpus.md has the layout.

package corpus

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"sort"
)

const (
	copyMagic   = "ANCHCORP"
	copyVersion = 1
	copyEnd     = "CORPDONE"

	headerSize = 16 // magic, version, zero
	footerSize = 52 // five totals, checksum, end mark
)

// castagnoli is the polynomial of all checksums in the copy. Processors have an instruction for it.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrCorrupt reports a compact copy that is truncated or damaged, or a file that is not a compact copy. Errors wrap it.
// The copy can be deleted and written again.
var ErrCorrupt = errors.New("the copy of the documents is damaged")

// totals are the figures of the whole file, from its footer.
type totals struct {
	blocks    int64
	documents int64
	entries   int64
	tokens    int64
	items     int64 // 1 + the greatest item index
}

// copyHeader returns the header.
func copyHeader() []byte {
	return append(binary.LittleEndian.AppendUint32([]byte(copyMagic), copyVersion), 0, 0, 0, 0)
}

// copyFooter returns the index, which holds the size of each block, and the footer.
func copyFooter(sizes []uint32, t totals) (b []byte) {
	for _, size := range sizes {
		b = binary.LittleEndian.AppendUint32(b, size)
	}
	for _, total := range []int64{t.blocks, t.documents, t.entries, t.tokens, t.items} {
		b = binary.LittleEndian.AppendUint64(b, uint64(total))
	}
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	return append(b, copyEnd...)
}

// Copy is a compact copy of documents, open for reading. Several goroutines may use it at once.
type Copy struct {
	name    string // for messages: its path
	data    io.ReaderAt
	size    int64
	close   func() error
	totals  totals
	offsets []int64 // where each block begins, then where the index begins

	parts  []*Copy // nil except for joined copies, which have no bytes themselves
	starts []int   // the number of the first block of each part, then that of all blocks
}

// OpenCopy opens the compact copy at path. If the file is damaged, the error wraps ErrCorrupt, names the file and says
// what is wrong.
func OpenCopy(path string) (*Copy, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	return copyIn(path, file, info, file.Close)
}

// copyIn opens the compact copy in a file of which info is known. close closes what it was read from, also if that
// fails.
func copyIn(path string, data io.ReaderAt, info os.FileInfo, close func() error) (_ *Copy, err error) {
	c := &Copy{name: path, data: data, size: info.Size(), close: close}
	if !info.Mode().IsRegular() {
		err = c.corrupt("it is not a file")
	} else {
		err = c.open()
	}
	if err != nil {
		close()
		return nil, err
	}
	return c, nil
}

// openMemory opens a compact copy that is held in memory.
func openMemory(data []byte) (*Copy, error) {
	c := &Copy{name: "the copy in memory", data: bytes.NewReader(data), size: int64(len(data)),
		close: func() error { return nil }}
	return c, c.open()
}

// Documents returns the number of documents.
func (c *Copy) Documents() int64 { return c.totals.documents }

// Entries returns the number of entries of all documents.
func (c *Copy) Entries() int64 { return c.totals.entries }

// Tokens returns the sum of all counts.
func (c *Copy) Tokens() int64 { return c.totals.tokens }

// Items returns 1 + the greatest item index, or 0 if there are no entries.
func (c *Copy) Items() int { return int(c.totals.items) }

// Close closes the file.
func (c *Copy) Close() error { return c.close() }

// open reads header, index and footer. It allocates no more than the file is large enough to hold.
func (c *Copy) open() error {
	if c.size < headerSize+footerSize {
		return c.corrupt("it is too short")
	}
	header := make([]byte, headerSize)
	if err := c.readAt(header, 0); err != nil {
		return err
	}
	if !bytes.Equal(header, copyHeader()) {
		if string(header[:len(copyMagic)]) == copyMagic {
			return c.corrupt("it has version %d; this program reads version %d",
				binary.LittleEndian.Uint32(header[8:]), copyVersion)
		}
		return c.corrupt("it does not begin with %s", copyMagic)
	}
	footer := make([]byte, footerSize)
	if err := c.readAt(footer, c.size-footerSize); err != nil {
		return err
	}
	if string(footer[footerSize-len(copyEnd):]) != copyEnd {
		return c.corrupt("its end is missing")
	}
	blocks := binary.LittleEndian.Uint64(footer)
	if blocks > uint64(c.size-headerSize-footerSize)/(blockHeaderSize+4) {
		return c.corrupt("it is too short for %d blocks", blocks)
	}
	index := make([]byte, 4*blocks+footerSize)
	if err := c.readAt(index, c.size-int64(len(index))); err != nil {
		return err
	}
	return c.parseIndex(index, c.size)
}

// parseIndex sets totals and offsets from the index and the footer, which are the last bytes of a file of the given
// size.
func (c *Copy) parseIndex(index []byte, size int64) error {
	sums := len(index) - len(copyEnd) - 4
	if crc32.Checksum(index[:sums], castagnoli) != binary.LittleEndian.Uint32(index[sums:]) {
		return c.corrupt("the checksum of its index is wrong")
	}
	footer := index[len(index)-footerSize:]
	t := &c.totals
	for i, total := range []*int64{&t.blocks, &t.documents, &t.entries, &t.tokens, &t.items} {
		value := binary.LittleEndian.Uint64(footer[8*i:])
		if value > math.MaxInt64 {
			return c.corrupt("it claims a total of %d", value)
		}
		*total = int64(value)
	}
	if c.totals.items > math.MaxInt32+1 {
		return c.corrupt("it claims %d items", c.totals.items)
	}
	offset := int64(headerSize)
	c.offsets = append(make([]int64, 0, c.totals.blocks+1), offset)
	for i := range c.totals.blocks {
		offset += int64(binary.LittleEndian.Uint32(index[4*i:]))
		c.offsets = append(c.offsets, offset)
	}
	if offset+int64(len(index)) != size {
		return c.corrupt("its blocks do not add up to its size")
	}
	return nil
}

// readAt fills b from the file. The file was long enough when it was opened; it may have been truncated since.
func (c *Copy) readAt(b []byte, offset int64) error {
	_, err := c.data.ReadAt(b, offset)
	if err == io.EOF {
		return c.corrupt("it became shorter while being read")
	}
	return err
}

// corrupt returns an error that wraps ErrCorrupt.
func (c *Copy) corrupt(format string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", c.name, ErrCorrupt, fmt.Sprintf(format, args...))
}

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
