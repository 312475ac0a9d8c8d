// This file reads CSV with a row per document, whose items are in one cell: 7,"milk,rolls". It makes them rows of a
// long table, one for each item.

package text

import (
	"bytes"
	"encoding/csv"
	"strconv"

	"anchorage/shard/fault"
	"anchorage/shard/internal/longtable"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/roles"
)

// cells is the state of reading cells of several items.
type cells struct {
	separator string // between the items of a cell; empty if a cell is an item
	row       longtable.Row
	rest      []byte // of the cell
	documents int64  // rows read; the number is the id where there is no column of documents
}

// csvLayout is how a table is read.
type csvLayout struct {
	delimiter rune
	names     []string
	columns   roles.Choice // Document is -1 if the documents have no ids
	separator string       // of items in a cell; empty if a row holds one
}

// layoutOf finds out the layout of a table by its beginning, whose complete lines are looked at.
func layoutOf(head []byte, opts reading.Options) (l csvLayout, err error) {
	line, _ := cutLine(bytes.TrimLeft(head, "\r\n"))
	var ok bool
	if l.delimiter, l.names, ok = csvHeader(line); !ok {
		return l, errHeader
	}
	l.columns, err = csvColumns(l.names, opts.Columns)
	unknown := fault.ReasonOf(err) == fault.DocumentsUnclear
	if err != nil && !unknown {
		return l, err
	}
	if unknown { // perhaps a row is a document without an id
		var choosing error
		c := roles.NewChooser(csvFields(l.names), l.names, opts.Columns)
		if l.columns, choosing = c.ChooseCell(); choosing != nil {
			return l, err
		}
	}
	if l.separator = opts.Separator; l.separator == "" {
		l.separator = l.findSeparator(head)
	}
	if l.separator == "" {
		if err == nil && opts.Columns.Counts == "" && l.columns.Counts < 0 {
			err = l.likelyCounts(head)
		}
		return l, err
	}
	if at := l.columns.Counts; at >= 0 && opts.Columns.Counts == "" {
		return l, fault.Because(fault.CountsUnclear,
			"%q may count every item of a cell, or all of them together", l.names[at])
	}
	return l, nil
}

// findSeparator returns what separates the items in cells; "" if every row seems to hold one item. A row holds several
// if most cells have a sign that could separate them, and no document takes two rows.
func (l *csvLayout) findSeparator(head []byte) string {
	var lists [][]byte
	seen := make(map[string]bool)
	for _, record := range l.sample(head) {
		lists = append(lists, []byte(record[l.columns.Items]))
		if l.columns.Document < 0 {
			continue
		}
		if document := record[l.columns.Document]; seen[document] {
			return ""
		} else {
			seen[document] = true
		}
	}
	if len(lists) < 2 { // a single row shows nothing
		return ""
	}
	sign := findSeparator(lists)
	with := 0
	for _, list := range lists {
		if bytes.Contains(list, []byte(sign)) {
			with++
		}
	}
	if sign == "" || sign == Blanks || 2*with <= len(lists) {
		return ""
	}
	return sign
}

// sample returns the first rows below the header, as far as they are complete.
func (l *csvLayout) sample(head []byte) (rows [][]string) {
	records := csv.NewReader(bytes.NewReader(head[:bytes.LastIndexByte(head, '\n')+1]))
	records.Comma = l.delimiter
	for range sampleLines + 1 {
		record, err := records.Read()
		if err != nil {
			break
		}
		rows = append(rows, record)
	}
	if len(rows) == 0 {
		return nil
	}
	return rows[1:]
}

// likelyCounts returns an error if the third of three columns has nothing but numbers: they may be counts under another
// name.
func (l *csvLayout) likelyCounts(head []byte) error {
	if len(l.names) != 3 {
		return nil
	}
	other := 3 - l.columns.Document - l.columns.Items
	rows := l.sample(head)
	for _, row := range rows {
		if _, err := strconv.ParseFloat(row[other], 64); err != nil {
			return nil
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return fault.Because(fault.CountsUnclear, "%q may be counts or not", l.names[other])
}

// Next implements longtable.Source.
func (c *csvRows) Next(row *longtable.Row) error {
	if c.cells.separator == "" {
		return c.next(row)
	}
	for {
		item, rest, done := cutItem(c.cells.rest, c.cells.separator)
		if c.cells.rest = rest; len(item) > 0 {
			*row = c.cells.row
			row.Item = item
			return nil
		}
		if !done {
			continue
		}
		if err := c.next(&c.cells.row); err != nil {
			return err
		}
		c.cells.rest = c.cells.row.Item
		if c.cells.documents++; c.columns.Document < 0 {
			c.cells.row.Document, c.cells.row.DocumentNumber = nil, c.cells.documents
		}
	}
}
