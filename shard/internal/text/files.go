// This file reads a file as one document, whose words are its items.

package text

import (
	"bytes"
	"io"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/reading"
)

// fileReader yields the one document of a file.
type fileReader struct {
	watch  *access.Watch
	in     reading.Shard
	stream *access.Text // nil once the document was read
	words  tokenizer
}

// OpenFile opens a file that is a document.
func OpenFile(w *access.Watch, in reading.Shard) (reading.Reader, error) {
	stream, err := w.OpenText(in.Object)
	if err != nil {
		return nil, err
	}
	return &fileReader{watch: w, in: in, stream: stream, words: newTokenizer(in.Builder(), in.Options)}, nil
}

// Next implements Reader.
func (r *fileReader) Next(batch *documents.Batch) error {
	if r.stream == nil {
		return io.EOF
	}
	builder := r.words.builder
	builder.Begin(batch, 0)
	defer builder.Finish()
	if err := builder.SetName([]byte(r.in.Document)); err != nil {
		return err
	}
	if err := r.read(); err != nil {
		return err
	}
	builder.EndDocument()
	return r.Close()
}

// read adds the words of the file, a block of lines at a time: no word continues in the next line.
func (r *fileReader) read() error {
	// Most such files are small, and there are many.
	lines := newSmallBlocks(r.stream, maxDocumentLine, int(min(max(r.in.Size+1, 4<<10), lineBlock)))
	for row := int64(1); ; {
		if err := r.watch.Check(); err != nil {
			return err
		}
		block, err := lines.next()
		if err == io.EOF {
			return nil
		}
		if err == nil && bytes.IndexByte(block, 0) >= 0 {
			err = errNotText
		}
		if err == nil {
			err = r.words.add(block)
		}
		if err != nil {
			return &fault.Error{Path: r.in.Path, Row: row, Err: err}
		}
		row += int64(bytes.Count(block, []byte("\n")))
	}
}

// Close implements Reader.
func (r *fileReader) Close() error {
	if r.stream == nil {
		return nil
	}
	err := r.stream.Close()
	r.stream = nil
	return err
}
