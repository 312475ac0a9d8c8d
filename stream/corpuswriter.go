// This file writes a corpus cache.

package stream

import (
	"fmt"
	"math"

	"anchorage/internal/durable"
)

// CorpusWriter writes a corpus cache: documents with item indices, provisional or final, for further passes over them.
// The bytes depend on the documents alone, not on the runs in which they are appended. Close completes the file and gives
// it its name; until then there is nothing at its path. It belongs to one goroutine.
type CorpusWriter struct {
	path  string
	file  *durable.Writer
	block blockEncoder
	sizes []uint32 // of the blocks written
	total totals
}

// NewCorpusWriter begins a corpus cache that Close will put at path, in place of any file that is there.
func NewCorpusWriter(path string) (*CorpusWriter, error) {
	file, err := durable.NewWriter(path)
	if err != nil {
		return nil, err
	}
	if _, err := file.Write(appendHeader(nil)); err != nil {
		file.Abort()
		return nil, err
	}
	return &CorpusWriter{path: path, file: file}, nil
}

// Append adds documents. It panics where the items of one are not strictly increasing from 0 or its counts not positive.
// After an error the writer can only be aborted.
func (w *CorpusWriter) Append(documents *Documents) error {
	for m := range documents.Documents() {
		items, counts := documents.Row(m)
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

// flush writes the block gathered so far.
func (w *CorpusWriter) flush() error {
	size := w.block.size()
	if size > math.MaxUint32 || len(w.sizes) == math.MaxUint32 {
		return fmt.Errorf("%s: block %d would be too large", w.path, len(w.sizes)+1)
	}
	for _, section := range w.block.sections(uint32(len(w.sizes))) {
		if _, err := w.file.Write(section); err != nil {
			return err
		}
	}
	w.sizes = append(w.sizes, uint32(size))
	w.block.reset()
	return nil
}

// Close completes the file. On an error there is no new file.
func (w *CorpusWriter) Close() error {
	defer w.file.Abort()
	if w.block.documents > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.total.blocks = int64(len(w.sizes))
	if _, err := w.file.Write(appendFooter(nil, w.sizes, w.total)); err != nil {
		return err
	}
	return w.file.Commit()
}

// Abort removes what was written. After Close, or a second time, it does nothing.
func (w *CorpusWriter) Abort() { w.file.Abort() }
