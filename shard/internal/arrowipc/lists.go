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
	document, items, counts longtable.Column // counts may be nil
	counter                 *bag.Counter
}

func newLongRows(part batchRun, file access.Source) *longRows {
	r := &longRows{file: file, batches: newBatches(part, file)}
	columns := &part.plan.columns
	r.document, r.items = r.batches.leaf(columns.document), r.batches.leaf(columns.items)
	if columns.counts != nil {
		r.counts = r.batches.leaf(columns.counts)
	}
	return r
}

// Next implements longtable.Source.
func (r *longRows) Next(row *longtable.Row) error {
	row.Place = fault.Error{}
	if err := r.batches.begin(); err != nil {
		return err
	}
	row.Place.Row = r.batches.batch.firstRow + r.batches.row + 1
	r.batches.row++
	return row.Take(r.counter, r.document, r.items, r.counts)
}

// Close implements longtable.Source. It may be called more than once.
func (r *longRows) Close() error {
	r.batches.close()
	return r.file.Close()
}
