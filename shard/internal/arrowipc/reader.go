// This file reads documents from Arrow IPC files and streams and from Feather version 2: the lists of items and of
// counts in step, one of each per row.

package arrowipc

import (
	"errors"
	"fmt"
	"io"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/longtable"
	"anchorage/shard/internal/reading"
)

// reader reads the record batches of a part.
type reader struct {
	watch   *access.Watch
	part    batchRun
	file    access.Source
	builder *bag.Builder
	batches batchReader

	items, counts, names *leafReader // counts and names may be nil
	itemLists            *listReader
	countLists           *listReader // nil where the counts are in the lists of the items

	codes, numbers []int32
	at             string // name of the column being decoded
}

// batchReader goes from one record batch to the next and opens the columns in it.
type batchReader struct {
	file         io.ReaderAt
	plan         *filePlan
	next, to     int
	batch        recordBatch
	row          int64 // rows of the batch that are complete
	places       []fieldPlace
	dictionaries dictionaryReader
	leaves       []*leafReader
	lists        []*listReader
}

func newBatches(part batchRun, file io.ReaderAt) batchReader {
	return batchReader{file: file, plan: part.plan, next: part.from, to: part.to,
		dictionaries: dictionaryReader{file: file, plan: part.plan}}
}

// leaf returns a reader of the values of a column; nil for none.
func (a *batchReader) leaf(c *columnFields) *leafReader {
	if c == nil {
		return nil
	}
	l := newLeaf(c.value)
	a.leaves = append(a.leaves, l)
	if c.value.dictionary {
		a.dictionaries.leaves = append(a.dictionaries.leaves, l)
	}
	return l
}

// list returns a reader of the lists of a column.
func (a *batchReader) list(c *columnFields) *listReader {
	l := newLists(c)
	a.lists = append(a.lists, l)
	return l
}

// begin opens the next batch unless the current one has rows left. The error is io.EOF after the last one.
func (a *batchReader) begin() error {
	if a.row < a.batch.rows {
		return nil
	}
	if a.next == a.to {
		return io.EOF
	}
	a.batch, a.row = a.plan.batches[a.next], 0
	a.next++
	data, err := readBytes(a.file, a.batch.meta, a.batch.metaLength)
	if err != nil {
		return err
	}
	_, _, header, err := parseMessage(data)
	if err != nil {
		return err
	}
	body, err := parseBody(header, a.file, a.batch.messageBlock)
	if err != nil {
		return err
	}
	if a.places, err = placesOf(a.plan.schema, body, a.places); err != nil {
		return err
	}
	if err := a.dictionaries.forward(a.batch.dictionaries); err != nil {
		return err
	}
	for _, l := range a.lists {
		if err := l.open(body, a.places); err != nil {
			return err
		}
	}
	for _, l := range a.leaves {
		if err := l.open(body, a.places[l.field.ordinal]); err != nil {
			return err
		}
	}
	return nil
}

// beginCodes forgets item codes: a batch of documents begins.
func (a *batchReader) beginCodes() {
	for _, l := range a.leaves {
		l.codes.Forget()
	}
}

func (a *batchReader) close() {
	for _, l := range a.leaves {
		l.close()
	}
	for _, l := range a.lists {
		l.close()
	}
}

// open returns a reader of the part.
func (part batchRun) open(w *access.Watch) (reading.Reader, error) {
	file, err := w.Open(part.in.Object)
	if err != nil {
		return nil, err
	}
	columns := part.plan.columns
	if columns.long {
		rows := newLongRows(part, file)
		r := longtable.New(w, part.in, rows)
		rows.counter = r.Counter()
		return r, nil
	}
	r := &reader{watch: w, part: part, file: file, builder: part.in.Builder(), batches: newBatches(part, file),
		codes: make([]int32, chunkValues), numbers: make([]int32, chunkValues)}
	r.items, r.itemLists = r.batches.leaf(columns.items), r.batches.list(columns.items)
	if r.counts = r.batches.leaf(columns.counts); columns.counts != nil && !columns.inner {
		r.countLists = r.batches.list(columns.counts)
	}
	for i := range r.numbers {
		r.numbers[i] = 1 // without counts they stay 1
	}
	if r.builder.Named {
		r.names = r.batches.leaf(columns.document)
	}
	return r, nil
}

// Next implements Reader.
func (r *reader) Next(batch *documents.Batch) error {
	if err := r.watch.Check(); err != nil {
		return err
	}
	r.builder.Begin(batch, r.row())
	r.batches.beginCodes()
	defer r.builder.Finish()
	err := fault.Guard(r.fill)
	switch {
	case err == nil && r.builder.Documents() == 0:
		return io.EOF
	case err == nil, r.watch.Ended(err):
		return err
	}
	return r.fail(err)
}

// fail returns err as an error about the row under construction.
func (r *reader) fail(err error) error {
	var place *fault.Error
	if errors.As(err, &place) {
		return err
	}
	e := &fault.Error{Path: r.part.in.Path, Column: r.at, Row: r.row() + 1, Err: err}
	if r.batches.row == r.batches.batch.rows {
		e.Row, e.Err = 0, fmt.Errorf("record batch %d: %w", r.batches.batch.number, err)
	}
	return e
}

// row returns the number of the row under construction.
func (r *reader) row() int64 {
	a := &r.batches
	if a.row == a.batch.rows && a.next < a.to {
		return a.plan.batches[a.next].firstRow
	}
	return a.batch.firstRow + a.row
}

// fill reads documents until the batch is complete or the part has ended.
func (r *reader) fill() error {
	for rows := 0; ; rows++ {
		if rows&0xff == 0 {
			if err := r.watch.Check(); err != nil {
				return err
			}
		}
		r.at = ""
		if err := r.batches.begin(); err == io.EOF {
			return nil
		} else if err != nil {
			// The batch could not be opened, so the error is about no row of it.
			r.batches.row = r.batches.batch.rows
			return err
		}
		if err := r.document(); err != nil {
			if err := r.builder.Leave(r.fail(err)); err != nil {
				return err
			}
		}
		r.batches.row++
		if r.builder.EndDocument() {
			return nil
		}
	}
}

// Close implements Reader.
func (r *reader) Close() error {
	r.batches.close()
	return r.file.Close()
}
