// This file checks the entries of docword and Matrix Market files against their headers.

package text

import (
	"fmt"
	"io"

	"anchorage/shard/fault"
	"anchorage/shard/internal/reading"
)

// checkEntry returns what is wrong with the entry just read, whose predecessor belongs to the document previous. It
// makes the count 0 where the rule leaves the entry out.
func (r *docwordReader) checkEntry(previous int64) error {
	entry := r.entry
	var err error
	switch {
	case entry.document < 1 || entry.document > r.documents:
		err = fault.InRow(fmt.Errorf("document %d is not between 1 and the header's %d", entry.document, r.documents))
	case entry.word < 1 || entry.word > r.words:
		err = fault.InRow(fmt.Errorf("word %d is not between 1 and the header's %d", entry.word, r.words))
	case entry.document < previous:
		err = fault.Because(fault.Scattered, "document %d follows document %d: the lines must be sorted by document",
			entry.document, previous)
	case r.read > r.entries:
		err = fmt.Errorf("there are more lines than the %d of the header", r.entries)
	default:
		var count int32
		count, err = r.builder.Integer(entry.count)
		r.entry.count = int64(count)
	}
	if err != nil {
		return r.fail(err)
	}
	return r.checkGap(entry.document)
}

// checkGap returns an error where the documents before document are far more than the lines read.
func (r *docwordReader) checkGap(document int64) error {
	if !r.group && document > reading.FreeEmpty+reading.EmptyPerLine*r.read {
		return r.fail(fmt.Errorf("document %d comes after only %d lines: too many empty documents", document, r.read))
	}
	return nil
}

// checkEnd compares what was read with the header and returns io.EOF if it agrees.
func (r *docwordReader) checkEnd() error {
	if r.read != r.entries {
		return r.fail(fmt.Errorf("the file ends after %d lines; the header says %d", r.read, r.entries))
	}
	if err := r.checkGap(r.documents); err != nil {
		return err
	}
	return io.EOF
}
