// This file reads the formats in which every line is a document. A lineParser says what a line means.

package text

import (
	"bytes"
	"io"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/reading"
)

// maxDocumentLine is the length of the longest line, in bytes, of formats other than baskets.
const maxDocumentLine = 64 << 20

// lineParser adds what the line at the beginning of block holds to the open document of a builder, and returns the
// line's length, its end included. document says whether the line is a document; a comment is not.
type lineParser func(block []byte) (n int, document bool, err error)

// lineByLine returns the lineParser that gives parse each line without its end.
func lineByLine(parse func(line []byte) (document bool, err error)) lineParser {
	return func(block []byte) (int, bool, error) {
		line, n := cutLine(block)
		document, err := parse(line)
		return n, document, err
	}
}

type linesReader struct {
	watch   *access.Watch
	path    string
	stream  *access.Text
	lines   *lineBlocks
	builder *bag.Builder
	parser  lineParser
	block   []byte
	taken   int64   // lines taken so far
	row     int64   // documents complete so far
	single  *string // id of the one document that all lines are; nil where each is one
}

// openLines opens a shard whose lines, of at most maxLine bytes, go to the parser that newParser makes.
func openLines(w *access.Watch, in reading.Shard, maxLine int, newParser func(*bag.Builder) (lineParser,
	error)) (reading.Reader, error) {
	stream, err := w.OpenText(in.Object)
	if err != nil {
		return nil, err
	}
	buffer := lineBlock
	if in.Document != "" { // most files that are documents are small, and there are many
		buffer = int(min(max(in.Size+1, 4<<10), lineBlock))
	}
	r := &linesReader{watch: w, path: in.Path, stream: stream, lines: newLineBlocks(stream, maxLine, buffer),
		builder: in.Builder()}
	if r.parser, err = newParser(r.builder); err != nil {
		stream.Close()
		return nil, err
	}
	return r, nil
}

// Next implements Reader.
func (r *linesReader) Next(batch *documents.Batch) error {
	r.builder.Begin(batch, r.row)
	defer r.builder.Finish()
	for {
		if err := r.watch.Check(); err != nil {
			return err
		}
		for len(r.block) > 0 {
			n, document, err := r.parser(r.block)
			if err != nil {
				if err := r.builder.Leave(r.placed(err)); err != nil {
					return err
				}
				_, n = cutLine(r.block)
				document = true
			}
			r.block = r.block[n:]
			r.taken++
			if !document {
				continue
			}
			r.row++
			if r.builder.EndDocument() {
				return nil
			}
		}
		var err error
		if r.block, err = r.lines.next(); err == io.EOF {
			if r.single != nil && r.row == 0 {
				r.row++
				err := r.builder.SetName([]byte(*r.single))
				r.builder.EndDocument()
				return err
			}
			if r.builder.Documents() == 0 {
				return io.EOF
			}
			return nil
		} else if err != nil {
			return &fault.Error{Path: r.path, Row: r.taken + 1, Err: err}
		}
	}
}

// Ahead implements reading.Ahead.
func (r *linesReader) Ahead() float64 {
	if r.lines.read == 0 {
		return 0
	}
	return float64(len(r.block)+r.lines.end-r.lines.tail) / float64(r.lines.read)
}

// placed returns an error of a parser with its place. It concerns a single line, unless it is an *Error already.
func (r *linesReader) placed(err error) *fault.Error {
	e, whole := err.(*fault.Error)
	if !whole {
		e = &fault.Error{Err: fault.InRow(err)}
	}
	e.Path, e.Row = r.path, r.taken+1
	return e
}

// Close implements Reader.
func (r *linesReader) Close() error { return r.stream.Close() }

// cutLine returns the line at the beginning of block without its end, and its length with it.
func cutLine(block []byte) (line []byte, n int) {
	n = len(block)
	if newline := bytes.IndexByte(block, '\n'); newline >= 0 {
		line, n = block[:newline], newline+1
	} else {
		line = block
	}
	return bytes.TrimSuffix(line, []byte("\r")), n
}

// cutField returns the first field of a line, which ends at a blank or tab, and what follows it; the field is empty at
// the end of the line.
func cutField(line []byte) (field, rest []byte) {
	at := 0
	for at < len(line) && (line[at] == ' ' || line[at] == '\t') {
		at++
	}
	first := at
	for at < len(line) && line[at] != ' ' && line[at] != '\t' {
		at++
	}
	return line[first:at], line[at:]
}
