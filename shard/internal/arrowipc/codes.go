// This file turns values into item codes.

package arrowipc

import (
	"encoding/binary"
	"fmt"
	"math"

	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/roles"
)

// itemCodes fills dst, at most chunkValues long, with the codes of the next values.
func (l *leafReader) itemCodes(b *bag.Builder, dst []int32) error {
	if there, err := l.valid.all(len(dst)); err != nil {
		return err
	} else if !there {
		return bag.ErrNullItem
	}
	if l.kind == roles.Bytes && !l.field.dictionary {
		for i := range dst {
			id, err := l.text()
			if err != nil {
				return err
			}
			if dst[i], err = b.CodeOfBytes(id); err != nil {
				return err
			}
		}
		return nil
	}
	raw, err := l.values.take(len(dst) * l.width)
	if err != nil {
		return err
	}
	if l.field.dictionary {
		return l.dictionaryCodes(b, raw, dst)
	}
	switch { // the usual cases without a switch per value
	case l.width == 8 && l.field.signed:
		for i := range dst {
			if dst[i], err = b.CodeOfNumber(int64(binary.LittleEndian.Uint64(raw[8*i:]))); err != nil {
				return err
			}
		}
		return nil
	case l.width == 4:
		number := int64(0)
		for i := range dst {
			if number = int64(binary.LittleEndian.Uint32(raw[4*i:])); l.field.signed {
				number = int64(int32(number))
			}
			if dst[i], err = b.CodeOfNumber(number); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range dst {
		number, ok := integerAt(raw, i, l.width, l.field.signed)
		if !ok {
			return fmt.Errorf("item id %d is greater than %d", uint64(number), int64(math.MaxInt64))
		}
		if dst[i], err = b.CodeOfNumber(number); err != nil {
			return err
		}
	}
	return nil
}

// dictionaryCodes fills dst with the codes of the values with the indices in raw.
func (l *leafReader) dictionaryCodes(b *bag.Builder, raw []byte, dst []int32) (err error) {
	known, base := l.codes.Known[:l.dictionary.len()], l.codes.Base
	for i := range dst {
		index := uint64(0)
		if l.width == 4 {
			index = uint64(binary.LittleEndian.Uint32(raw[4*i:]))
		} else {
			number, _ := integerAt(raw, i, l.width, l.field.indexSign)
			index = uint64(number)
		}
		if index >= uint64(len(known)) {
			return l.indexError(int64(index))
		}
		if entry := known[index]; entry >= base {
			dst[i] = int32(entry - base)
			continue
		}
		if dst[i], err = l.dictionary.code(b, int(index)); err != nil {
			return err
		}
		l.codes.Set(uint32(index), dst[i])
	}
	return nil
}

func (l *leafReader) indexError(index int64) error {
	return fmt.Errorf("an index into the dictionary, %d, is not among its %d values", index, l.dictionary.len())
}
