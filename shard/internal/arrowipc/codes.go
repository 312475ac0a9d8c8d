// This file turns values into item codes.

package arrowipc

import (
	"encoding/binary"
	"fmt"
	"math"

	"anchorage/shard/fault"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/roles"
)

// itemCodes fills dst, at most chunkValues long, with the codes of the next values. It takes all of them, whatever is
// wrong with one.
func (l *leafReader) itemCodes(b *bag.Builder, dst []int32) error {
	if there, err := l.valid.all(len(dst)); err != nil {
		return err
	} else if !there {
		if err := l.skipValues(int64(len(dst))); err != nil {
			return err
		}
		return bag.ErrNullItem
	}
	if l.kind == roles.Bytes && !l.field.dictionary {
		return l.textCodes(b, dst)
	}
	raw, err := l.values.take(len(dst) * l.width)
	if err != nil {
		return err
	}
	if l.decimals != nil {
		return l.decimalCodes(b, raw, dst)
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
			return fault.InRow(fmt.Errorf("item id %d is greater than %d", uint64(number), int64(math.MaxInt64)))
		}
		if dst[i], err = b.CodeOfNumber(number); err != nil {
			return err
		}
	}
	return nil
}

// textCodes fills dst with the codes of the next strings.
func (l *leafReader) textCodes(b *bag.Builder, dst []int32) error {
	for i := range dst {
		id, err := l.text()
		if err == nil {
			dst[i], err = b.CodeOfBytes(id)
		}
		if err != nil {
			if skipping := l.skipValues(int64(len(dst) - i - 1)); skipping != nil {
				return skipping
			}
			return err
		}
	}
	return nil
}

// decimalCodes fills dst with the codes of the decimals in raw, which are whole.
func (l *leafReader) decimalCodes(b *bag.Builder, raw []byte, dst []int32) error {
	for i := range dst {
		text, number, err := l.decimals.ID(l.bigEndian(raw[i*l.width : (i+1)*l.width]))
		switch {
		case err != nil:
		case text != nil:
			dst[i], err = b.CodeOfBytes(text)
		default:
			dst[i], err = b.CodeOfNumber(number)
		}
		if err != nil {
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
