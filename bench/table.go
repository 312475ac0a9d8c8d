// This file holds tables of results, and writes them as Parquet, CSV and Markdown, all with the same rows.

package bench

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"anchorage/internal/durable"
	"anchorage/shard"
)

// table is rows of plain values: strings, int64 and float64.
type table struct {
	name   string
	fields []shard.Field
	rows   [][]any
}

// newTable returns an empty table of the given columns.
func newTable(name string, fields ...shard.Field) *table {
	return &table{name: name, fields: fields}
}

// add appends a row: one value per column, of the column's type.
func (t *table) add(values ...any) {
	if len(values) != len(t.fields) {
		panic("bench: wrong number of values in a row")
	}
	for i, value := range values {
		ok := false
		switch value.(type) {
		case string:
			ok = t.fields[i].Type == shard.String
		case int64:
			ok = t.fields[i].Type == shard.Int64
		case float64:
			ok = t.fields[i].Type == shard.Float64
		}
		if !ok {
			panic("bench: wrong type of a value in a row")
		}
	}
	t.rows = append(t.rows, values)
}

// save writes the table in all three forms.
func (t *table) save(dir *durable.Dir) error { return t.saveWith(dir, t.writeMarkdown) }

// saveWith writes the table with a text of its own for people.
func (t *table) saveWith(dir *durable.Dir, markdown func(io.Writer) error) error {
	if err := dir.WriteFile(t.name+".parquet", t.writeParquet); err != nil {
		return err
	}
	if err := dir.WriteFile(t.name+".csv", t.writeCSV); err != nil {
		return err
	}
	return dir.WriteFile(t.name+".md", markdown)
}

// column returns column i as the slice that shard.TableWriter takes.
func (t *table) column(i int) any {
	switch t.fields[i].Type {
	case shard.String:
		return columnOf[string](t.rows, i)
	case shard.Int64:
		return columnOf[int64](t.rows, i)
	}
	return columnOf[float64](t.rows, i)
}

func columnOf[T any](rows [][]any, i int) []T {
	values := make([]T, len(rows))
	for r, row := range rows {
		values[r] = row[i].(T)
	}
	return values
}

func (t *table) writeParquet(w io.Writer) error {
	writer, err := shard.NewTableWriter(w, t.fields)
	if err != nil {
		return err
	}
	columns := make([]any, len(t.fields))
	for i := range columns {
		columns[i] = t.column(i)
	}
	if err := writer.Write(columns...); err != nil {
		return err
	}
	return writer.Close()
}

// writeCSV writes numbers so that reading them gives the same bits.
func (t *table) writeCSV(w io.Writer) error {
	writer := csv.NewWriter(w)
	record := make([]string, len(t.fields))
	for i, field := range t.fields {
		record[i] = field.Name
	}
	if err := writer.Write(record); err != nil {
		return err
	}
	for _, row := range t.rows {
		for i, value := range row {
			if number, ok := value.(float64); ok {
				record[i] = strconv.FormatFloat(number, 'g', -1, 64)
			} else {
				record[i] = fmt.Sprint(value)
			}
		}
		if err := writer.Write(record); err != nil {
			return err
		}
	}
	writer.Flush()
	return writer.Error()
}

// writeMarkdown writes numbers with four digits, to be read by people.
func (t *table) writeMarkdown(w io.Writer) error {
	header, rule := make([]string, len(t.fields)), make([]string, len(t.fields))
	for i, field := range t.fields {
		header[i] = strings.ReplaceAll(field.Name, "_", " ")
		if rule[i] = "---:"; field.Type == shard.String {
			rule[i] = "---"
		}
	}
	if err := markdownRow(w, header); err != nil {
		return err
	}
	if err := markdownRow(w, rule); err != nil {
		return err
	}
	cells := make([]string, len(t.fields))
	for _, row := range t.rows {
		for i, value := range row {
			cells[i] = readable(value)
		}
		if err := markdownRow(w, cells); err != nil {
			return err
		}
	}
	return nil
}

func markdownRow(w io.Writer, cells []string) error {
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(cell, "|", `\|`)
	}
	_, err := fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
	return err
}

// readable returns a value as people read it.
func readable(value any) string {
	number, ok := value.(float64)
	switch {
	case !ok:
		return fmt.Sprint(value)
	case math.IsNaN(number):
		return "–"
	case math.IsInf(number, -1):
		return "−∞"
	case math.IsInf(number, 1):
		return "∞"
	}
	text := strconv.FormatFloat(number, 'g', 4, 64)
	if exponent := strings.IndexByte(text, 'e'); exponent >= 0 && math.Abs(number) >= 1000 && math.Abs(number) < 1e7 {
		text = strconv.FormatFloat(number, 'f', 0, 64)
	}
	return strings.Replace(text, "-", "−", 1)
}
