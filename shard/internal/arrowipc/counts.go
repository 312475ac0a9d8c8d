// This file turns values into integers and counts.

package arrowipc

import (
	"encoding/binary"
	"math"

	"anchorage/shard/documents"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/roles"
)

// integerAt returns integer i of raw as a signed number; ok is false beyond the greatest of these.
func integerAt(raw []byte, i, width int, signed bool) (value int64, ok bool) {
	switch width {
	case 1:
		if signed {
			return int64(int8(raw[i])), true
		}
		return int64(raw[i]), true
	case 2:
		v := binary.LittleEndian.Uint16(raw[2*i:])
		if signed {
			return int64(int16(v)), true
		}
		return int64(v), true
	case 4:
		v := binary.LittleEndian.Uint32(raw[4*i:])
		if signed {
			return int64(int32(v)), true
		}
		return int64(v), true
	}
	value = int64(binary.LittleEndian.Uint64(raw[8*i:]))
	return value, signed || value >= 0
}

// counts fills dst, at most chunkValues long, with the counts of the next values, 0 for those that the counter leaves
// out. It takes all of them, whatever is wrong with one.
func (l *leafReader) counts(counter *bag.Counter, dst []int32) error {
	nulls := l.nulls[:len(dst)]
	missing, err := l.valid.read(nulls)
	if err != nil {
		return err
	}
	raw, err := l.values.take(len(dst) * l.width)
	if err != nil {
		return err
	}
	if l.kind == roles.Int && l.width >= 4 && missing == 0 { // the usual cases without a switch per value
		bad := int64(0)
		for i := range dst {
			count := int64(0)
			if l.width == 8 {
				count = int64(binary.LittleEndian.Uint64(raw[8*i:]))
			} else {
				count = int64(int32(binary.LittleEndian.Uint32(raw[4*i:])))
			}
			bad |= (count - 1) | (documents.MaxCount - count) // negative if any is out of range
			dst[i] = int32(count)
		}
		if bad >= 0 {
			return nil
		}
	}
	for i := range dst {
		if nulls[i] {
			dst[i], err = counter.Nothing()
		} else {
			dst[i], err = l.count(counter, raw, i)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Count implements longtable.Column.
func (l *leafReader) Count(counter *bag.Counter) (int32, error) {
	err := l.counts(counter, l.one[:])
	return l.one[0], err
}

// count returns the count of value i of raw.
func (l *leafReader) count(counter *bag.Counter, raw []byte, i int) (int32, error) {
	value := raw[i*l.width : (i+1)*l.width]
	switch {
	case l.decimals != nil:
		return l.decimals.Bytes(counter, l.bigEndian(value))
	case l.kind == roles.Float && l.width == 4:
		return counter.Float(float64(math.Float32frombits(binary.LittleEndian.Uint32(value))))
	case l.kind == roles.Float:
		return counter.Float(math.Float64frombits(binary.LittleEndian.Uint64(value)))
	}
	number, ok := integerAt(raw, i, l.width, l.field.signed)
	if !ok {
		return counter.Unsigned(uint64(number))
	}
	return counter.Integer(number)
}

// bigEndian returns the bytes of a decimal with the highest first. They are valid until the next call.
func (l *leafReader) bigEndian(value []byte) []byte {
	for i, b := range value {
		l.reversed[len(value)-1-i] = b
	}
	return l.reversed[:len(value)]
}
