// This file describes CSV by its header and JSON lines by the first one.

package text

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/roles"
)

// DescribeCSV describes a table by its header and the rows after it.
func DescribeCSV(ctx context.Context, in reading.Shard) (d documents.Description, m documents.Mapping, err error) {
	d.Rows = -1
	sample, err := SampleOf(ctx, in)
	if err != nil {
		return d, m, err
	}
	if len(bytes.TrimSpace(sample.head)) == 0 {
		return d, m, errEmpty
	}
	layout, err := layoutOf(sample.head, in.Options)
	for _, name := range layout.names {
		d.Columns = append(d.Columns, documents.Column{Name: name})
	}
	if err != nil {
		place := layout.unclear(sample.head, err)
		place.Path, d.First = in.Path, place.First
		return d, m, place
	}
	columns := layout.columns
	m = documents.Mapping{Separator: string(layout.delimiter), ItemSeparator: layout.separator}
	switch {
	case layout.texts != nil:
		var names []string
		for _, at := range layout.texts {
			names = append(names, layout.names[at])
		}
		m.Texts = strings.Join(names, ",")
	case layout.wide != nil:
		m.Items = layout.wideNames()
	default:
		m.Long, m.Items = layout.separator == "", layout.names[columns.Items]
		if at := layout.chooser(in.Columns).ChooseItemNames(columns); at >= 0 && m.Long {
			m.ItemNames = layout.names[at]
		}
	}
	if columns.Document >= 0 {
		m.Documents = layout.names[columns.Document]
	}
	if columns.Counts >= 0 {
		m.Counts = layout.names[columns.Counts]
	}
	return d, m, nil
}

// DescribeJSONL describes JSON lines by the first of them.
func DescribeJSONL(ctx context.Context, in reading.Shard) (d documents.Description, m documents.Mapping, err error) {
	d.Rows = -1
	text, err := access.Preview(ctx, in.Object)
	if err != nil {
		return d, m, err
	}
	in.BatchEntries = 1
	array := &jsonArray{source: bufio.NewReaderSize(text, lineBlock)}
	r := newLinesReader(access.NewWatch(ctx), in, text, newLineBlocks(array, maxDocumentLine, 0))
	defer r.Close()
	p := newJSONLines(r.builder, in.Options)
	r.parser = lineByLine(p.line)
	batch := new(documents.Batch)
	if err = r.Next(batch); err == io.EOF {
		return d, m, nil // there is no document
	}
	for later := err; later == nil && !p.chosen; { // an empty list shows nothing; other errors are those of reading
		later = r.Next(batch)
	}
	for _, member := range p.members {
		d.Columns = append(d.Columns, documents.Column{Name: member.name})
	}
	if err != nil {
		if place, is := errors.AsType[*fault.Error](err); is {
			d.First = place.First
		}
		return d, m, err
	}
	m = documents.Mapping{Documents: p.name, Items: p.items, Counts: p.counts, Words: p.options.Tokenize}
	if m.Texts = strings.Join(p.texts, ","); p.texts != nil {
		return d, m, nil
	}
	if part, are := p.parts[p.items]; are {
		m.Items = p.items + "." + part.items
		if part.counts != "" {
			m.Counts = p.items + "." + part.counts
		}
		if part.names != "" {
			m.ItemNames = p.items + "." + part.names
		}
	} else if items, found := p.member(p.items); found && items.kind() == '{' {
		m.Items = p.items + ".key"
		if p.options.Columns.Counts != roles.NoCounts {
			m.Counts = p.items + ".value"
		}
	}
	return d, m, nil
}
