// This file reads documents from Parquet files: the columns of items and of counts in step, one list of each per row.

package shard

import (
	"context"
	"errors"
	"fmt"
	"io"
)

var errTwoLists = errors.New("the lists of items and of counts differ in length")

type parquetReader struct {
	ctx     context.Context
	file    source
	part    Part
	builder *builder
	codec   decompressor

	items, counts *column // counts is nil where every occurrence counts 1
	at            string  // name of the column being decoded

	group  int   // row group that is read; part.to after the last
	inside bool  // a row group has been opened
	row    int64 // rows of the group that are complete
	open   bool  // a row has been begun

	codes codeCache
}

// column is a list column on its way through a run of levels.
type column struct {
	*chunkReader
	list  *listColumn
	pos   int // levels of the run used so far
	value int // values of the run used so far
}

func openParquet(ctx context.Context, part Part) (Reader, error) {
	file, err := part.Shard.open(ctx)
	if err != nil {
		return nil, err
	}
	r := &parquetReader{ctx: ctx, file: file, part: part, builder: newBuilder(part.Shard.options), group: part.from}
	r.items = &column{chunkReader: newChunkReader(part.plan.items.leaf, &r.codec), list: part.plan.items}
	if counts := part.plan.counts; counts != nil {
		r.counts = &column{chunkReader: newChunkReader(counts.leaf, &r.codec), list: counts}
	}
	return r, nil
}

// plan returns the plan of the current row group.
func (r *parquetReader) plan() *groupPlan { return &r.part.plan.groups[r.group] }

// Next implements Reader.
func (r *parquetReader) Next(batch *Batch) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if r.group == r.part.to {
		return io.EOF
	}
	r.builder.begin(batch, r.plan().firstRow+r.row)
	r.codes.begin()
	defer r.builder.finish()
	err := guard(r.fill)
	var place *Error
	switch {
	case err == nil && r.builder.documents() == 0:
		return io.EOF
	case err == nil, errors.As(err, &place), r.ctx.Err() != nil && errors.Is(err, r.ctx.Err()):
		return err
	}
	return r.fail(r.at, err)
}

// fail returns an error about the row under construction.
func (r *parquetReader) fail(column string, err error) error {
	e := &Error{Path: r.part.Shard.Path, Column: column, Err: err}
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
		if err := r.ctx.Err(); err != nil {
			return err
		}
		r.at = c.list.name
		if err := c.fill(); err != nil {
			return err
		}
		c.pos, c.value = 0, 0
		if c == r.items {
			r.codes.page(c.pages.dictionary)
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
	value, element := items.leaf.MaxDefinitionLevel(), items.list.element
	for ; n > 0; n-- {
		if counts != nil && counts.rep[counts.pos] != items.rep[items.pos] {
			return false, r.fail("", errTwoLists)
		}
		if items.rep[items.pos] == 0 {
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
		defined := items.def[items.pos]
		if counts != nil {
			if (counts.def[counts.pos] >= counts.list.element) != (defined >= element) {
				return false, r.fail("", errTwoLists)
			}
			if defined >= element && counts.def[counts.pos] < counts.leaf.MaxDefinitionLevel() {
				return false, r.fail(counts.list.name, errors.New("a count is null"))
			}
			counts.pos++
		}
		items.pos++
		switch {
		case defined == value:
			if err := r.addItem(); err != nil {
				return false, err
			}
		case defined >= element:
			return false, r.fail(items.list.name, errors.New("an item is null"))
		}
	}
	return false, nil
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
