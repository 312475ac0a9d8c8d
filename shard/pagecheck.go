// This file checks the content of data pages before Arrow decodes them. Arrow's level decoders loop forever over levels
// that end too early, and its delta decoders loop or allocate by what their headers say.

package shard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

var (
	errLevels = errors.New("the levels of a page end too early")
	errValues = errors.New("the values of a page are malformed")
)

// checkData checks that a decompressed data page holds the levels that its header promises, and values that can be
// decoded in bounded time and memory.
func checkData(h pageHeader, data []byte, leaf *schema.Column, hasDict bool) error {
	count := int(h.values)
	var err error
	if h.kind == pageDataV2 {
		if err = checkRuns(data[:h.repLen], leaf.MaxRepetitionLevel(), count); err == nil {
			err = checkRuns(data[h.repLen:h.repLen+h.defLen], leaf.MaxDefinitionLevel(), count)
		}
		data = data[h.repLen+h.defLen:]
	} else {
		if data, err = checkLevels(data, h.repEncoding, leaf.MaxRepetitionLevel(), count); err == nil {
			data, err = checkLevels(data, h.defEncoding, leaf.MaxDefinitionLevel(), count)
		}
	}
	if err != nil {
		return err
	}
	return checkValues(h, data, leaf.MaxDefinitionLevel() == 0, hasDict)
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

// checkLevels checks the levels at the beginning of a page of version 1 and returns what follows them.
func checkLevels(data []byte, encoding parquet.Encoding, most int16, count int) ([]byte, error) {
	if most == 0 {
		return data, nil
	}
	switch encoding {
	case parquet.Encodings.RLE:
		if len(data) < 4 {
			return nil, errLevels
		}
		n := binary.LittleEndian.Uint32(data)
		if uint64(n) > uint64(len(data)-4) {
			return nil, errLevels
		}
		return data[4+n:], checkRuns(data[4:4+n], most, count)
	case parquet.Encodings.BitPacked:
		n := (count*bits.Len16(uint16(most)) + 7) / 8
		if n > len(data) {
			return nil, errLevels
		}
		return data[n:], nil
	}
	return nil, fmt.Errorf("the encoding %v of levels is not supported", encoding)
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

// checkDelta checks a sequence of between least and most delta-packed integers and returns the number of bytes it takes.
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
