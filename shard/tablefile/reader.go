// This file reads tables.

package tablefile

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/parquet/metadata"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/pages"
	"anchorage/shard/internal/roles"
)

// readRows and readElements bound the rows, and the list elements of a column, that Read passes on at a time.
const (
	readRows     = 8 << 10
	readElements = 1 << 20
)

// Read reads the given columns of a table, which must be there under these names, with exactly these types and, in
// lists, widths. Other columns are passed over. fn is called for successive runs of rows, from row 0; columns holds one
// slice per field, of the type that Type says, valid until fn returns (strings remain valid). An error of fn ends the
// reading and is returned as it is; any other is that of ctx or a *fault.Error. If the footer has checksums, the last
// error may be that a column does not fit its own. Read panics if a field is malformed.
func Read(ctx context.Context, path string, fields []Field, fn func(firstRow int64, columns []any) error) error {
	var stopped error
	err := read(ctx, path, -1, fields, func(firstRow int64, columns []any) error {
		stopped = fn(firstRow, columns)
		return stopped
	})
	if stopped == nil && err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// ReadRow is Read of one row only, which must be there: of the others, it reads those of the same row group. Unless
// that is the only group, the values are not compared with the checksums.
func ReadRow(ctx context.Context, path string, row int64, fields []Field, fn func(columns []any)) error {
	found := false
	err := read(ctx, path, row, fields, func(first int64, columns []any) error {
		at := row - first
		if at < 0 || at >= int64(reflect.ValueOf(columns[0]).Len()/fields[0].width()) {
			return nil
		}
		for i, column := range columns {
			width := int64(fields[i].width())
			columns[i] = reflect.ValueOf(column).Slice(int(at*width), int((at+1)*width)).Interface()
		}
		fn(columns)
		found = true
		return nil
	})
	if err == nil && !found {
		err = &fault.Error{Path: path, Err: fmt.Errorf("there is no row %d", row+1)}
	}
	return err
}

// read is Read of the row groups with the row only; of all if that is negative.
func read(ctx context.Context, path string, only int64, fields []Field,
	fn func(firstRow int64, columns []any) error) error {
	for _, field := range fields {
		field.check()
	}
	file, footer, err := pages.OpenFooter(ctx, path)
	if err != nil {
		return err
	}
	defer file.Close()
	t := reader{path: path, file: file, run: readRows}
	defer t.codec.Close()
	for _, field := range fields {
		column, err := t.column(footer.Schema, field)
		if err != nil {
			return &fault.Error{Path: path, Column: field.Name, Err: err}
		}
		t.columns = append(t.columns, column)
		t.run = max(1, min(t.run, readElements/field.width()))
	}
	row, passed := int64(0), false
	for i := range footer.RowGroups {
		rows := footer.RowGroups[i].NumRows
		if only >= 0 && (only < row || only >= row+rows) {
			row, passed = row+max(rows, 0), true
			continue
		}
		if rows < 0 {
			return &fault.Error{Path: path, Group: i + 1, Err: fmt.Errorf("the number of rows %d is impossible", rows)}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.group(footer, i, row, rows, fn); err != nil {
			return err
		}
		row += rows
	}
	if passed {
		return nil
	}
	return t.checkSums(footer)
}

// checkSums compares the values of all columns with the checksums of the footer. Older tables have none.
func (t *reader) checkSums(footer *metadata.FileMetaData) error {
	text := footer.KeyValueMetadata().FindValue(checksumKey)
	if text == nil {
		return nil
	}
	sums := strings.Fields(*text)
	for _, c := range t.columns {
		if !slices.Contains(sums, c.sum.entry(c.field.Name)) {
			return &fault.Error{Path: t.path, Column: c.field.Name, Err: errValues}
		}
	}
	return nil
}

type reader struct {
	path    string
	file    access.Source
	codec   pages.Decompressor
	columns []*readColumn
	run     int // rows passed on at a time
}

// readColumn collects the rows of a column.
type readColumn struct {
	*pages.ChunkReader
	field   Field
	index   int
	least   int16 // definition level from which an element of a list is there
	pos     int   // levels of the run used so far
	value   int   // values of the run used so far
	sum     checksum
	element int // values of the row under construction
	rows    any // that were collected, as they are passed
}

// column finds a field in the schema.
func (t *reader) column(s *schema.Schema, field Field) (*readColumn, error) {
	index, all := -1, []string(nil)
	for i := range s.NumColumns() {
		all = append(all, s.ColumnRoot(i).Name())
		if all[i] != field.Name {
			continue
		}
		if index >= 0 {
			return nil, errors.New("the column has more than one part")
		}
		index = i
	}
	if index < 0 {
		return nil, fmt.Errorf("the column is missing; the columns are %s", roles.Listing(slices.Compact(all)))
	}
	leaf := s.Column(index)
	element, pairs, isList := pages.Repeated(s.ColumnRoot(index))
	isList = isList && pairs == nil
	repetition := int16(0)
	if field.isList() {
		repetition = 1
	}
	if leaf.PhysicalType() != physicalTypes[field.Type] || isList != field.isList() ||
		leaf.MaxRepetitionLevel() != repetition || !fits(leaf) {
		return nil, fmt.Errorf("the column is of another type: %v with %v, repetition level %d", leaf.PhysicalType(),
			leaf.LogicalType(), leaf.MaxRepetitionLevel())
	}
	return &readColumn{ChunkReader: pages.NewChunkReader(leaf, &t.codec), field: field, index: index, least: element,
		rows: emptyColumns[field.Type]}, nil
}

// fits reports whether a leaf, whose physical type is that of a field, means what the field does.
func fits(leaf *schema.Column) bool {
	kind := pages.KindOf(leaf)
	return kind == roles.Bytes || kind == roles.Int || kind == roles.Float
}

// group reads a row group.
func (t *reader) group(footer *metadata.FileMetaData, number int, row, rows int64,
	fn func(int64, []any) error) error {
	fail := func(name string, err error) error {
		return &fault.Error{Path: t.path, Group: number + 1, Column: name, Err: err}
	}
	group := footer.RowGroup(number)
	if group.NumColumns() != footer.Schema.NumColumns() {
		return fail("", errors.New("the row group does not have the columns of the schema"))
	}
	for _, c := range t.columns {
		chunk, err := pages.PlanChunk(group, c.index, c.Leaf, t.file.Size())
		if err != nil {
			return fail(c.field.Name, err)
		}
		c.Open(t.file, chunk)
		c.pos, c.value, c.element = 0, 0, 0
	}
	columns := make([]any, len(t.columns))
	for done := int64(0); done < rows; {
		n := int(min(int64(t.run), rows-done))
		for i, c := range t.columns {
			got := 0
			err := fault.Guard(func() (err error) {
				got, err = c.collect(n)
				return err
			})
			if err != nil {
				return &fault.Error{Path: t.path, Group: number + 1, Column: c.field.Name, Row: row + done +
					int64(got) + 1, Err: err}
			}
			columns[i] = c.rows
			c.sum.add(c.rows)
		}
		if err := fn(row+done, columns); err != nil {
			return err
		}
		done += int64(n)
	}
	for _, c := range t.columns {
		if err := fault.Guard(c.end); err != nil {
			return fail(c.field.Name, err)
		}
	}
	return nil
}

// collect takes n rows, in place of those before, and returns how many it got.
func (c *readColumn) collect(n int) (rows int, err error) {
	c.rows = reflect.ValueOf(c.rows).Slice(0, 0).Interface()
	width := c.field.width()
	for rows < n {
		if c.pos == c.N {
			if err := c.refill(); err != nil {
				return rows, err
			}
			if c.N == 0 {
				return rows, errors.New("the column ends before the row group")
			}
		}
		// As many levels as belong to the rows wanted, or to the run.
		levels := min(c.N-c.pos, (n-rows)*width-c.element)
		for i := c.pos; i < c.pos+levels; i++ {
			if c.Def != nil && c.Def[i] < c.Leaf.MaxDefinitionLevel() {
				if c.field.isList() && c.Def[i] < c.least {
					return rows, fmt.Errorf("the list does not have the length %d", width)
				}
				return rows, errors.New("the value is null")
			}
			if c.Rep != nil && (c.Rep[i] == 0) != (c.element == 0) {
				if c.element == 0 {
					rows-- // the row before continues
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

// refill decodes the next run.
func (c *readColumn) refill() error {
	c.pos, c.value = 0, 0
	return c.Fill()
}

// take appends n values of the run to the rows.
func (c *readColumn) take(n int) error {
	from, to := c.value, c.value+n
	switch rows := c.rows.(type) {
	case []int32:
		for _, n := range c.Numbers[from:to] {
			rows = append(rows, int32(n))
		}
		c.rows = rows
	case []int64:
		c.rows = append(rows, c.Numbers[from:to]...)
	case []float32:
		for _, n := range c.Numbers[from:to] {
			rows = append(rows, math.Float32frombits(uint32(n)))
		}
		c.rows = rows
	case []float64:
		for _, n := range c.Numbers[from:to] {
			rows = append(rows, math.Float64frombits(uint64(n)))
		}
		c.rows = rows
	case []string:
		for _, value := range c.Bytes[from:to] {
			if !utf8.Valid(value) {
				return fmt.Errorf("%.40q is not valid UTF-8", value)
			}
			rows = append(rows, string(value))
		}
		c.rows = rows
	}
	return nil
}

// end checks that nothing follows the rows of the group.
func (c *readColumn) end() error {
	if c.pos == c.N {
		if err := c.refill(); err != nil {
			return err
		}
	}
	if c.pos < c.N {
		return errors.New("the column continues after the last row of its row group, or a list is too long")
	}
	return nil
}
