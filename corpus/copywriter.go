// This file writes a compact copy.

package corpus

import (
	"fmt"
	"io"
	"math"

	"anchorage/internal/checkpoint"
	"anchorage/internal/process"
)

// CopyWriter writes a compact copy of documents for further passes. Item indices may be provisional or final. The bytes
// depend only on the documents, not on how they are divided into calls of Append. A CopyWriter belongs to one
// goroutine.
type CopyWriter struct {
	to    io.Writer
	block blockEncoder
	sizes []uint32 // of the blocks written
	total totals
}

// NewCopyWriter begins a compact copy that is written to to, which Close does not close.
func NewCopyWriter(to io.Writer) (*CopyWriter, error) {
	_, err := to.Write(copyHeader())
	return &CopyWriter{to: to}, err
}

// checkpoint takes the state of the writer to a checkpoint or from one. The copy itself must be written out before
// that.
func (w *CopyWriter) checkpoint(v *checkpoint.Values) {
	t, b := &w.total, &w.block
	v.Take(&w.sizes, &t.documents, &t.entries, &t.tokens, &t.items, &b.documents, &b.entries, &b.lengths, &b.control,
		&b.words, &b.counts)
}

// written returns the bytes of the header and of the blocks that are complete.
func (w *CopyWriter) written() int64 {
	total := int64(headerSize)
	for _, size := range w.sizes {
		total += int64(size)
	}
	return total
}

// Append adds documents. It panics if the items of a document are not strictly increasing from 0 or a count is not
// positive. After an error, the copy cannot be completed.
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
		w.total.tokens += Tokens(counts)
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
		return fmt.Errorf("block %d of the copy of the documents would be too large", len(w.sizes)+1)
	}
	for _, section := range w.block.sections(uint32(len(w.sizes))) {
		if _, err := w.to.Write(section); err != nil {
			return err
		}
	}
	w.sizes = append(w.sizes, uint32(size))
	w.block.reset()
	return nil
}

// Close writes what is left, the index and the footer.
func (w *CopyWriter) Close() error {
	if w.block.documents > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.total.blocks = int64(len(w.sizes))
	_, err := w.to.Write(copyFooter(w.sizes, w.total))
	return err
}
