// This file describes CSV by its header and JSON lines by the first one.

package text

import (
	"bytes"
	"context"
	"io"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/roles"
)

// firstLine returns the first line of a text that is not blank, which has at most the given number of bytes; nil
// without one.
func firstLine(ctx context.Context, in reading.Shard, most int) ([]byte, error) {
	text, err := access.Preview(ctx, in.Object)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	for lines, row := newLineBlocks(text, most), int64(1); ; {
		block, err := lines.next()
		if err == io.EOF {
			return nil, nil
		}
		if err != nil {
			return nil, &fault.Error{Path: in.Path, Row: row, Err: err}
		}
		for len(block) > 0 {
			line, n := cutLine(block)
			if line = bytes.TrimSpace(line); len(line) > 0 {
				return line, nil
			}
			block = block[n:]
			row++
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

// DescribeCSV describes a table by its header and the rows after it.
func DescribeCSV(ctx context.Context, in reading.Shard) (d reading.Description, err error) {
	d.Rows = -1
	sample, err := SampleOf(ctx, in)
	if err != nil {
		return d, err
	}
	layout, err := layoutOf(sample.head, in.Options)
	for _, name := range layout.names {
		d.Columns = append(d.Columns, reading.Column{Name: name})
	}
	if err != nil {
		return d, &fault.Error{Path: in.Path, Row: 1, Err: err}
	}
	columns := layout.columns
	d.Mapping = reading.Mapping{Long: layout.separator == "", Items: layout.names[columns.Items],
		Separator: string(layout.delimiter), ItemSeparator: layout.separator}
	if columns.Document >= 0 {
		d.Mapping.Documents = layout.names[columns.Document]
	}
	if columns.Counts >= 0 {
		d.Mapping.Counts = layout.names[columns.Counts]
	}
	return d, nil
}

// DescribeJSONL describes JSON lines by the first of them.
func DescribeJSONL(ctx context.Context, in reading.Shard) (d reading.Description, err error) {
	d.Rows = -1
	line, err := firstLine(ctx, in, maxDocumentLine)
	if err != nil {
		return d, err
	}
	if len(line) == 0 {
		return d, nil // there is no document
	}
	p := &jsonLines{builder: bag.NewBuilder(0, false), options: in.Options}
	p.words = newTokenizer(p.builder, in.Options)
	p.builder.Begin(new(documents.Batch), 0)
	err = p.document(line)
	for _, m := range p.members {
		d.Columns = append(d.Columns, reading.Column{Name: m.name})
	}
	if err != nil {
		return d, &fault.Error{Path: in.Path, Row: 1, Err: err}
	}
	d.Mapping = reading.Mapping{Documents: p.name, Items: p.items, Counts: p.counts, Words: p.options.Tokenize}
	if items, found, _ := p.member(p.items); found && items.kind() == '{' {
		d.Mapping.Items = p.items + ".key"
		if p.options.Columns.Counts != roles.NoCounts {
			d.Mapping.Counts = p.items + ".value"
		}
	}
	return d, nil
}
