// This file reads tables.

package shard

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/parquet/metadata"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// readRows and readElements bound the rows, and the list elements of a column, that ReadTable passes on at a time.
const (
	readRows     = 8 << 10
	readElements = 1 << 20
)

// ReadTable reads the given columns of a table, which must be there under these names, with exactly these types and, in
// lists, widths. Other columns are passed over. fn is called for successive runs of rows, from row 0; columns holds
// one slice per field, of the type that Type says, valid until fn returns (strings remain valid). An error of fn ends the
// reading and is returned as it is; any other is an *Error. ReadTable panics if a field is malformed.
func ReadTable(path string, fields []Field, fn func(firstRow int64, columns []any) error) error {
	for _, field := range fields {
		field.check()
	}
	ctx := context.Background()
	table, err := lookUp(ctx, path, nil)
	if err != nil {
		return err
	}
	file, footer, err := openFooter(ctx, table)
	if err != nil {
		return err
	}
	defer file.Close()
	t := tableReader{path: path, file: file, size: file.Size(), run: readRows}
	defer t.codec.close()
	for _, field := range fields {
		column, err := t.column(footer.Schema, field)
		if err != nil {
			return &Error{Path: path, Column: field.Name, Err: err}
		}
		t.columns = append(t.columns, column)
		t.run = max(1, min(t.run, readElements/field.width()))
	}
	row := int64(0)
	for i := range footer.RowGroups {
		rows := footer.RowGroups[i].NumRows
		if rows < 0 {
			return &Error{Path: path, Group: i + 1, Err: fmt.Errorf("the number of rows %d is impossible", rows)}
		}
		if err := t.group(footer, i, row, rows, fn); err != nil {
			return err
		}
		row += rows
	}
	return nil
}

type tableReader struct {
	path    string
	file    source
	size    int64
	codec   decompressor
	columns []*tableColumn
	run     int // rows passed on at a time
}

// tableColumn collects the rows of a column.
type tableColumn struct {
	*column
	field   Field
	index   int
	element int // values of the row under construction

	strings  []string
	ints32   []int32
	ints64   []int64
	floats32 []float32
	floats64 []float64
}

// column finds a field in the schema.
func (t *tableReader) column(s *schema.Schema, field Field) (*tableColumn, error) {
	index := -1
	for i := range s.NumColumns() {
		if s.ColumnRoot(i).Name() != field.Name {
			continue
		}
		if index >= 0 {
			return nil, errors.New("the column has more than one part")
		}
		index = i
	}
	if index < 0 {
		return nil, fmt.Errorf("the column is missing; the columns are %s", describe(topNames(s)))
	}
	leaf := s.Column(index)
	element, pairs, isList := repeated(s.ColumnRoot(index))
	isList = isList && pairs == nil
	repetition := int16(0)
	if field.isList() {
		repetition = 1
	}
	if leaf.PhysicalType() != physicalTypes[field.Type] || isList != field.isList() || leaf.MaxRepetitionLevel() != repetition ||
		!fits(field.Type, leaf) {
		return nil, fmt.Errorf("the column is of another type: %v with %v, repetition level %d", leaf.PhysicalType(),
			leaf.LogicalType(), leaf.MaxRepetitionLevel())
	}
	list := &listColumn{name: field.Name, index: index, leaf: leaf, element: element}
	return &tableColumn{column: &column{chunkReader: newChunkReader(leaf, &t.codec), list: list}, field: field,
		index: index}, nil
}

// fits reports whether a leaf of the right physical type means what t means.
func fits(t Type, leaf *schema.Column) bool {
	if t == String {
		return kindOf(leaf) == kindBytes
	}
	kind := kindOf(leaf)
	return kind == kindInt || kind == kindFloat
}

// group reads a row group.
func (t *tableReader) group(footer *metadata.FileMetaData, number int, row, rows int64,
	fn func(int64, []any) error) error {
	fail := func(name string, err error) error {
		return &Error{Path: t.path, Group: number + 1, Column: name, Err: err}
	}
	group := footer.RowGroup(number)
	if group.NumColumns() != footer.Schema.NumColumns() {
		return fail("", errors.New("the row group does not have the columns of the schema"))
	}
	for _, c := range t.columns {
		chunk, err := planChunk(group, c.index, c.leaf, t.size)
		if err != nil {
			return fail(c.field.Name, err)
		}
		if err := guard(func() error { c.open(t.file, chunk); return nil }); err != nil {
			return fail(c.field.Name, err)
		}
		c.pos, c.value, c.element = 0, 0, 0
	}
	columns := make([]any, len(t.columns))
	for done := int64(0); done < rows; {
		n := int(min(int64(t.run), rows-done))
		for i, c := range t.columns {
			c.clear()
			got := 0
			err := guard(func() (err error) {
				got, err = c.collect(n)
				return err
			})
			if err != nil {
				return &Error{Path: t.path, Group: number + 1, Column: c.field.Name, Row: row + done + int64(got) + 1, Err: err}
			}
			columns[i] = c.slice()
		}
		if err := fn(row+done, columns); err != nil {
			return err
		}
		done += int64(n)
	}
	for _, c := range t.columns {
		if err := guard(c.end); err != nil {
			return fail(c.field.Name, err)
		}
	}
	return nil
}

// collect takes n rows and returns how many it got.
func (c *tableColumn) collect(n int) (rows int, err error) {
	width := c.field.width()
	for rows < n {
		if c.pos == c.n {
			if err := c.refill(); err != nil {
				return rows, err
			}
			if c.n == 0 {
				return rows, errors.New("the column ends before the row group")
			}
		}
		// As many levels as belong to the rows wanted, or to the run.
		levels := min(c.n-c.pos, (n-rows)*width-c.element)
		for i := c.pos; i < c.pos+levels; i++ {
			if c.def != nil && c.def[i] < c.leaf.MaxDefinitionLevel() {
				return rows, c.absent(c.def[i])
			}
			if c.rep != nil && (c.rep[i] == 0) != (c.element == 0) {
				if c.element == 0 {
					rows-- // it is the row before that goes on
				}
				return rows, fmt.Errorf("the list does not have the length %d", width)
			}
			if c.element++; c.element == width {
				c.element = 0
				rows++
			}
		}
		if err := c.take(levels); err != nil {
			return rows, err
		}
		c.pos += levels
		c.value += levels
	}
	return rows, nil
}

// absent says what the definition level of a missing value means.
func (c *tableColumn) absent(level int16) error {
	if c.field.isList() && level < c.list.element {
		return fmt.Errorf("the list does not have the length %d", c.field.Width)
	}
	return errors.New("the value is null")
}

// refill decodes the next run.
func (c *tableColumn) refill() error {
	c.pos, c.value = 0, 0
	return c.fill()
}

// take appends n values of the run to the rows.
func (c *tableColumn) take(n int) error {
	from, to := c.value, c.value+n
	switch c.field.Type {
	case Int32:
		c.ints32 = append(c.ints32, c.chunkReader.ints32[from:to]...)
	case Int64:
		c.ints64 = append(c.ints64, c.chunkReader.ints64[from:to]...)
	case Float32, Float32List:
		c.floats32 = append(c.floats32, c.chunkReader.floats32[from:to]...)
	case Float64, Float64List:
		c.floats64 = append(c.floats64, c.chunkReader.floats64[from:to]...)
	case String:
		for _, value := range c.bytes[from:to] {
			if !utf8.Valid(value) {
				return fmt.Errorf("%.40q is not valid UTF-8", []byte(value))
			}
			c.strings = append(c.strings, string(value))
		}
	}
	return nil
}

func (c *tableColumn) clear() {
	clear(c.strings)
	c.strings, c.ints32, c.ints64 = c.strings[:0], c.ints32[:0], c.ints64[:0]
	c.floats32, c.floats64 = c.floats32[:0], c.floats64[:0]
}

// slice returns the rows collected.
func (c *tableColumn) slice() any {
	switch c.field.Type {
	case Int32:
		return c.ints32
	case Int64:
		return c.ints64
	case Float32, Float32List:
		return c.floats32
	case String:
		return c.strings
	}
	return c.floats64
}

// end checks that nothing follows the rows of the group.
func (c *tableColumn) end() error {
	if c.pos == c.n {
		if err := c.refill(); err != nil {
			return err
		}
	}
	if c.pos < c.n {
		return errors.New("the column goes on after the last row of its row group, or a list is too long")
	}
	return nil
}
