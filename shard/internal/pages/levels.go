// This file divides data pages into levels and values.

package pages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/apache/arrow/go/v17/parquet"

	"anchorage/shard/fault"
)

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
