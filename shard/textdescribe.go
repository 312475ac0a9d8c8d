// This file describes CSV by its header and JSON lines by the first one.

package shard

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// firstLine returns the first line of a text that is not blank, as far as it is within the first sampleBytes.
func firstLine(ctx context.Context, in input) ([]byte, error) {
	text, err := openText(ctx, in.object)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	head, err := bufio.NewReaderSize(text, sampleBytes).Peek(sampleBytes)
	if err != nil && err != io.EOF {
		return nil, &Error{Path: in.path, Row: 1, Err: err}
	}
	line, _ := cutLine(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), "\r\n \t"))
	return line, nil
}

// describeCSV describes a long table by its header.
func describeCSV(ctx context.Context, in input) (d description, err error) {
	d.Rows = -1
	line, err := firstLine(ctx, in)
	if err != nil {
		return d, err
	}
	_, names, ok := csvHeader(line)
	if !ok {
		return d, &Error{Path: in.path, Row: 1, Err: errors.New("the header does not name two columns or more")}
	}
	for _, name := range names {
		d.Columns = append(d.Columns, columnInfo{Name: name})
	}
	choice, err := csvColumns(names, in.Columns)
	if err != nil {
		return d, &Error{Path: in.path, Row: 1, Err: err}
	}
	counts := ""
	if choice.counts >= 0 {
		counts = names[choice.counts]
	}
	d.say(true, names[choice.document], names[choice.items], counts)
	return d, nil
}

// describeJSONL describes JSON lines by the first of them.
func describeJSONL(ctx context.Context, in input) (d description, err error) {
	d.Rows = -1
	line, err := firstLine(ctx, in)
	if err != nil {
		return d, err
	}
	if len(line) == 0 {
		d.Reading = "a document per line; there is none"
		return d, nil
	}
	p := &jsonLines{builder: newBuilder(0, false), options: in.readOptions}
	p.words.builder = p.builder
	p.builder.begin(new(Batch), 0)
	err = p.document(line)
	for _, m := range p.members {
		d.Columns = append(d.Columns, columnInfo{Name: m.name})
	}
	if len(line) >= sampleBytes {
		d.Reading = "a document per line; the first line is too long to be shown"
		return d, nil
	}
	if err != nil {
		return d, &Error{Path: in.path, Row: 1, Err: err}
	}
	d.say(false, p.name, p.items, p.counts)
	if items, found, _ := p.member(p.items); found && items.kind() == '{' {
		d.Reading = fmt.Sprintf("a document per line: an object %q of items and their counts", p.items)
	}
	return d, nil
}
