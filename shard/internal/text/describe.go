// This file describes CSV by its header and JSON lines by the first one.

package text

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/fault"
	"anchorage/shard/internal/reading"
)

// firstLine returns the first line of a text that is not blank, as far as it is within the first SampleBytes.
func firstLine(ctx context.Context, in reading.Shard) ([]byte, error) {
	text, err := access.OpenText(ctx, in.Object)
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

// DescribeCSV describes a long table by its header.
func DescribeCSV(ctx context.Context, in reading.Shard) (d reading.Description, err error) {
	d.Rows = -1
	line, err := firstLine(ctx, in)
	if err != nil {
		return d, err
	}
	_, names, ok := csvHeader(line)
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
	counts := ""
	if choice.Counts >= 0 {
		counts = names[choice.Counts]
	}
	d.Say(true, names[choice.Document], names[choice.Items], counts)
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
		d.Reading = "a document per line; the file has none"
		return d, nil
	}
	p := &jsonLines{builder: bag.NewBuilder(0, false), options: in.Options}
	p.words = newTokenizer(p.builder, in.Options)
	p.builder.Begin(new(bag.Batch), 0)
	err = p.document(line)
	for _, m := range p.members {
		d.Columns = append(d.Columns, reading.Column{Name: m.name})
	}
	if len(line) >= SampleBytes {
		d.Reading = "a document per line; the first line is too long to be shown"
		return d, nil
	}
	if err != nil {
		return d, &fault.Error{Path: in.Path, Row: 1, Err: err}
	}
	d.Say(false, p.name, p.items, p.counts)
	if items, found, _ := p.member(p.items); found && items.kind() == '{' {
		d.Reading = fmt.Sprintf("a document per line: an object %q of items and their counts", p.items)
	}
	return d, nil
}
