// This file reads the lengths of Arrow lists, and the rows of Arrow long tables.

package shard

import (
	"errors"
	"strconv"
)

// arrowLists yields the lengths of the lists of a column.
type arrowLists struct {
	list    *arrowField
	pair    *arrowField // the struct that an element is, nil for none
	valid   arrowBits
	pairs   arrowBits // of the elements, where they are structs
	offsets arrowCursor
	width   int
	at      int64 // end of the last list
	lead    int64 // elements in front of the first list
}

func newArrowLists(c *arrowColumn) *arrowLists {
	l := &arrowLists{list: c.list, pair: c.pair, width: 4}
	if c.list.typ == arrowLargeList {
		l.width = 8
	}
	return l
}

// open begins the lists of a batch.
func (l *arrowLists) open(body *arrowBody, places []arrowPlace) error {
	at := places[l.list.ordinal]
	if at.node >= len(body.nodes) {
		return errArrowNodes
	}
	if err := l.valid.open(body, at.buffer, body.nodes[at.node].nulls); err != nil {
		return err
	}
	if l.pair != nil {
		pair := places[l.pair.ordinal]
		if pair.node >= len(body.nodes) {
			return errArrowNodes
		}
		if err := l.pairs.open(body, pair.buffer, body.nodes[pair.node].nulls); err != nil {
			return err
		}
	}
	l.at, l.lead = 0, 0
	if l.list.typ == arrowFixedSizeList {
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
func (l *arrowLists) next() (n, gap int64, err error) {
	there, err := l.valid.next()
	if err != nil {
		return 0, 0, err
	}
	if l.list.typ == arrowFixedSizeList {
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
func (l *arrowLists) elements(n int) (bool, error) { return l.pairs.all(n) }

func (l *arrowLists) close() {
	l.valid.cursor.close()
	l.pairs.cursor.close()
	l.offsets.close()
}

// arrowRows is the rowSource of a long table.
type arrowRows struct {
	file                    source
	batches                 arrowBatches
	columns                 *arrowColumns
	document, items, counts *arrowLeaf // counts may be nil
	number                  [1]int32
}

func newArrowRows(part arrowPart, file source) *arrowRows {
	r := &arrowRows{file: file, batches: newArrowBatches(part, file), columns: &part.plan.columns}
	r.document, r.items = r.batches.leaf(r.columns.document), r.batches.leaf(r.columns.items)
	r.counts = r.batches.leaf(r.columns.counts)
	return r
}

// next implements rowSource.
func (r *arrowRows) next(row *longRow) error {
	row.place = Error{}
	if err := r.batches.begin(); err != nil {
		return err
	}
	var err error
	row.place = Error{Row: r.batches.batch.firstRow + r.batches.row + 1, Column: r.columns.document.name}
	r.batches.row++
	var null bool
	if row.document, row.documentNumber, null, err = r.document.id(); err != nil {
		return err
	} else if null {
		return errNullDocument
	}
	row.place.Column = r.columns.items.name
	if row.item, row.itemNumber, null, err = r.items.id(); err != nil {
		return err
	} else if null {
		return errNullItem
	}
	row.count = 1
	if r.counts != nil {
		row.place.Column = r.columns.counts.name
		if err := r.counts.counts(r.number[:]); err != nil {
			return err
		}
		row.count = int64(r.number[0])
	}
	row.place.Column = ""
	return nil
}

var errNullDocument = errors.New("the document is null")

// close implements rowSource. It may be called more than once.
func (r *arrowRows) close() error {
	if r.file == nil {
		return nil
	}
	r.batches.close()
	err := r.file.Close()
	r.file = nil
	return err
}

// idText returns an id as text: the number where there is no text.
func idText(text []byte, number int64) []byte {
	if text == nil {
		return strconv.AppendInt(nil, number, 10)
	}
	return text
}
