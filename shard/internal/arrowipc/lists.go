// This file reads the lengths of Arrow lists, and the rows of Arrow long tables.

package arrowipc

import (
	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/longtable"
)

// listReader yields the lengths of the lists of a column.
type listReader struct {
	list    *schemaField
	pair    *schemaField // the struct that an element is, nil for none
	valid   validity
	pairs   validity // of the elements, where they are structs
	offsets bufferCursor
	width   int
	at      int64 // end of the last list
	lead    int64 // elements in front of the first list
}

func newLists(c *columnFields) *listReader {
	l := &listReader{list: c.list, pair: c.pair, width: 4}
	if c.list.typ == typeLargeList {
		l.width = 8
	}
	return l
}

// open begins the lists of a batch.
func (l *listReader) open(body *messageBody, places []fieldPlace) error {
	at := places[l.list.ordinal]
	if at.node >= len(body.nodes) {
		return errNodes
	}
	if err := l.valid.open(body, at.buffer, body.nodes[at.node].nulls); err != nil {
		return err
	}
	if l.pair != nil {
		pair := places[l.pair.ordinal]
		if pair.node >= len(body.nodes) {
			return errNodes
		}
		if err := l.pairs.open(body, pair.buffer, body.nodes[pair.node].nulls); err != nil {
			return err
		}
	}
	l.at, l.lead = 0, 0
	if l.list.typ == typeFixedSizeList {
		return nil
	}
	if err := l.offsets.open(body, at.buffer+1); err != nil {
		return err
	}
	if body.nodes[at.node].length == 0 {
		return nil // there may be no offset at all
	}
	first, err := l.offsets.offset(l.width, l.at)
	if err != nil {
		return err
	}
	l.at, l.lead = first, first
	return l.pairs.skip(first)
}

// next returns the length of the next list, and the number of elements to pass over before it: those in front of the
// first list, and those of a null list.
func (l *listReader) next() (n, gap int64, err error) {
	there, err := l.valid.next()
	if err != nil {
		return 0, 0, err
	}
	if l.list.typ == typeFixedSizeList {
		n = int64(l.list.fixed)
	} else {
		next, err := l.offsets.offset(l.width, l.at)
		if err != nil {
			return 0, 0, err
		}
		n = next - l.at
		l.at = next
	}
	gap, l.lead = l.lead, 0
	if there {
		return n, gap, nil
	}
	return 0, gap + n, l.pairs.skip(n)
}

// elements says whether the next n elements are there.
func (l *listReader) elements(n int) (bool, error) { return l.pairs.all(n) }

func (l *listReader) close() {
	l.valid.cursor.close()
	l.pairs.cursor.close()
	l.offsets.close()
}

// longRows is the longtable.Source of a long table.
type longRows struct {
	file                    access.Source
	batches                 batchReader
	columns                 *chosenColumns
	document, items, counts *leafReader // counts may be nil
	number                  [1]int32
	counter                 *bag.Counter
}

func newLongRows(part batchRun, file access.Source) *longRows {
	r := &longRows{file: file, batches: newBatches(part, file), columns: &part.plan.columns}
	r.document, r.items = r.batches.leaf(r.columns.document), r.batches.leaf(r.columns.items)
	r.counts = r.batches.leaf(r.columns.counts)
	return r
}

// Next implements longtable.Source.
func (r *longRows) Next(row *longtable.Row) error {
	row.Place = fault.Error{}
	err := r.batches.begin()
	if err != nil {
		return err
	}
	row.Place = fault.Error{Row: r.batches.batch.firstRow + r.batches.row + 1, Column: r.columns.document.name}
	r.batches.row++
	// All columns move on to the next row, whatever is wrong with it, so that it can be left out.
	documentNull, itemNull := false, false
	row.Document, row.DocumentNumber, documentNull, err = r.document.id()
	if err == nil && documentNull {
		err = bag.ErrNullDocument
	}
	if err != nil && !fault.IsRow(err) {
		return err
	}
	var bad error
	row.Item, row.ItemNumber, itemNull, bad = r.items.id()
	if bad == nil && itemNull {
		bad = bag.ErrNullItem
	}
	if bad != nil && (err == nil || !fault.IsRow(bad)) {
		row.Place.Column, err = r.columns.items.name, bad
	}
	row.Count = 1
	if r.counts != nil && (err == nil || fault.IsRow(err)) {
		bad := r.counts.counts(r.counter, r.number[:])
		row.Count = r.number[0]
		if bad != nil && (err == nil || !fault.IsRow(bad)) {
			row.Place.Column, err = r.columns.counts.name, bad
		}
	}
	if err == nil {
		row.Place.Column = ""
	}
	return err
}

// Close implements longtable.Source. It may be called more than once.
func (r *longRows) Close() error {
	if r.file == nil {
		return nil
	}
	r.batches.close()
	err := r.file.Close()
	r.file = nil
	return err
}
