// This file describes CSV by its header and JSON lines by the first one.

package text

import (
	"bytes"
	"context"
	"errors"
	"io"

	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/fault"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/roles"
)

// firstLine returns the first line of a text that is not blank, which has at most so many bytes; nil if there is none.
func firstLine(ctx context.Context, in reading.Shard, most int) ([]byte, error) {
	text, err := access.OpenText(ctx, in.Object)
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

// DescribeCSV describes a long table by its header.
func DescribeCSV(ctx context.Context, in reading.Shard) (d reading.Description, err error) {
	d.Rows = -1
	line, err := firstLine(ctx, in, MaxRecord)
	if err != nil {
		return d, err
	}
	delimiter, names, ok := csvHeader(line)
	if !ok {
		return d, &fault.Error{Path: in.Path, Row: 1, Err: errors.New("the header does not name two columns or more")}
	}
	for _, name := range names {
		d.Columns = append(d.Columns, reading.Column{Name: name})
	}
	choice, err := csvColumns(names, in.Columns)
	if err != nil {
		return d, &fault.Error{Path: in.Path, Row: 1, Err: err}
	}
	d.Mapping = reading.Mapping{Long: true, Documents: names[choice.Document], Items: names[choice.Items], Separator: string(delimiter)}
	if choice.Counts >= 0 {
		d.Mapping.Counts = names[choice.Counts]
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
	p.words.builder = p.builder
	p.builder.Begin(new(bag.Batch), 0)
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
