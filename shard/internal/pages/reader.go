// This file reads the pages of a Parquet column chunk. It replaces Arrow's page and column readers, which allocate what
// a page header promises, decompress without limit, run forever over levels that end too early, and spend more time on
// levels than on values. Here sizes are checked before anything is allocated, and the buffers are reused.

package pages

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"anchorage/internal/process"
	"anchorage/shard/internal/access"
)

const (
	// maxPageBytes and maxDictionaryPage are the sizes of the largest pages after decompression. The usual size is 1 MiB.
	maxPageBytes      = 256 << 20
	maxDictionaryPage = 64 << 20
	// maxPageValues is the greatest number of values in a page.
	maxPageValues = 1 << 24
	// maxPageHeader is the length of the longest page header.
	maxPageHeader = 4 << 20
)

// pageReader reads one page after the other. The bytes of a data page are valid until the next page is read, those of a
// dictionary until the next chunk.
type pageReader struct {
	source io.ReaderAt
	leaf   *schema.Column
	chunk  Chunk
	codec  *Decompressor

	offset int64 // of the next header
	seen   int64 // levels of the data pages so far
	err    error

	header     []byte
	raw        []byte
	data       []byte // the decompressed data page
	dictBytes  []byte // the decompressed dictionary page
	dictionary dictionary
	hasDict    bool

	// The data page.
	loads      int // number of data pages read
	levels     int // their number
	encoding   parquet.Encoding
	reps, defs hybrid
	payload    []byte
}

// reset makes the reader read chunk.
func (p *pageReader) reset(source io.ReaderAt, leaf *schema.Column, chunk Chunk) {
	p.source, p.leaf, p.chunk = source, leaf, chunk
	p.offset, p.seen, p.err = chunk.Start, 0, nil
	p.hasDict, p.loads, p.levels = false, 0, 0
}

// next reads the next data page, and a dictionary page in front of it. It returns false at the end of the chunk, and
// the same error again after an error.
func (p *pageReader) next() (bool, error) {
	for loads := p.loads; p.err == nil && p.loads == loads; {
		if p.offset >= p.chunk.End {
			if p.seen != p.chunk.Values {
				p.err = fmt.Errorf("the pages hold %d values, the row group says %d", p.seen, p.chunk.Values)
			}
			return false, p.err
		}
		p.err = p.nextPage()
	}
	return p.err == nil, p.err
}

// nextPage reads a page, of any kind.
func (p *pageReader) nextPage() error {
	h, err := p.readHeader()
	if err != nil {
		return err
	}
	if h.kind == pageData && p.seen == p.chunk.Values && h.values > 0 {
		return fmt.Errorf("the pages hold more than the %d values of the row group", p.chunk.Values)
	}
	payload := p.offset
	p.offset += int64(h.compressed)
	switch h.kind {
	case pageDictionary:
		return p.readDictionary(h, payload)
	case pageData, pageDataV2:
		if h.values == 0 {
			return nil
		}
		return p.readData(h, payload)
	}
	return nil
}

// readHeader reads and checks the header at p.offset, and moves on to what follows it.
func (p *pageReader) readHeader() (pageHeader, error) {
	for size := int64(512); ; size *= 8 {
		size = min(size, maxPageHeader, p.chunk.End-p.offset)
		if int64(cap(p.header)) < size {
			p.header = make([]byte, size)
		}
		data := p.header[:size]
		if err := access.ReadFull(p.source, data, p.offset); err != nil {
			return pageHeader{}, err
		}
		h, n, err := parsePageHeader(data)
		if errors.Is(err, errThriftShort) && size < maxPageHeader && size < p.chunk.End-p.offset {
			continue
		}
		if err != nil {
			return h, fmt.Errorf("page header: %w", err)
		}
		p.offset += int64(n)
		return h, p.checkHeader(h)
	}
}

func (p *pageReader) checkHeader(h pageHeader) error {
	limit := maxPageBytes
	if h.kind == pageDictionary {
		limit = maxDictionaryPage
	}
	known := h.kind == pageData || h.kind == pageDictionary || h.kind == pageDataV2
	switch {
	case int64(h.compressed) > p.chunk.End-p.offset:
		return fmt.Errorf("a page of %d bytes does not fit into the %d bytes left of its column", h.compressed,
			p.chunk.End-p.offset)
	case !known:
		return nil
	case !h.described:
		return fmt.Errorf("page header: %w", errThriftBad)
	case int(h.uncompressed) > limit:
		return fmt.Errorf("a page has %d bytes after decompression; at most %d are possible: write smaller pages",
			h.uncompressed, limit)
	case h.values > maxPageValues:
		return fmt.Errorf("a page has %d values; at most %d are possible: write smaller pages", h.values, maxPageValues)
	case h.kind != pageDictionary && int64(h.values) > p.chunk.Values-p.seen:
		return fmt.Errorf("the pages hold more than the %d values of the row group", p.chunk.Values)
	case h.kind == pageDictionary && (p.hasDict || p.loads > 0):
		return errors.New("a column has more than one dictionary, or one that does not come first")
	}
	return nil
}

// load reads the n bytes of a page at offset.
func (p *pageReader) load(h pageHeader, offset int64) error {
	n := int(h.compressed)
	if cap(p.raw) < n {
		if err := reserve(n); err != nil {
			return err
		}
		p.raw = make([]byte, n)
	}
	p.raw = p.raw[:n]
	if err := access.ReadFull(p.source, p.raw, offset); err != nil {
		return err
	}
	if h.hasCRC && crc32.ChecksumIEEE(p.raw) != h.crc {
		return errors.New("the checksum of a page is wrong: the file is damaged")
	}
	return nil
}

func (p *pageReader) readDictionary(h pageHeader, offset int64) error {
	if e := parquet.Encoding(h.encoding); e != parquet.Encodings.Plain && e != parquet.Encodings.PlainDict {
		return fmt.Errorf("a dictionary has the encoding %v", e)
	}
	err := p.load(h, offset)
	if err != nil {
		return err
	}
	if p.dictBytes, err = sized(p.dictBytes, int(h.uncompressed)); err != nil {
		return err
	}
	if err := p.codec.decompress(p.chunk.codec, p.dictBytes, p.raw); err != nil {
		return err
	}
	p.hasDict = true
	return p.dictionary.load(p.leaf, p.dictBytes, int(h.values))
}

func (p *pageReader) readData(h pageHeader, offset int64) error {
	if err := p.load(h, offset); err != nil {
		return err
	}
	data, err := sized(p.data, int(h.uncompressed))
	if err != nil {
		return err
	}
	p.data = data
	levels := 0
	codec := p.chunk.codec
	if h.kind == pageDataV2 {
		// Levels are before the values and are not compressed.
		levels = int(h.repLen) + int(h.defLen)
		if h.repLen < 0 || h.defLen < 0 || levels > len(p.raw) || levels > len(data) {
			return errors.New("the levels do not fit into their page")
		}
		copy(data, p.raw[:levels])
		if !h.isCompressed {
			codec = compress.Codecs.Uncompressed
		}
	}
	if err := p.codec.decompress(codec, data[levels:], p.raw[levels:]); err != nil {
		return err
	}
	if err := p.divide(h, data); err != nil {
		return err
	}
	p.loads++
	p.seen += int64(h.values)
	p.levels, p.encoding = int(h.values), parquet.Encoding(h.encoding)
	return nil
}

// reserve returns an error if the process has no room for a large page of n bytes.
func reserve(n int) error {
	if n < process.Large {
		return nil
	}
	return process.Reserve(int64(n))
}

// sized returns a slice of n bytes, the memory of buffer if it is large enough, or the error of reserve.
func sized(buffer []byte, n int) ([]byte, error) {
	if cap(buffer) >= n {
		return buffer[:n], nil
	}
	if err := reserve(n); err != nil {
		return nil, err
	}
	return make([]byte, n), nil
}
