// Package text reads documents from the formats of text: lines of baskets, words, JSON, SVMlight and LDA-C, CSV tables,
// and the entries of docword and Matrix Market files. It also recognises them by their beginnings.
//
// Readers hold one block of lines, and one batch. Lines have a greatest length.
package text

import (
	"bytes"
	"cmp"
	"fmt"
	"io"

	"anchorage/internal/process"
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
	taken   int64  // lines taken so far
	row     int64  // documents complete so far
	single  string // id of the one document that all lines are; empty where each is one
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
	r := newLinesReader(w, in, stream, newLineBlocks(stream, maxLine, buffer))
	if r.parser, err = newParser(r.builder); err != nil {
		stream.Close()
		return nil, err
	}
	return r, nil
}

func newLinesReader(w *access.Watch, in reading.Shard, stream *access.Text, lines *lineBlocks) *linesReader {
	return &linesReader{watch: w, path: in.Path, stream: stream, lines: lines, builder: in.Builder(), single: in.Document}
}

func (r *linesReader) Next(batch *documents.Batch) error { return r.builder.Fill(batch, r.row, r.fill) }

// fill reads lines until the batch is complete or the text has ended.
func (r *linesReader) fill() {
	for {
		fault.Throw(r.watch.Check())
		for len(r.block) > 0 {
			n, document, err := r.parser(r.block)
			if err != nil {
				fault.Throw(r.builder.Leave(r.placed(err)))
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
				return
			}
		}
		var err error
		if r.block, err = r.lines.next(); err == io.EOF {
			if r.single != "" && r.row == 0 {
				r.row++
				fault.Throw(r.builder.SetName([]byte(r.single)))
				r.builder.EndDocument()
			}
			return
		} else if err != nil {
			fault.Throw(&fault.Error{Path: r.path, Row: r.taken + 1, Err: err})
		}
	}
}

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

func (r *linesReader) Close() error { return r.stream.Close() }

// cutLine returns the line at the beginning of block without its end, and its length with it.
func cutLine(block []byte) (line []byte, n int) {
	line, rest, _ := bytes.Cut(block, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), len(block) - len(rest)
}

// cutField returns the first field of a line, which ends at a blank or tab, and what follows it; the field is empty at
// the end of the line.
func cutField(line []byte) (field, rest []byte) {
	line = bytes.TrimLeft(line, " \t")
	if end := bytes.IndexAny(line, " \t"); end >= 0 {
		return line[:end], line[end:]
	}
	return line, nil
}

const lineBlock = 256 << 10

// lineBlocks reads a text in blocks of whole lines, so that a parser need not look for the end of its buffer.
type lineBlocks struct {
	source  io.Reader
	maxLine int // length of the longest line, in bytes
	buffer  []byte
	tail    int // the unfinished line buffer[tail:end] follows the block handed out last
	end     int
	started bool
	read    int64 // bytes read so far
	err     error // what the source returned at last
}

// newLineBlocks returns the blocks of a text. buffer is their size, which grows with the lines; 0 for lineBlock.
func newLineBlocks(source io.Reader, maxLine, buffer int) *lineBlocks {
	return &lineBlocks{source: source, maxLine: maxLine, buffer: make([]byte, cmp.Or(buffer, lineBlock))}
}

// next returns the lines that follow, at least one. Each ends with a newline, except that the text's last line may lack
// it. The block is valid until the next call. After the last block the error is io.EOF, or why the source could not be
// read further: then an unfinished line has been dropped.
func (l *lineBlocks) next() ([]byte, error) {
	held := copy(l.buffer, l.buffer[l.tail:l.end])
	l.tail, l.end = 0, held
	for idle := 0; l.err == nil; {
		if l.end == len(l.buffer) {
			if l.end >= l.maxLine {
				return nil, fmt.Errorf("the line is longer than %d bytes", l.maxLine)
			}
			if err := process.Reserve(2 * int64(len(l.buffer))); err != nil {
				return nil, err
			}
			grown := make([]byte, 2*len(l.buffer))
			copy(grown, l.buffer)
			l.buffer = grown
		}
		n, err := l.source.Read(l.buffer[l.end:])
		if idle++; n > 0 {
			idle = 0
		} else if err == nil && idle > 100 {
			err = io.ErrNoProgress
		}
		fresh := l.buffer[l.end : l.end+n]
		l.end += n
		l.read += int64(n)
		l.err = err
		if newline := bytes.LastIndexByte(fresh, '\n'); newline >= 0 {
			l.tail = l.end - len(fresh) + newline + 1
			return l.block(l.tail), nil
		}
	}
	if l.err == io.EOF && l.end > 0 {
		l.tail = l.end
		return l.block(l.end), nil
	}
	return nil, l.err
}

// block returns the first n bytes of the buffer, without a byte order mark at the beginning of the text.
func (l *lineBlocks) block(n int) []byte {
	block := l.buffer[:n]
	if !l.started {
		l.started = true
		block = bytes.TrimPrefix(block, []byte("\xef\xbb\xbf"))
	}
	return block
}
