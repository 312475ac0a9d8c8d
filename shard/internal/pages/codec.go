// This file decompresses the pages of Parquet files into buffers of a size known beforehand.

package pages

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"anchorage/shard/internal/access"
)

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
	gzip *gzip.Reader
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
		if d.gzip == nil {
			d.gzip = new(gzip.Reader)
		}
		if err = d.gzip.Reset(bytes.NewReader(src)); err == nil {
			return readExactly(dst, d.gzip)
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
