// This file reads the rows of long tables whose format stores columns.

package longtable

import (
	"anchorage/shard/fault"
	"anchorage/shard/internal/bag"
)

// Column yields the values of a column, row by row.
type Column interface {
	// ID takes the next value as an id: bytes, or a number where they are nil. null says that it is missing.
	ID() (text []byte, number int64, null bool, err error)
	// Count takes the next value as a count, 0 if the counter leaves it out.
	Count(counter *bag.Counter) (int32, error)
	Name() string
}

// Take fills a row from its columns; counts is nil where every row counts 1. All columns move on, whatever is wrong
// with the row, so that it can be left out.
func (r *Row) Take(counter *bag.Counter, document, items, counts Column) (first error) {
	fail := func(c Column, err error) {
		if err != nil && (first == nil || fault.IsRow(first) && !fault.IsRow(err)) {
			first, r.Place.Column = err, c.Name()
		}
	}
	take := func(c Column, missing error) ([]byte, int64) {
		text, number, null, err := c.ID()
		if err == nil && null {
			err = missing
		}
		fail(c, err)
		return text, number
	}
	r.Document, r.DocumentNumber = take(document, bag.ErrNullDocument)
	r.Item, r.ItemNumber = take(items, bag.ErrNullItem)
	r.Count = 1
	if counts != nil {
		count, err := counts.Count(counter)
		r.Count = count
		fail(counts, err)
	}
	return first
}
