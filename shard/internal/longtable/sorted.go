// This file sorts the rows of a table before they become documents, in a form that can be sorted.

package longtable

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/sorter"
)

// sort reads all rows and replaces the source by a sorted one.
func (r *Reader) sort() {
	s, err := sorter.New(r.limits)
	fault.Throw(err)
	r.sorter = s
	var payload []byte
	for rows := 0; ; rows++ {
		if rows&0xfff == 0 {
			fault.Throw(r.watch.Check())
		}
		err := r.source.Next(&r.row)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = r.sortable()
		}
		if err != nil {
			r.note(err)
			continue
		}
		r.next = Key(r.next[:0], r.row.Document, r.row.DocumentNumber)
		payload = AppendRow(payload[:0], &r.row)
		fault.Throw(s.Add(r.next, payload))
	}
	fault.Throw(fault.InFile(r.path, r.source.Close()))
	fault.Throw(s.Sort(r.watch.Check))
	r.source = &sortedRows{s}
}

// sortable returns what keeps the row from being sorted.
func (r *Reader) sortable() error {
	if len(r.row.Document) > bag.MaxItemBytes || len(r.row.Item) > bag.MaxItemBytes {
		return fault.InRow(fmt.Errorf("an id has more than %d bytes", bag.MaxItemBytes))
	}
	if r.row.Document != nil && len(r.row.Document) == 0 {
		return errNoDocument
	}
	return nil
}

// sortedRows yields rows that a sorter has put in order.
type sortedRows struct{ sorter *sorter.Sorter }

func (s *sortedRows) Next(row *Row) error {
	key, payload, err := s.sorter.Next()
	if err != nil {
		return err
	}
	return TakeRow(row, key, payload)
}

// Close implements Source. The sorter is closed by its owner.
func (s *sortedRows) Close() error { return nil }

const (
	numberKey = 1
	bytesKey  = 2
)

// Key appends a key that sorts like the ids themselves: numbers by value and before all others, which sort by
// bytes. A text that is a canonical number is that number, so that the order does not depend on the format.
func Key(dst, id []byte, number int64) []byte {
	if id != nil {
		value, ok := bag.CanonicalNumber(id)
		if !ok {
			return append(append(dst, bytesKey), id...)
		}
		number = value
	}
	dst = append(dst, numberKey)
	return binary.BigEndian.AppendUint64(dst, uint64(number)^1<<63)
}

// AppendRow appends what must be kept of a row beside its key.
func AppendRow(dst []byte, row *Row) []byte {
	dst = binary.AppendUvarint(dst, uint64(row.Count))
	dst = binary.AppendUvarint(dst, uint64(row.Place.Row))
	if row.Item == nil {
		return binary.AppendVarint(append(dst, numberKey), row.ItemNumber)
	}
	return append(append(dst, bytesKey), row.Item...)
}

var errSortedRow = errors.New("a file of sorted rows is damaged")

// TakeRow is the inverse of Key and AppendRow. The row's slices alias key and payload.
func TakeRow(row *Row, key, payload []byte) error {
	*row = Row{}
	switch {
	case len(key) == 9 && key[0] == numberKey:
		row.DocumentNumber = int64(binary.BigEndian.Uint64(key[1:]) ^ 1<<63)
	case len(key) > 0 && key[0] == bytesKey:
		row.Document = key[1:]
	default:
		return errSortedRow
	}
	count, n := binary.Uvarint(payload)
	line, m := binary.Uvarint(payload[max(n, 0):])
	if n <= 0 || m <= 0 || n+m >= len(payload) {
		return errSortedRow
	}
	row.Count, row.Place.Row = int32(min(count, documents.MaxCount)), int64(line)
	kind, item := payload[n+m], payload[n+m+1:]
	if kind == bytesKey {
		row.Item = item
		return nil
	}
	number, n := binary.Varint(item)
	if n <= 0 {
		return errSortedRow
	}
	row.ItemNumber = number
	return nil
}

// IDText returns an id as text: the number where there is no text.
func IDText(text []byte, number int64) []byte {
	if text == nil {
		return strconv.AppendInt(nil, number, 10)
	}
	return text
}
