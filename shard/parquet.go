// This file reads documents from Parquet files: the columns of items and of counts in step, one list of each per row.

package shard

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

var errTwoLists = errors.New("the lists of items and of counts differ in length")

type parquetReader struct {
	watch   *watch
	file    source
	part    parquetPart
	builder *builder
	codec   decompressor

	items, counts *column // counts is nil where every occurrence counts 1
	at            string  // name of the column being decoded

	group  int   // row group that is read; part.to after the last
	inside bool  // a row group has been opened
	row    int64 // rows of the group that are complete
	open   bool  // a row has been begun

	codes     codeCache
	runCodes  []int32 // of the items of a run, and their counts
	runCounts []int32
}

// column is a list column on its way through a run of levels.
type column struct {
	*chunkReader
	list  *listColumn
	pos   int // levels of the run used so far
	value int // values of the run used so far
}

// openDocuments opens a part whose rows are documents.
func (part parquetPart) openDocuments(w *watch) (Reader, error) {
	file, err := w.open(part.in.object)
	if err != nil {
		return nil, err
	}
	r := &parquetReader{watch: w, file: file, part: part, builder: newBuilder(part.in.BatchEntries, part.in.Names), group: part.from,
		runCodes: make([]int32, runValues), runCounts: make([]int32, runValues)}
	r.items = &column{chunkReader: newChunkReader(part.plan.items.leaf, &r.codec), list: part.plan.items}
	r.items.keepIndices = true
	for i := range r.runCounts {
		r.runCounts[i] = 1 // what it remains where there are no counts
	}
	if counts := part.plan.counts; counts != nil {
		r.counts = &column{chunkReader: newChunkReader(counts.leaf, &r.codec), list: counts}
	}
	return r, nil
}

// plan returns the plan of the current row group.
func (r *parquetReader) plan() *groupPlan { return &r.part.plan.groups[r.group] }

// Next implements Reader.
func (r *parquetReader) Next(batch *Batch) error {
	if err := r.watch.check(); err != nil {
		return err
	}
	if r.group == r.part.to {
		return io.EOF
	}
	r.builder.begin(batch, r.plan().firstRow+r.row)
	r.codes.forget()
	defer r.builder.finish()
	err := guard(r.fill)
	var place *Error
	switch {
	case err == nil && r.builder.documents() == 0:
		return io.EOF
	case err == nil, errors.As(err, &place), r.watch.ended(err):
		return err
	}
	return r.fail(r.at, err)
}

// fail returns an error about the row under construction.
func (r *parquetReader) fail(column string, err error) error {
	e := &Error{Path: r.part.in.path, Column: column, Err: err}
	if r.group < r.part.to {
		e.Group = r.plan().number
		if r.inside {
			e.Row = r.plan().firstRow + r.row + 1
		}
	}
	return e
}

// fill reads documents until the batch is complete or the part has ended.
func (r *parquetReader) fill() error {
	for r.group < r.part.to {
		if !r.inside {
			r.openGroup()
		}
		if err := r.refill(); err != nil {
			return err
		}
		levels := r.items.n - r.items.pos
		if r.counts != nil {
			left := r.counts.n - r.counts.pos
			if (left == 0) != (levels == 0) {
				return r.fail("", errTwoLists)
			}
			levels = min(levels, left)
		}
		full := false
		var err error
		if levels > 0 {
			full, err = r.consume(levels)
		} else {
			full, err = r.endGroup()
		}
		if full || err != nil {
			return err
		}
	}
	return nil
}

func (r *parquetReader) openGroup() {
	plan := r.plan()
	r.at = r.items.list.name
	r.items.open(r.file, plan.items)
	r.items.pos, r.items.value = 0, 0
	r.codes.forget()
	if r.counts != nil {
		r.at = r.counts.list.name
		r.counts.open(r.file, plan.counts)
		r.counts.pos, r.counts.value = 0, 0
	}
	r.inside, r.row, r.open = true, 0, false
}

// refill decodes the next run of each column whose run is used up.
func (r *parquetReader) refill() error {
	for _, c := range []*column{r.items, r.counts} {
		if c == nil || c.pos < c.n {
			continue
		}
		if err := r.watch.check(); err != nil {
			return err
		}
		r.at = c.list.name
		if err := c.fill(); err != nil {
			return err
		}
		c.pos, c.value = 0, 0
		if c == r.items {
			r.codes.grow(c.pages.dictionary.values)
		}
	}
	return nil
}

// endGroup closes the last row of a group and goes on to the next group. It reports whether the batch is complete.
func (r *parquetReader) endGroup() (full bool, err error) {
	if r.open {
		full = r.endRow()
	}
	if want := r.plan().rows; r.row != want {
		return false, r.fail(r.items.list.name, fmt.Errorf("the column has %d rows, the row group %d", r.row, want))
	}
	r.group++
	r.inside, r.row = false, 0
	return full, nil
}

func (r *parquetReader) endRow() (full bool) {
	r.open = false
	r.row++
	return r.builder.endDocument()
}

// consume takes the next n levels of both columns. It stops in front of a row when the batch is complete.
func (r *parquetReader) consume(n int) (full bool, err error) {
	items, counts := r.items, r.counts
	for end := items.pos + n; items.pos < end; {
		// What the run has of one row.
		from, to := items.pos, items.pos+1
		for to < end && items.rep[to] != 0 {
			to++
		}
		if counts != nil && !slices.Equal(items.rep[from:to], counts.rep[counts.pos:counts.pos+to-from]) {
			return false, r.fail("", errTwoLists)
		}
		if items.rep[from] == 0 {
			if r.open && r.endRow() {
				return true, nil
			}
			if r.row == r.plan().rows {
				return false, r.fail(items.list.name, fmt.Errorf("the column has more rows than the %d of the row group", r.row))
			}
			r.open = true
		} else if !r.open {
			return false, r.fail(items.list.name, errors.New("a row group begins in the middle of a row"))
		}
		if items.complete(to-from) && (counts == nil || counts.complete(to-from)) {
			err = r.addRun(to - from)
		} else {
			err = r.addLevels(to - from)
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// complete reports whether the next n levels all have a value.
func (c *column) complete(n int) bool {
	if c.present == c.n {
		return true
	}
	most := c.leaf.MaxDefinitionLevel()
	for _, level := range c.def[c.pos : c.pos+n] {
		if level < most {
			return false
		}
	}
	return true
}

// addLevels adds the items of the next n levels to the open row.
func (r *parquetReader) addLevels(n int) error {
	items, counts := r.items, r.counts
	value, element := items.leaf.MaxDefinitionLevel(), items.list.element
	for ; n > 0; n-- {
		defined := value
		if items.def != nil {
			defined = items.def[items.pos]
		}
		if counts != nil {
			counted := counts.leaf.MaxDefinitionLevel()
			if counts.def != nil {
				counted = counts.def[counts.pos]
			}
			if (counted >= counts.list.element) != (defined >= element) {
				return r.fail("", errTwoLists)
			}
			if defined >= element && counted < counts.leaf.MaxDefinitionLevel() {
				return r.fail(counts.list.name, errors.New("a count is null"))
			}
			counts.pos++
		}
		items.pos++
		switch {
		case defined == value:
			if err := r.addItem(); err != nil {
				return err
			}
		case defined >= element:
			return r.fail(items.list.name, errors.New("an item is null"))
		}
	}
	return nil
}

// addRun adds the next n items, all of which are there, to the open row.
func (r *parquetReader) addRun(n int) error {
	items, counts := r.items, r.counts
	items.pos += n
	if counts != nil {
		counts.pos += n
	}
	if !r.countRun(n) {
		// One of the counts is none: the slow way says which.
		for range n {
			if err := r.addItem(); err != nil {
				return err
			}
		}
		return nil
	}
	codes := r.runCodes[:n]
	err := r.codeRun(codes)
	if err == nil {
		err = r.builder.addRun(codes, r.runCounts[:n])
	}
	if err != nil {
		return r.fail(items.list.name, err)
	}
	items.value += n
	if counts != nil {
		counts.value += n
	}
	return nil
}

// addItem adds the next item, and its count, to the open row.
func (r *parquetReader) addItem() error {
	code, err := r.code(r.items.value)
	if err != nil {
		return r.fail(r.items.list.name, err)
	}
	r.items.value++
	count := int64(1)
	if r.counts != nil {
		if count, err = r.counts.count(r.counts.value); err == nil {
			err = checkCount(count)
		}
		if err != nil {
			return r.fail(r.counts.list.name, err)
		}
		r.counts.value++
	}
	if err := r.builder.add(code, int32(count)); err != nil {
		return r.fail(r.items.list.name, err)
	}
	return nil
}

// Close implements Reader.
func (r *parquetReader) Close() error {
	r.codec.close()
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	return err
}
