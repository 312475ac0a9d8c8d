// This file divides data pages into levels and values.

package pages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/apache/arrow/go/v17/parquet"
)

var errLevels = errors.New("the levels of a page end too early")

// divide finds the levels and the values of a decompressed data page.
func (p *pageReader) divide(h pageHeader, data []byte) (err error) {
	reps, defs := p.leaf.MaxRepetitionLevel(), p.leaf.MaxDefinitionLevel()
	if h.kind == pageDataV2 {
		p.reps = newHybrid(data[:h.repLen], bits.Len16(uint16(reps)))
		p.defs = newHybrid(data[h.repLen:h.repLen+h.defLen], bits.Len16(uint16(defs)))
		p.payload = data[h.repLen+h.defLen:]
		return nil
	}
	if p.reps, data, err = cutLevels(data, parquet.Encoding(h.repEncoding), reps); err == nil {
		p.defs, p.payload, err = cutLevels(data, parquet.Encoding(h.defEncoding), defs)
	}
	return err
}

// cutLevels returns the levels at the beginning of a page of version 1, up to most, and what follows them.
func cutLevels(data []byte, encoding parquet.Encoding, most int16) (levels hybrid, rest []byte, err error) {
	width := bits.Len16(uint16(most))
	if width == 0 {
		return hybrid{}, data, nil
	}
	if encoding != parquet.Encodings.RLE {
		return levels, nil, fmt.Errorf("the encoding %v of levels is not supported", encoding)
	}
	if len(data) < 4 {
		return levels, nil, errLevels
	}
	n := binary.LittleEndian.Uint32(data)
	if uint64(n) > uint64(len(data)-4) {
		return levels, nil, errLevels
	}
	return newHybrid(data[4:4+n], width), data[4+n:], nil
}
