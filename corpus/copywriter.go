// This file writes a compact copy.

package corpus

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"anchorage/internal/checkpoint"
	"anchorage/internal/durable"
	"anchorage/internal/process"
)

// CopyWriter writes a compact copy of documents for further passes. Item indices may be provisional or final. The bytes depend
// only on the documents, not on how they are divided into calls of Append. A CopyWriter belongs to one goroutine.
type CopyWriter struct {
	name  string
	sink  sink
	block blockEncoder
	sizes []uint32 // of the blocks written
	total totals
}

// sink takes the bytes. It is a *durable.Writer, a memorySink or a streamSink.
type sink interface {
	io.Writer
	Commit() error
	Abort()
}

// memorySink holds a copy in memory.
type memorySink struct{ bytes.Buffer }

func (*memorySink) Commit() error { return nil }
func (m *memorySink) Abort()      {}

// streamSink passes a copy on to a writer of the caller.
type streamSink struct{ io.Writer }

func (streamSink) Commit() error { return nil }
func (streamSink) Abort()        {}

// NewCopyWriter begins a compact copy. Close puts it at path and replaces any file there. Nothing changes at path before that.
func NewCopyWriter(path string) (*CopyWriter, error) {
	file, err := durable.NewWriter(path)
	if err != nil {
		return nil, err
	}
	w := &CopyWriter{name: path, sink: file}
	if _, err := file.Write(appendHeader(nil)); err != nil {
		file.Abort()
		return nil, err
	}
	return w, nil
}

// NewCopyStream begins a compact copy that is written to w, which Close does not close.
func NewCopyStream(w io.Writer) (*CopyWriter, error) {
	_, err := w.Write(appendHeader(nil))
	return &CopyWriter{name: "the copy", sink: streamSink{w}}, err
}

// newMemoryWriter begins a compact copy in memory.
func newMemoryWriter() (*CopyWriter, *memorySink) {
	m := &memorySink{}
	m.Write(appendHeader(nil))
	return &CopyWriter{name: "the copy in memory", sink: m}, m
}

// keptSink is a copy in the folder of a checkpoint, which grows where an earlier run has ended.
type keptSink struct {
	*durable.Appender
}

func (s keptSink) Commit() error { return s.Close() }
func (s keptSink) Abort()        { s.Appender.Abort() }

// checkpoint takes where the writer stands to a checkpoint or from one. The copy itself must be written out before that.
func (w *CopyWriter) checkpoint(v *checkpoint.Values) {
	t, b := &w.total, &w.block
	v.Take(&w.sizes, &t.documents, &t.entries, &t.tokens, &t.items, &b.documents, &b.entries, &b.lengths, &b.control, &b.words, &b.counts)
}

// written returns the bytes of the header and of the blocks that are complete.
func (w *CopyWriter) written() int64 {
	total := int64(headerSize)
	for _, size := range w.sizes {
		total += int64(size)
	}
	return total
}

// Append adds documents. It panics if the items of a document are not strictly increasing from 0 or a count is not positive.
// After an error, the writer can only be aborted.
func (w *CopyWriter) Append(documents *Documents) error {
	for m := range documents.Documents() {
		items, counts := documents.Row(m)
		if len(items) > blockEntries {
			const entry = 12 // word, control and count, and the room that append leaves
			if err := process.Reserve(entry * int64(len(items))); err != nil {
				return err
			}
		}
		w.block.add(items, counts)
		w.total.documents++
		w.total.entries += int64(len(items))
		w.total.tokens += tokens(counts)
		if len(items) > 0 {
			w.total.items = max(w.total.items, int64(items[len(items)-1])+1)
		}
		if w.block.full() {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush writes the current block.
func (w *CopyWriter) flush() error {
	size := w.block.size()
	if size > math.MaxUint32 || len(w.sizes) == math.MaxUint32 {
		return fmt.Errorf("%s: block %d would be too large", w.name, len(w.sizes)+1)
	}
	for _, section := range w.block.sections(uint32(len(w.sizes))) {
		if _, err := w.sink.Write(section); err != nil {
			return err
		}
	}
	w.sizes = append(w.sizes, uint32(size))
	w.block.reset()
	return nil
}

// Close completes the file and puts it at its path. After an error, there is no new file.
func (w *CopyWriter) Close() error {
	defer w.sink.Abort()
	if w.block.documents > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.total.blocks = int64(len(w.sizes))
	if _, err := w.sink.Write(appendFooter(nil, w.sizes, w.total)); err != nil {
		return err
	}
	return w.sink.Commit()
}

// Abort removes what was written. After Close or an earlier Abort it does nothing.
func (w *CopyWriter) Abort() { w.sink.Abort() }
