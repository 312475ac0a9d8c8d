// This file turns values into integers and counts.

package arrowipc

import (
	"encoding/binary"
	"fmt"
	"math"

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

// counts fills dst, at most chunkValues long, with the next values.
func (l *leafReader) counts(dst []int32) error {
	if there, err := l.valid.all(len(dst)); err != nil {
		return err
	} else if !there {
		return bag.ErrNullCount
	}
	raw, err := l.values.take(len(dst) * l.width)
	if err != nil {
		return err
	}
	if l.kind == roles.Int && l.width >= 4 { // the usual cases without a switch per value
		bad := int64(0)
		for i := range dst {
			count := int64(0)
			if l.width == 8 {
				count = int64(binary.LittleEndian.Uint64(raw[8*i:]))
			} else {
				count = int64(int32(binary.LittleEndian.Uint32(raw[4*i:])))
			}
			bad |= (count - 1) | (bag.MaxCount - count) // negative if any is out of range
			dst[i] = int32(count)
		}
		if bad >= 0 {
			return nil
		}
	}
	for i := range dst {
		var count int64
		if l.kind == roles.Float {
			value := 0.0
			if l.width == 4 {
				value = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
			} else {
				value = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
			}
			if count, err = bag.IntegerOf(value); err != nil {
				return err
			}
		} else {
			var ok bool
			if count, ok = integerAt(raw, i, l.width, l.field.signed); !ok {
				return fmt.Errorf("count %d is greater than %d", uint64(count), bag.MaxCount)
			}
		}
		if count < 1 || count > bag.MaxCount {
			return bag.CheckCount(count)
		}
		dst[i] = int32(count)
	}
	return nil
}
