// This file defines the form of all tables: a list of columns. Each column says how it is written and how it is read,
// so the two cannot differ. Of several ranks the first writes, and the others send it the rows that they hold.

package model

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"

	"anchorage/corpus"
	"anchorage/internal/collective"
	"anchorage/internal/objects"
	"anchorage/matrix"
	"anchorage/shard/tablefile"
)

// groupRows is the number of rows per row group in tables with one row per item.
const groupRows = 4 * matrix.BlockRows

// table is a Parquet file of a directory.
type table struct {
	file    string
	rows    int  // number of rows to write or to expect; with 0 any number is read
	whole   bool // write one row group
	items   bool // a row per item: each of several ranks holds some
	step    int  // rows of a row group; 0 for groupRows
	columns []column
	taken   func() error // is called when the table was read; may be nil
}

// column is a column of a table.
type column struct {
	tablefile.Field
	// write returns the values of rows first to last−1, in the Go type that tablefile.Type gives.
	write func(first, last int) any
	// read receives the values of the next rows. If it is nil, the column is not read.
	read func(values any) error
}

// fields returns the fields of the columns.
func (t table) fields() []tablefile.Field {
	fields := make([]tablefile.Field, len(t.columns))
	for i, c := range t.columns {
		fields[i] = c.Field
	}
	return fields
}

// groupRows returns the number of rows of a row group.
func (t table) groupRows() int {
	if t.whole {
		return max(t.rows, 1)
	}
	return cmp.Or(t.step, groupRows)
}

// values returns the values of rows first to last−1, one slice per column, without an error.
func (t table) values(first, last int) ([]any, error) {
	values := make([]any, len(t.columns))
	for i, c := range t.columns {
		values[i] = c.write(first, last)
	}
	return values, nil
}

// read reads the table from a directory. The error is an *InputError if the file is not the one that the manifest
// lists, if a column refuses its values or if the number of rows is wrong.
func (t table) read(ctx context.Context, from *Directory) error {
	if err := from.Verify(ctx, t.file); err != nil {
		return err
	}
	var fields []tablefile.Field
	var columns []column
	for _, c := range t.columns {
		if c.read != nil {
			fields, columns = append(fields, c.Field), append(columns, c)
		}
	}
	file, rows := objects.Join(from.path, t.file), 0
	err := tablefile.Read(ctx, file, fields, func(first int64, values []any) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, c := range columns {
			if err := c.read(values[i]); err != nil {
				return &InputError{Path: file, Reason: err.Error()}
			}
		}
		rows = int(first) + reflect.ValueOf(values[0]).Len()/max(fields[0].Width, 1)
		return nil
	})
	if err == nil && t.rows > 0 && rows != t.rows {
		err = &InputError{Path: file, Reason: fmt.Sprintf("has %d rows, but must have %d", rows, t.rows)}
	}
	if err == nil && t.taken != nil {
		err = t.taken()
	}
	return err
}

// cell is a value of a column. An int is stored as an int32.
type cell interface {
	int | int32 | int64 | float64 | string
}

// plain returns a column without its functions.
func plain[T cell | float32](name string) column {
	kind := map[reflect.Kind]tablefile.Type{reflect.Int: tablefile.Int32, reflect.Int32: tablefile.Int32,
		reflect.Int64: tablefile.Int64, reflect.Float32: tablefile.Float32, reflect.Float64: tablefile.Float64,
		reflect.String: tablefile.String}[reflect.TypeFor[T]().Kind()]
	return column{Field: tablefile.Field{Name: name, Type: kind}}
}

// stored returns values as a table takes them.
func stored[T cell](values []T) any {
	whole, ok := any(values).([]int)
	if !ok {
		return values
	}
	numbers := make([]int32, len(whole))
	convert(numbers, whole)
	return numbers
}

// unstored is the inverse of stored.
func unstored[T cell](values any) []T {
	numbers, ok := values.([]int32)
	if _, whole := any([]T(nil)).([]int); !ok || !whole {
		return values.([]T)
	}
	whole := make([]int, len(numbers))
	convert(whole, numbers)
	return any(whole).([]T)
}

// values is a column with the values of a slice. Reading appends to the slice.
func values[T cell](name string, of *[]T) column {
	c := plain[T](name)
	c.write = func(first, last int) any { return stored((*of)[first:last]) }
	c.read = func(v any) error { *of = append(*of, unstored[T](v)...); return nil }
	return c
}

// field is a column with a field of the rows of a slice: of returns where it is. Reading appends rows where there are
// too few.
func field[R any, T cell](name string, rows *[]R, of func(*R) *T) column {
	c, at := plain[T](name), 0
	c.write = func(first, last int) any {
		values := make([]T, 0, last-first)
		for i := first; i < last; i++ {
			values = append(values, *of(&(*rows)[i]))
		}
		return stored(values)
	}
	c.read = func(v any) error {
		for _, value := range unstored[T](v) {
			if at == len(*rows) {
				*rows = append(*rows, *new(R))
			}
			*of(&(*rows)[at]) = value
			at++
		}
		return nil
	}
	return c
}

// numbered is a column with the number of each row, from 0.
func numbered(name string) column {
	return expected(name, math.MaxInt, func(row int) int { return row })
}

// expected is a column whose n values are known in advance. Reading refuses others.
func expected(name string, n int, of func(row int) int) column {
	c, at := plain[int32](name), 0
	c.write = func(first, last int) any {
		numbers := make([]int32, last-first)
		for i := range numbers {
			numbers[i] = int32(of(first + i))
		}
		return numbers
	}
	c.read = func(v any) error {
		for _, value := range v.([]int32) {
			if at == n || int(value) != of(at) {
				return fmt.Errorf("has %s %d in row %d", name, value, at+1)
			}
			at++
		}
		return nil
	}
	return c
}

// orOnes is a column with the values of a slice that may be nil, which is written as 1 in every row. The column is read
// only if wanted.
func orOnes(name string, of *[]float64, wanted bool) column {
	c := values(name, of)
	whole := c.write
	c.write = func(first, last int) any {
		if *of == nil {
			return slices.Repeat([]float64{1}, last-first)
		}
		return whole(first, last)
	}
	if !wanted {
		c.read = nil
	}
	return c
}

// itemColumn is a column of item numbers. Numbers that are read must be below n.
func itemColumn(name string, of *[]int, n int) column {
	c := values(name, of)
	take := c.read
	c.read = func(v any) error {
		for _, i := range v.([]int32) {
			if i < 0 || int(i) >= n {
				return fmt.Errorf("has item %d, but there are only %d items", i, n)
			}
		}
		return take(v)
	}
	return c
}

// ids is a column of item ids: integers if all ids of the vocabulary are, otherwise strings. item returns the item of a
// row to write. take receives the item of every row that is read; if it is nil, the column is not read.
func ids(v *corpus.Vocabulary, item func(row int) int, take func(row, item int)) column {
	c := plain[string]("item_id")
	if v.Integers() {
		c = plain[int64]("item_id")
	}
	c.write = func(first, last int) any {
		texts, numbers := make([]string, 0, last-first), make([]int64, last-first)
		for row := first; row < last; row++ {
			texts = append(texts, v.ID(item(row)))
		}
		if !v.Integers() {
			return texts
		}
		for at, text := range texts {
			var err error
			if numbers[at], err = strconv.ParseInt(text, 10, 64); err != nil {
				panic("model: an integer id is not a number: " + err.Error())
			}
		}
		return numbers
	}
	if take == nil {
		return c
	}
	at := 0
	c.read = func(values any) error {
		texts, _ := values.([]string)
		numbers, _ := values.([]int64)
		for _, number := range numbers {
			texts = append(texts, strconv.FormatInt(number, 10))
		}
		for _, id := range texts {
			index, known := v.Lookup([]byte(id))
			if !known {
				return fmt.Errorf("has item %.40q, which is not in the vocabulary", id)
			}
			take(at, int(index))
			at++
		}
		return nil
	}
	return c
}

// lists is a column of lists of float64. The slice holds them row-major; reading appends to it.
func lists(name string, width int, of *[]float64) column {
	return column{Field: tablefile.Field{Name: name, Type: tablefile.Float64List, Width: width},
		write: func(first, last int) any { return (*of)[first*width : last*width] },
		read:  func(v any) error { *of = append(*of, v.([]float64)...); return nil }}
}

// rowsColumn is a column of the n rows of a matrix with cols columns. row sets dst to row i, and take receives row i.
func rowsColumn[T float32 | float64](name string, n, cols int, row func(dst []T, i int), take func(row []T,
	i int)) column {
	kind, at := tablefile.Float64List, 0
	if _, single := any(T(0)).(float32); single {
		kind = tablefile.Float32List
	}
	return column{Field: tablefile.Field{Name: name, Type: kind, Width: cols},
		write: func(first, last int) any {
			values := make([]T, (last-first)*cols)
			for i := first; i < last; i++ {
				row(values[(i-first)*cols:][:cols], i)
			}
			return values
		},
		read: func(v any) error {
			for values := v.([]T); len(values) > 0; values = values[cols:] {
				if at == n {
					return fmt.Errorf("has more than %d rows", n)
				}
				take(values[:cols], at)
				at++
			}
			return nil
		}}
}

// matrixColumn is a column with the rows of a tall matrix. Reading fills it.
func matrixColumn[T float32 | float64](name string, t *matrix.TallOf[T]) column {
	return rowsColumn(name, t.Rows(), t.Cols(), func(dst []T, i int) { copy(dst, t.Row(i)) },
		func(row []T, i int) { copy(t.Row(i), row) })
}

// singleColumn is a column in single precision of the n rows of a matrix with cols columns. row sets dst to row i.
// Reading fills t.
func singleColumn(name string, n, cols int, row func(dst []float64, i int), t *matrix.Tall) column {
	values := make([]float64, cols)
	return rowsColumn(name, n, cols, func(dst []float32, i int) {
		row(values, i)
		convert(dst, values)
	}, func(row []float32, i int) { convert(t.Row(i), row) })
}

// convert sets dst to values of another precision, or of integers.
func convert[To, From int | int32 | float32 | float64](dst []To, values []From) {
	for j, value := range values {
		dst[j] = To(value)
	}
}

// matrixTable is a table of a tall matrix, one row per item.
func matrixTable[T float32 | float64](file, name string, t *matrix.TallOf[T]) table {
	return table{file: file, rows: t.Rows(), items: true, columns: []column{numbered("index"), matrixColumn(name, t)}}
}

// write writes the table into a directory. All ranks must write the same tables in the same order.
func (t table) write(out *Output) error {
	c, rows := out.ranks, t.values
	if t.items && c.Size() > 1 {
		rows = func(first, last int) ([]any, error) { return t.gathered(out.ctx, c, first, last) }
		for first, step := 0, t.groupRows(); !c.First() && first < t.rows; first += step {
			if _, err := rows(first, min(first+step, t.rows)); err != nil {
				return err
			}
		}
	}
	if !c.First() {
		return context.Cause(out.ctx)
	}
	return out.WriteFile(t.file, func(w io.Writer) error { return t.encode(out.ctx, w, rows, out.wrote) })
}

// encode writes the table as Parquet. It calls wrote, unless that is nil, with the number of rows of every group.
func (t table) encode(ctx context.Context, w io.Writer, rows func(first, last int) ([]any, error),
	wrote func(rows int)) error {
	return tablefile.WriteTable(w, t.fields(), t.rows, t.groupRows(), func(first, last int) ([]any, error) {
		columns, err := rows(first, last)
		if wrote != nil {
			wrote(last - first)
		}
		return columns, cmp.Or(err, ctx.Err())
	})
}

// gathered returns rows first to last−1 on the first rank, to which the others send those that they hold.
func (t table) gathered(ctx context.Context, c *collective.Comm, first, last int) ([]any, error) {
	begin, end := c.Rows(t.rows)
	begin, end = max(begin, first), min(end, last)
	var columns []any
	if begin < end {
		columns, _ = t.values(begin, end)
	}
	parts := make([][]uint8, c.Size())
	if columns != nil && !c.First() {
		var message bytes.Buffer
		if err := gob.NewEncoder(&message).Encode(columns); err != nil {
			return nil, err
		}
		parts[0] = message.Bytes()
	}
	received, err := collective.AllToAll(ctx, c, parts)
	if err != nil || !c.First() {
		return nil, err
	}
	for _, part := range received {
		if len(part) == 0 {
			continue
		}
		var more []any
		if err := gob.NewDecoder(bytes.NewReader(part)).Decode(&more); err != nil {
			return nil, fmt.Errorf("model: rows of a table arrived damaged: %w", err)
		}
		if columns == nil {
			columns = more
			continue
		}
		for i := range columns {
			one := reflect.ValueOf(columns[i])
			columns[i] = reflect.AppendSlice(one.Slice3(0, one.Len(), one.Len()), reflect.ValueOf(more[i])).Interface()
		}
	}
	return columns, nil
}

// writtenCopies is the number of copies of a row group that is being written: the values, the pages, the compressed
// pages.
const writtenCopies = 4

// Bytes returns the memory that tables of n rows of k values take while they are written.
func (Saving) Bytes(n, k int) int64 {
	return tablesAtOnce * writtenCopies * matrix.Bytes[float64](min(groupRows, n), k)
}
