// This file makes Arrow's Parquet writer use one zstd encoder for all pages. By itself it makes one per page, which
// costs several megabytes each time.

package tablefile

import (
	"sync"

	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/klauspost/compress/zstd"
)

// pageEncoder is safe for use by several goroutines. What it writes does not depend on their number.
var pageEncoder = sync.OnceValue(func() *zstd.Encoder {
	encoder, err := zstd.NewWriter(nil, zstd.WithZeroFrames(true), zstd.WithEncoderLevel(zstd.SpeedDefault))
	if err != nil {
		panic(err) // the options are constant
	}
	return encoder
})

// sharedZstd is Arrow's codec with a separate encoder for the default level.
type sharedZstd struct{ compress.Codec }

func (c sharedZstd) EncodeLevel(dst, src []byte, level int) []byte {
	if level != compress.DefaultCompressionLevel {
		return c.Codec.EncodeLevel(dst, src, level)
	}
	return pageEncoder().EncodeAll(src, dst[:0])
}

func init() {
	codec, err := compress.GetCodec(compress.Codecs.Zstd)
	if err != nil {
		panic(err) // Arrow always has it
	}
	compress.RegisterCodec(compress.Codecs.Zstd, sharedZstd{codec})
}
