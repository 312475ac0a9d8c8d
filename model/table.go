// This file defines the form of all tables: a list of columns. Each column says how it is written and how it is read, so the two
// cannot differ.

package model

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"anchorage/corpus"
	"anchorage/internal/objects"
	"anchorage/matrix"
	"anchorage/shard/tablefile"
)

// groupRows is the number of rows per row group in tables with one row per item.
const groupRows = 4 * matrix.BlockRows

// table is a Parquet file of a directory.
type table struct {
	file    string
	rows    int  // number of rows to write or to expect; -1 to read any number
	whole   bool // write one row group
	items   bool // a row per item: several ranks write the rows that each holds
	step    int  // rows of a row group; 0 for groupRows
	columns []column
}

// column is a column of a table.
type column struct {
	tablefile.Field
	// write returns the values of rows first to last−1, in the Go type that tablefile.Type gives. They stay as they are while it is called for
	// others.
	write func(first, last int) any
	// read receives the values of the next rows. If it is nil, the column is not read.
	read func(values any) error
	// prepare, if not nil, gets what write needs of other ranks. All ranks call it before one writes a table that is not of items.
	prepare func(ctx context.Context, rows int) error
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

// values returns the values of rows first to last−1, one slice per column.
func (t table) values(first, last int) []any {
	values := make([]any, len(t.columns))
	for i, c := range t.columns {
		values[i] = c.write(first, last)
	}
	return values
}

// encode writes the table as Parquet.
func (t table) encode(w io.Writer) error {
	writer, err := tablefile.NewWriter(w, t.fields())
	if err != nil {
		return err
	}
	for g := range t.groups() {
		if err := writer.Write(t.values(t.group(g))...); err != nil {
			return err
		}
	}
	return writer.Close()
}

// groups returns the number of row groups.
func (t table) groups() int {
	step := t.groupRows()
	groups := (t.rows + step - 1) / step
	if t.whole {
		return max(groups, 1)
	}
	return groups
}

// group returns the rows of a row group.
func (t table) group(g int) (first, last int) {
	step := t.groupRows()
	return g * step, min((g+1)*step, t.rows)
}

// read reads the table from a directory. The error is an *InputError if the file is not the one that the manifest lists, if a column
// refuses its values or if the number of rows is wrong.
func (t table) read(ctx context.Context, from directory) error {
	if err := from.verify(ctx, t.file); err != nil {
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
		rows = int(first) + lengthOf(fields[0], values[0])
		return nil
	})
	if err == nil && t.rows >= 0 && rows != t.rows {
		err = &InputError{Path: file, Reason: fmt.Sprintf("has %d rows, but must have %d", rows, t.rows)}
	}
	return err
}

// lengthOf returns the number of rows of a column's values.
func lengthOf(f tablefile.Field, values any) int {
	width := max(f.Width, 1)
	switch v := values.(type) {
	case []int32:
		return len(v)
	case []int64:
		return len(v)
	case []float64:
		return len(v) / width
	case []float32:
		return len(v) / width
	case []string:
		return len(v)
	}
	panic(fmt.Sprintf("model: unsupported values of type %T", values))
}

// numbered is a column with the number of each row, from 0.
func numbered(name string) column {
	at := int32(0)
	return column{Field: tablefile.Field{Name: name, Type: tablefile.Int32},
		write: func(first, last int) any { return indices(first, last) },
		read: func(values any) error {
			for _, index := range values.([]int32) {
				if index != at {
					return fmt.Errorf("has %s %d in row %d", name, index, at+1)
				}
				at++
			}
			return nil
		}}
}

// indices returns first, …, last−1.
func indices(first, last int) []int32 {
	numbers := make([]int32, last-first)
	for i := range numbers {
		numbers[i] = int32(first + i)
	}
	return numbers
}

// values is a column with the values of a slice. Reading appends to the slice.
func values[T int32 | int64 | float64](name string, of *[]T) column {
	kind := map[string]tablefile.Type{"int32": tablefile.Int32, "int64": tablefile.Int64, "float64": tablefile.Float64}[fmt.Sprintf("%T", T(0))]
	return column{Field: tablefile.Field{Name: name, Type: kind},
		write: func(first, last int) any { return (*of)[first:last] },
		read:  func(v any) error { *of = append(*of, v.([]T)...); return nil }}
}

// orOnes is a column with the values of a slice that may be nil, which is written as 1 in every row. The column is read only if
// wanted.
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
	return column{Field: tablefile.Field{Name: name, Type: tablefile.Int32},
		write: func(first, last int) any {
			numbers := make([]int32, 0, last-first)
			for _, i := range (*of)[first:last] {
				numbers = append(numbers, int32(i))
			}
			return numbers
		},
		read: func(v any) error {
			for _, i := range v.([]int32) {
				if i < 0 || int(i) >= n {
					return fmt.Errorf("has item %d, but there are only %d items", i, n)
				}
				*of = append(*of, int(i))
			}
			return nil
		}}
}

// ids is a column of item ids: integers if all ids of the vocabulary are, otherwise strings. item returns the item of a row to write.
// take receives the item of every row that is read; if it is nil, the column is not read.
func ids(v *corpus.Vocabulary, item func(row int) int, take func(item int)) column {
	var names []string // of the rows, where ranks share the vocabulary
	name := func(row int) string {
		if names != nil {
			return names[row]
		}
		return v.ID(item(row))
	}
	c := column{Field: tablefile.Field{Name: "item_id", Type: tablefile.String}, write: func(first, last int) any {
		texts := make([]string, 0, last-first)
		for row := first; row < last; row++ {
			texts = append(texts, name(row))
		}
		return texts
	}}
	if v.Integers() {
		c = column{Field: tablefile.Field{Name: "item_id", Type: tablefile.Int64}, write: func(first, last int) any {
			numbers := make([]int64, 0, last-first)
			for row := first; row < last; row++ {
				number, err := strconv.ParseInt(name(row), 10, 64)
				if err != nil {
					panic("model: an integer id is not a number: " + err.Error())
				}
				numbers = append(numbers, number)
			}
			return numbers
		}}
	}
	c.prepare = func(ctx context.Context, rows int) (err error) {
		items := make([]int, rows)
		for row := range items {
			items[row] = item(row)
		}
		names, err = v.Names(ctx, items)
		return err
	}
	if take == nil {
		return c
	}
	find := func(id string) error {
		index, known := v.Lookup([]byte(id))
		if !known {
			return fmt.Errorf("has item %.40q, which is not in the vocabulary", id)
		}
		take(int(index))
		return nil
	}
	c.read = func(values any) error {
		if numbers, ok := values.([]int64); ok {
			for _, number := range numbers {
				if err := find(strconv.FormatInt(number, 10)); err != nil {
					return err
				}
			}
			return nil
		}
		for _, id := range values.([]string) {
			if err := find(id); err != nil {
				return err
			}
		}
		return nil
	}
	return c
}

// texts is a column of strings.
func texts(name string, of *[]string) column {
	return column{Field: tablefile.Field{Name: name, Type: tablefile.String},
		write: func(first, last int) any { return (*of)[first:last] },
		read:  func(v any) error { *of = append(*of, v.([]string)...); return nil }}
}

// lists is a column of lists of float64. The slice holds them row-major; reading appends to it.
func lists(name string, width int, of *[]float64) column {
	return column{Field: tablefile.Field{Name: name, Type: tablefile.Float64List, Width: width},
		write: func(first, last int) any { return (*of)[first*width : last*width] },
		read:  func(v any) error { *of = append(*of, v.([]float64)...); return nil }}
}

// tallColumn is a column with the rows of a tall matrix. Reading fills t. For writing, row sets dst to row i.
func tallColumn(name string, t *matrix.Tall, cols int, row func(dst []float64, i int)) column {
	at := 0
	return column{Field: tablefile.Field{Name: name, Type: tablefile.Float64List, Width: cols},
		write: func(first, last int) any {
			values := make([]float64, (last-first)*cols)
			for i := first; i < last; i++ {
				row(values[(i-first)*cols:][:cols], i)
			}
			return values
		},
		read: func(v any) error {
			for values := v.([]float64); len(values) > 0; values = values[cols:] {
				if at == t.Rows() {
					return fmt.Errorf("has more than %d rows", t.Rows())
				}
				copy(t.Row(at), values[:cols])
				at++
			}
			return nil
		}}
}

// singleColumn is tallColumn in single precision.
func singleColumn(name string, t *matrix.Tall, cols int, row func(dst []float64, i int)) column {
	at := 0
	return column{Field: tablefile.Field{Name: name, Type: tablefile.Float32List, Width: cols},
		write: func(first, last int) any {
			values, singles := make([]float64, cols), make([]float32, 0, (last-first)*cols)
			for i := first; i < last; i++ {
				row(values, i)
				for _, v := range values {
					singles = append(singles, float32(v))
				}
			}
			return singles
		},
		read: func(v any) error {
			for values := v.([]float32); len(values) > 0; values = values[cols:] {
				if at == t.Rows() {
					return fmt.Errorf("has more than %d rows", t.Rows())
				}
				for j, value := range values[:cols] {
					t.Row(at)[j] = float64(value)
				}
				at++
			}
			return nil
		}}
}

// singlesColumn is a column with the rows of a tall matrix of single precision. Reading fills t.
func singlesColumn(name string, t *matrix.Single) column {
	at, cols := 0, t.Cols()
	return column{Field: tablefile.Field{Name: name, Type: tablefile.Float32List, Width: cols},
		write: func(first, last int) any {
			values := make([]float32, 0, (last-first)*cols)
			for i := first; i < last; i++ {
				values = append(values, t.Row(i)...)
			}
			return values
		},
		read: func(v any) error {
			for values := v.([]float32); len(values) > 0; values = values[cols:] {
				if at == t.Rows() {
					return fmt.Errorf("has more than %d rows", t.Rows())
				}
				copy(t.Row(at), values[:cols])
				at++
			}
			return nil
		}}
}

// tallTable is a table of a tall matrix, one row per item.
func tallTable(file, name string, t *matrix.Tall) table {
	return table{file: file, rows: t.Rows(), items: true, columns: []column{numbered("index"),
		tallColumn(name, t, t.Cols(), func(dst []float64, i int) { copy(dst, t.Row(i)) })}}
}

// expected is a column whose values are known in advance. Reading refuses others.
func expected(name string, values []int32) column {
	at := 0
	return column{Field: tablefile.Field{Name: name, Type: tablefile.Int32},
		write: func(first, last int) any { return values[first:last] },
		read: func(v any) error {
			for _, value := range v.([]int32) {
				if at == len(values) || value != values[at] {
					return fmt.Errorf("has %s %d in row %d", name, value, at+1)
				}
				at++
			}
			return nil
		}}
}
