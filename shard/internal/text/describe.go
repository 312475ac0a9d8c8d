// This file describes CSV by its header and JSON lines by the first one.

package text

import (
	"context"
	"io"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/roles"
)

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
	text, err := access.Preview(ctx, in.Object)
	if err != nil {
		return d, err
	}
	in.BatchEntries = 1
	r := &linesReader{watch: access.NewWatch(ctx), path: in.Path, stream: text,
		lines: newLineBlocks(text, maxDocumentLine, 0), builder: in.Builder()}
	defer r.Close()
	p := &jsonLines{builder: r.builder, options: in.Options, words: newTokenizer(r.builder, in.Options)}
	r.parser = p
	if err = r.Next(new(documents.Batch)); err == io.EOF {
		return d, nil // there is no document
	}
	for _, m := range p.members {
		d.Columns = append(d.Columns, reading.Column{Name: m.name})
	}
	if err != nil {
		return d, err
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
