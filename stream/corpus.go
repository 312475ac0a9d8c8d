// This file holds the corpus cache apart from its blocks: header, index and footer. The layout is
// docs/format/corpus.md.

package stream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
)

const (
	corpusMagic   = "ANCHCORP"
	corpusVersion = 1
	corpusEnd     = "CORPDONE"

	headerSize = 16 // magic, version, zero
	footerSize = 52 // five totals, checksum, end mark
)

// castagnoli is the polynomial of all checksums of the cache: processors have an instruction for it.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrCorrupt is in the error of a corpus cache that is cut off, damaged, or none at all. It can be deleted and made anew.
var ErrCorrupt = errors.New("the corpus cache is damaged")

// totals is what the footer says of the whole file.
type totals struct {
	blocks    int64
	documents int64
	entries   int64
	tokens    int64
	items     int64 // 1 more than the greatest item index
}

// appendHeader appends the header.
func appendHeader(b []byte) []byte {
	b = append(b, corpusMagic...)
	b = binary.LittleEndian.AppendUint32(b, corpusVersion)
	return append(b, 0, 0, 0, 0)
}

// appendFooter appends the index, which is the size of each block, and the footer.
func appendFooter(b []byte, sizes []uint32, t totals) []byte {
	start := len(b)
	for _, size := range sizes {
		b = binary.LittleEndian.AppendUint32(b, size)
	}
	for _, total := range []int64{t.blocks, t.documents, t.entries, t.tokens, t.items} {
		b = binary.LittleEndian.AppendUint64(b, uint64(total))
	}
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
	return append(b, corpusEnd...)
}

// Corpus is a corpus cache open for reading. Several goroutines may use it at once.
type Corpus struct {
	path    string
	file    *os.File
	totals  totals
	offsets []int64 // of each block in the file, then of the index
}

// OpenCorpus opens the corpus cache at path. An error that ErrCorrupt is in names the file and says what is wrong.
func OpenCorpus(path string) (*Corpus, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	c := &Corpus{path: path, file: file}
	if err := c.open(); err != nil {
		file.Close()
		return nil, err
	}
	return c, nil
}

// Documents returns the number of documents.
func (c *Corpus) Documents() int64 { return c.totals.documents }

// Entries returns the number of entries of all documents.
func (c *Corpus) Entries() int64 { return c.totals.entries }

// Tokens returns the sum of all counts.
func (c *Corpus) Tokens() int64 { return c.totals.tokens }

// Items returns 1 more than the greatest item index, 0 where there are no entries.
func (c *Corpus) Items() int { return int(c.totals.items) }

// Close closes the file.
func (c *Corpus) Close() error { return c.file.Close() }

// open reads header, index and footer. Nothing is allocated that the file is not large enough for.
func (c *Corpus) open() error {
	info, err := c.file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() < headerSize+footerSize {
		return c.corrupt("it is too short for one, or no file at all")
	}
	header := make([]byte, headerSize)
	if err := c.readAt(header, 0); err != nil {
		return err
	}
	if string(header) != string(appendHeader(nil)) {
		if string(header[:len(corpusMagic)]) == corpusMagic {
			return c.corrupt("its version is %d, and %d is what can be read", binary.LittleEndian.Uint32(header[8:]), corpusVersion)
		}
		return c.corrupt("it does not begin like one")
	}
	footer := make([]byte, footerSize)
	if err := c.readAt(footer, info.Size()-footerSize); err != nil {
		return err
	}
	if string(footer[footerSize-len(corpusEnd):]) != corpusEnd {
		return c.corrupt("its end is missing")
	}
	blocks := binary.LittleEndian.Uint64(footer)
	if blocks > uint64(info.Size()-headerSize-footerSize)/(blockHeaderSize+4) {
		return c.corrupt("it is too short for %d blocks", blocks)
	}
	index := make([]byte, 4*blocks+footerSize)
	if err := c.readAt(index, info.Size()-int64(len(index))); err != nil {
		return err
	}
	return c.parseIndex(index, info.Size())
}

// parseIndex takes totals and offsets from index and footer, which end a file of the given size.
func (c *Corpus) parseIndex(index []byte, size int64) error {
	sums := len(index) - len(corpusEnd) - 4
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

// readAt fills b from the file. The file is known to be long enough, unless it was cut off meanwhile.
func (c *Corpus) readAt(b []byte, offset int64) error {
	_, err := c.file.ReadAt(b, offset)
	if err == io.EOF {
		return c.corrupt("it became shorter while being read")
	}
	return err
}

// corrupt returns an error that ErrCorrupt is in.
func (c *Corpus) corrupt(format string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", c.path, ErrCorrupt, fmt.Sprintf(format, args...))
}
