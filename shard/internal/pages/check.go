// This file divides data pages into levels and values, and checks both before they are decoded.

package pages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/apache/arrow/go/v17/parquet"
)

var (
	errLevels = errors.New("the levels of a page end too early")
	errValues = errors.New("the values of a page are malformed")
)

// divide finds the levels and the values of a decompressed data page, and checks that there are as many levels as its
// header promises, and values that can be decoded in bounded time and memory.
func (p *pageReader) divide(h pageHeader, data []byte) error {
	count := int(h.values)
	reps, defs := p.leaf.MaxRepetitionLevel(), p.leaf.MaxDefinitionLevel()
	var err error
	if h.kind == pageDataV2 {
		p.reps, p.defs = data[:h.repLen], data[h.repLen:h.repLen+h.defLen]
		p.packedReps, p.packedDefs = false, false
		if err = checkRuns(p.reps, reps, count); err == nil {
			err = checkRuns(p.defs, defs, count)
		}
		data = data[h.repLen+h.defLen:]
	} else {
		if p.reps, data, err = cutLevels(data, h.repEncoding, reps, count); err == nil {
			p.defs, data, err = cutLevels(data, h.defEncoding, defs, count)
		}
		p.packedReps = reps > 0 && h.repEncoding == parquet.Encodings.BitPacked
		p.packedDefs = defs > 0 && h.defEncoding == parquet.Encodings.BitPacked
	}
	if err != nil {
		return err
	}
	p.payload = data
	return checkValues(h, data, defs == 0, p.hasDict)
}

// checkValues checks the values of a data page; required says that there is one for each level.
func checkValues(h pageHeader, data []byte, required, hasDict bool) error {
	most := int(h.values)
	least := 0
	if required {
		least = most
	}
	var err error
	switch h.encoding {
	case parquet.Encodings.Plain:
		return nil
	case parquet.Encodings.PlainDict, parquet.Encodings.RLEDict:
		if !hasDict {
			return errors.New("a page refers to a dictionary that is not there")
		}
		if len(data) > 0 && data[0] > 32 {
			return errValues
		}
		return nil
	case parquet.Encodings.DeltaBinaryPacked, parquet.Encodings.DeltaLengthByteArray:
		_, err = checkDelta(data, least, most)
		return err
	case parquet.Encodings.DeltaByteArray:
		prefixes := 0
		if prefixes, err = checkDelta(data, least, most); err == nil {
			_, err = checkDelta(data[prefixes:], least, most)
		}
		return err
	}
	return fmt.Errorf("the encoding %v is not supported", h.encoding)
}

// cutLevels checks the levels at the beginning of a page of version 1 and returns them and what follows them.
func cutLevels(data []byte, encoding parquet.Encoding, most int16, count int) (levels, rest []byte, err error) {
	if most == 0 {
		return nil, data, nil
	}
	switch encoding {
	case parquet.Encodings.RLE:
		if len(data) < 4 {
			return nil, nil, errLevels
		}
		n := binary.LittleEndian.Uint32(data)
		if uint64(n) > uint64(len(data)-4) {
			return nil, nil, errLevels
		}
		return data[4 : 4+n], data[4+n:], checkRuns(data[4:4+n], most, count)
	case parquet.Encodings.BitPacked:
		n := (count*bits.Len16(uint16(most)) + 7) / 8
		if n > len(data) {
			return nil, nil, errLevels
		}
		return data[:n], data[n:], nil
	}
	return nil, nil, fmt.Errorf("the encoding %v of levels is not supported", encoding)
}

// checkRuns checks that the runs of the hybrid of run lengths and bit packing in data hold count levels up to most.
func checkRuns(data []byte, most int16, count int) error {
	if most == 0 {
		return nil
	}
	width := bits.Len16(uint16(most))
	for held := 0; held < count; {
		head, n := binary.Uvarint(data)
		if n <= 0 || head>>1 == 0 || head > 1<<32-1 {
			return errLevels
		}
		data = data[n:]
		run := int(head >> 1)
		size := (width + 7) / 8
		if head&1 == 1 {
			// The last group of eight may be cut short by writers that do not pad it.
			size = min(run*width, (min(run*8, count-held)*width+7)/8)
			run *= 8
		}
		if size > len(data) {
			return errLevels
		}
		data = data[size:]
		held += run
	}
	return nil
}

// checkDelta checks a sequence of between least and most delta-packed integers and returns the number of bytes it
// takes.
func checkDelta(data []byte, least, most int) (int, error) {
	at := 0
	next := func() uint64 {
		value, n := binary.Uvarint(data[min(at, len(data)):])
		if n <= 0 {
			at = len(data) + 1
			return 0
		}
		at += n
		return value
	}
	block, minis, total := next(), next(), next()
	next() // the first value
	if at > len(data) || minis == 0 || minis > 1<<10 || block == 0 || block > 1<<20 || block%minis != 0 ||
		block/minis%8 != 0 || total < uint64(least) || total > uint64(most) {
		return 0, errValues
	}
	for left := int64(total) - 1; left > 0; {
		next() // the smallest delta
		if at > len(data) || len(data)-at < int(minis) {
			return 0, errValues
		}
		widths := data[at : at+int(minis)]
		at += int(minis)
		for _, width := range widths {
			if left <= 0 {
				break // the blocks that no value needs are not stored
			}
			at += int(block/minis) / 8 * int(width)
			left -= int64(block / minis)
			if width > 64 || at > len(data) {
				return 0, errValues
			}
		}
	}
	return at, nil
}
