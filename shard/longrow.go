// This file gives the rows of long tables a form that can be sorted.

package shard

import (
	"encoding/binary"
	"errors"
)

const (
	numberKey = 1
	bytesKey  = 2
)

// orderedKey appends a key that sorts like the ids themselves: numbers by value and before all others, which sort by
// bytes. A text that is a canonical number is that number, so that the order does not depend on the format.
func orderedKey(dst, id []byte, number int64) []byte {
	if id != nil {
		value, ok := canonicalNumber(id)
		if !ok {
			return append(append(dst, bytesKey), id...)
		}
		number = value
	}
	dst = append(dst, numberKey)
	return binary.BigEndian.AppendUint64(dst, uint64(number)^1<<63)
}

// appendRow appends what is to be kept of a row beside its key.
func appendRow(dst []byte, row *longRow) []byte {
	dst = binary.AppendUvarint(dst, uint64(row.count))
	dst = binary.AppendUvarint(dst, uint64(row.place.Row))
	if row.item == nil {
		return binary.AppendVarint(append(dst, numberKey), row.itemNumber)
	}
	return append(append(dst, bytesKey), row.item...)
}

var errSortedRow = errors.New("a file of sorted rows is damaged")

// takeRow undoes orderedKey and appendRow. The row's slices alias key and payload.
func takeRow(row *longRow, key, payload []byte) error {
	*row = longRow{}
	switch {
	case len(key) == 9 && key[0] == numberKey:
		row.documentNumber = int64(binary.BigEndian.Uint64(key[1:]) ^ 1<<63)
	case len(key) > 0 && key[0] == bytesKey:
		row.document = key[1:]
	default:
		return errSortedRow
	}
	count, n := binary.Uvarint(payload)
	line, m := binary.Uvarint(payload[max(n, 0):])
	if n <= 0 || m <= 0 || n+m >= len(payload) {
		return errSortedRow
	}
	row.count, row.place.Row = int64(count), int64(line)
	kind, item := payload[n+m], payload[n+m+1:]
	if kind == bytesKey {
		row.item = item
		return nil
	}
	number, n := binary.Varint(item)
	if n <= 0 {
		return errSortedRow
	}
	row.itemNumber = number
	return nil
}
