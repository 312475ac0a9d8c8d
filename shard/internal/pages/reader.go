// This file reads the pages of a Parquet column chunk, and decompresses them into buffers of a size known
// beforehand. It replaces Arrow's page and column readers, which allocate what a page header promises, decompress
// without limit, run forever over levels that end too early, and spend more time on levels than on values. Here
// sizes are checked before anything is allocated, and the buffers are reused.

package pages

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/schema"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"anchorage/internal/process"
	"anchorage/shard/fault"
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
	p.offset, p.seen = chunk.Start, 0
	p.hasDict, p.loads, p.levels = false, 0, 0
}

// next reads the next data page, and a dictionary page in front of it. It returns false at the end of the chunk.
func (p *pageReader) next() bool {
	for loads := p.loads; p.loads == loads; {
		if p.offset >= p.chunk.End {
			if p.seen != p.chunk.Values {
				fault.Throw(fmt.Errorf("the pages hold %d values, the row group says %d", p.seen, p.chunk.Values))
			}
			return false
		}
		h := p.readHeader()
		payload := p.offset
		p.offset += int64(h.compressed)
		switch {
		case h.kind == pageDictionary:
			p.readDictionary(h, payload)
		case (h.kind == pageData || h.kind == pageDataV2) && h.values > 0:
			p.readData(h, payload)
		}
	}
	return true
}

// readHeader reads and checks the header at p.offset, and moves on to what follows it.
func (p *pageReader) readHeader() pageHeader {
	for size := int64(512); ; size *= 8 {
		size = min(size, maxPageHeader, p.chunk.End-p.offset)
		if int64(cap(p.header)) < size {
			p.header = make([]byte, size)
		}
		data := p.header[:size]
		fault.Throw(access.ReadFull(p.source, data, p.offset))
		h, n, err := parsePageHeader(data)
		if errors.Is(err, errThriftShort) && size < maxPageHeader && size < p.chunk.End-p.offset {
			continue
		}
		if err != nil {
			fault.Throw(fmt.Errorf("page header: %w", err))
		}
		p.offset += int64(n)
		fault.Throw(p.checkHeader(h))
		return h
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

// load reads the bytes of a page at offset.
func (p *pageReader) load(h pageHeader, offset int64) {
	p.raw = sized(p.raw, int(h.compressed))
	fault.Throw(access.ReadFull(p.source, p.raw, offset))
	if h.hasCRC && crc32.ChecksumIEEE(p.raw) != h.crc {
		fault.Throw(errors.New("the checksum of a page is wrong: the file is damaged"))
	}
}

func (p *pageReader) readDictionary(h pageHeader, offset int64) {
	if e := parquet.Encoding(h.encoding); e != parquet.Encodings.Plain && e != parquet.Encodings.PlainDict {
		fault.Throw(fmt.Errorf("a dictionary has the encoding %v", e))
	}
	p.load(h, offset)
	p.dictBytes = sized(p.dictBytes, int(h.uncompressed))
	fault.Throw(p.codec.decompress(p.chunk.codec, p.dictBytes, p.raw))
	p.hasDict = true
	p.dictionary.load(p.leaf, p.dictBytes, int(h.values))
}

func (p *pageReader) readData(h pageHeader, offset int64) {
	p.load(h, offset)
	p.data = sized(p.data, int(h.uncompressed))
	levels := 0
	codec := p.chunk.codec
	if h.kind == pageDataV2 {
		// Levels are before the values and are not compressed.
		levels = int(h.repLen) + int(h.defLen)
		if h.repLen < 0 || h.defLen < 0 || levels > len(p.raw) || levels > len(p.data) {
			fault.Throw(errors.New("the levels do not fit into their page"))
		}
		copy(p.data, p.raw[:levels])
		if !h.isCompressed {
			codec = compress.Codecs.Uncompressed
		}
	}
	fault.Throw(p.codec.decompress(codec, p.data[levels:], p.raw[levels:]))
	p.divide(h, p.data)
	p.loads++
	p.seen += int64(h.values)
	p.levels, p.encoding = int(h.values), parquet.Encoding(h.encoding)
}

// sized returns a slice of n bytes, the memory of buffer if it is large enough. It throws an error if the process has
// no room for a large page.
func sized(buffer []byte, n int) []byte {
	if cap(buffer) >= n {
		return buffer[:n]
	}
	if n >= process.Large {
		fault.Throw(process.Reserve(int64(n)))
	}
	return make([]byte, n)
}

var errLevels = errors.New("the levels of a page end too early")

// divide finds the levels and the values of a decompressed data page.
func (p *pageReader) divide(h pageHeader, data []byte) {
	reps, defs := p.leaf.MaxRepetitionLevel(), p.leaf.MaxDefinitionLevel()
	if h.kind == pageDataV2 {
		p.reps = newHybrid(data[:h.repLen], bits.Len16(uint16(reps)))
		p.defs = newHybrid(data[h.repLen:h.repLen+h.defLen], bits.Len16(uint16(defs)))
		p.payload = data[h.repLen+h.defLen:]
		return
	}
	p.reps, data = cutLevels(data, parquet.Encoding(h.repEncoding), reps)
	p.defs, p.payload = cutLevels(data, parquet.Encoding(h.defEncoding), defs)
}

// cutLevels returns the levels at the beginning of a page of version 1, up to most, and what follows them.
func cutLevels(data []byte, encoding parquet.Encoding, most int16) (levels hybrid, rest []byte) {
	width := bits.Len16(uint16(most))
	if width == 0 {
		return hybrid{}, data
	}
	if encoding != parquet.Encodings.RLE {
		fault.Throw(fmt.Errorf("the encoding %v of levels is not supported", encoding))
	}
	if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
		fault.Throw(errLevels)
	}
	end := 4 + int(binary.LittleEndian.Uint32(data))
	return newHybrid(data[4:end], width), data[end:]
}

// lz4Raw is the codec LZ4_RAW of the Parquet format, LZ4 blocks without a frame, which Arrow's library lacks. The older
// codec LZ4 is something else.
const lz4Raw compress.Compression = 7

var errPageSize = errors.New("a page does not have the size that its header says")

// checkCodec returns an error if pages of this compression cannot be read.
func checkCodec(codec compress.Compression) error {
	switch codec {
	case compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Gzip, compress.Codecs.Zstd,
		compress.Codecs.Brotli, lz4Raw:
		return nil
	}
	return fmt.Errorf("compression %v is not supported: use zstd, snappy, lz4_raw, gzip, brotli or none", codec)
}

// Decompressor decompresses pages. No state passes from one page to the next.
type Decompressor struct {
	gzip gzip.Reader
	zstd *zstd.Decoder
}

// decompress fills dst, whose length is the size promised, from src.
func (d *Decompressor) decompress(codec compress.Compression, dst, src []byte) (err error) {
	if len(dst) == 0 {
		return nil // some writers leave out the frame of an empty page
	}
	n := len(src)
	switch codec {
	case compress.Codecs.Uncompressed:
		copy(dst, src)
	case compress.Codecs.Snappy:
		// The length is at the beginning, so that it can be checked before anything is decoded.
		if n, err = s2.DecodedLen(src); err == nil && n == len(dst) {
			_, err = s2.Decode(dst, src)
		}
	case compress.Codecs.Zstd:
		n, err = d.decompressZstd(dst, src)
	case lz4Raw:
		n, err = lz4.UncompressBlock(src, dst)
	case compress.Codecs.Gzip:
		if err = d.gzip.Reset(bytes.NewReader(src)); err == nil {
			return readExactly(dst, &d.gzip)
		}
	case compress.Codecs.Brotli:
		brotli, err := compress.GetCodec(codec)
		if err != nil {
			return err
		}
		reader := brotli.NewReader(bytes.NewReader(src))
		defer reader.Close()
		return readExactly(dst, reader)
	default:
		return checkCodec(codec)
	}
	switch {
	case err != nil:
		return fmt.Errorf("the compressed data of a page are damaged: %w", err)
	case n != len(dst):
		return errPageSize
	}
	return nil
}

// decompressZstd returns the size after decompression.
func (d *Decompressor) decompressZstd(dst, src []byte) (n int, err error) {
	if d.zstd == nil {
		if d.zstd, err = access.NewZstd(nil, zstd.WithDecoderMaxMemory(maxPageBytes)); err != nil {
			return 0, err
		}
	}
	out, err := d.zstd.DecodeAll(src, dst[:0:len(dst)])
	if len(out) > 0 && &out[0] != &dst[0] {
		copy(dst, out)
	}
	return len(out), err
}

// readExactly fills dst from r, which must end there.
func readExactly(dst []byte, r io.Reader) error {
	_, err := io.ReadFull(r, dst)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errPageSize
	}
	if err == nil {
		var n int
		if n, err = r.Read(make([]byte, 1)); n > 0 {
			return errPageSize
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// Close releases what the decompressor holds.
func (d *Decompressor) Close() {
	if d.zstd != nil {
		d.zstd.Close()
		d.zstd = nil
	}
}
