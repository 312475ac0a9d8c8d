// This file decompresses LZ4 blocks, a codec of Parquet that Arrow's library lacks.

package pages

import (
	"encoding/binary"
	"errors"

	"github.com/apache/arrow/go/v17/parquet/compress"
)

// lz4Raw is the codec LZ4_RAW of the Parquet format: LZ4 blocks without a frame. The older codec LZ4 is something else.
const lz4Raw compress.Compression = 7

var errLZ4 = errors.New("lz4: corrupt block")

// decompressLZ4 fills dst from an LZ4 block, a series of literals each followed by a match in what has been written.
func decompressLZ4(dst, src []byte) error {
	const minMatch = 4
	written := 0
	for len(src) > 0 {
		token := src[0]
		literals, rest, ok := lz4Length(int(token>>4), src[1:])
		if !ok || literals > len(rest) || literals > len(dst)-written {
			return errLZ4
		}
		written += copy(dst[written:], rest[:literals])
		if src = rest[literals:]; len(src) == 0 {
			break // the last series has no match
		}
		if len(src) < 2 {
			return errLZ4
		}
		offset := int(binary.LittleEndian.Uint16(src))
		length, rest, ok := lz4Length(int(token&0xf), src[2:])
		src = rest
		length += minMatch
		if !ok || offset == 0 || offset > written || length > len(dst)-written {
			return errLZ4
		}
		// A match may overlap what it writes: then it repeats its first offset bytes.
		for length > 0 {
			n := copy(dst[written:written+length], dst[written-offset:written])
			written += n
			length -= n
		}
	}
	if written != len(dst) {
		return errPageSize
	}
	return nil
}

// lz4Length completes a length of which the token gives the first part.
func lz4Length(length int, src []byte) (int, []byte, bool) {
	if length < 15 {
		return length, src, true
	}
	for i, b := range src {
		length += int(b)
		if b < 255 {
			return length, src[i+1:], true
		}
	}
	return 0, nil, false
}
