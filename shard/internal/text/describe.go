// This file describes CSV by its header and JSON lines by the first one.

package text

import (
	"bufio"
	"bytes"
	"context"
	"io"

	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/fault"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/roles"
)

// firstLine returns the first line of a text that is not blank, as far as it is within the first SampleBytes.
func firstLine(ctx context.Context, in reading.Shard) ([]byte, error) {
	text, err := access.Preview(ctx, in.Object)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	head, err := bufio.NewReaderSize(text, SampleBytes).Peek(SampleBytes)
	if err != nil && err != io.EOF {
		return nil, &fault.Error{Path: in.Path, Row: 1, Err: err}
	}
	line, _ := cutLine(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), "\r\n \t"))
	return line, nil
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
	d.Mapping = reading.Mapping{Long: layout.separator == "", Items: layout.names[columns.Items], Separator: string(layout.delimiter), ItemSeparator: layout.separator}
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
	line, err := firstLine(ctx, in)
	if err != nil {
		return d, err
	}
	if len(line) == 0 {
		return d, nil // there is no document
	}
	p := &jsonLines{builder: bag.NewBuilder(0, false), options: in.Options}
	p.words = newTokenizer(p.builder, in.Options)
	p.builder.Begin(new(bag.Batch), 0)
	err = p.document(line)
	for _, m := range p.members {
		d.Columns = append(d.Columns, reading.Column{Name: m.name})
	}
	if len(line) >= SampleBytes {
		return d, nil // the line may be cut off
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
