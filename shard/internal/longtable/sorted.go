// This file sorts the rows of a table before they become documents.

package longtable

import (
	"fmt"
	"io"

	"anchorage/shard/fault"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/sorter"
)

// sort reads all rows and replaces the source by a sorted one.
func (r *Reader) sort() error {
	s, err := sorter.New(r.limits)
	if err != nil {
		return err
	}
	r.sorter = s
	var payload []byte
	for rows := 0; ; rows++ {
		if rows&0xfff == 0 {
			if err := r.watch.Check(); err != nil {
				return err
			}
		}
		err := r.source.Next(&r.row)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = r.sortable()
		}
		if err != nil {
			if err := r.builder.Note(r.Fail(err)); err != nil {
				return err
			}
			continue
		}
		r.next = Key(r.next[:0], r.row.Document, r.row.DocumentNumber)
		payload = AppendRow(payload[:0], &r.row)
		if err := s.Add(r.next, payload); err != nil {
			return err
		}
	}
	if err := r.source.Close(); err != nil {
		return fault.InFile(r.path, err)
	}
	if err := s.Sort(r.watch.Check); err != nil {
		return err
	}
	r.source = &sortedRows{s}
	return nil
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

// Next implements Source.
func (s *sortedRows) Next(row *Row) error {
	key, payload, err := s.sorter.Next()
	if err != nil {
		return err
	}
	return TakeRow(row, key, payload)
}

// Close implements Source. The sorter is closed by its owner.
func (s *sortedRows) Close() error { return nil }
