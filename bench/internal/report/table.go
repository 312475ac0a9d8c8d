// This file holds tables of results, and reads and writes them as CSV and as Markdown.

package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"anchorage/model"
)

// Kind is the type of a column's values.
type Kind int

// The kinds of columns, with the Go type of their values.
const (
	Text  Kind = iota // string
	Int               // int64
	Float             // float64
)

// Column is a column of a table.
type Column struct {
	Name string
	Kind Kind
}

// Texts, Ints and Floats return columns of one kind.
func Texts(names ...string) []Column  { return columns(Text, names) }
func Ints(names ...string) []Column   { return columns(Int, names) }
func Floats(names ...string) []Column { return columns(Float, names) }

func columns(kind Kind, names []string) []Column {
	list := make([]Column, len(names))
	for i, name := range names {
		list[i] = Column{name, kind}
	}
	return list
}

// Table is rows of plain values: string, int64 and float64.
type Table struct {
	Name    string // of its file, without the ending
	Columns []Column
	Rows    [][]any
}

// NewTable returns an empty table of the given columns.
func NewTable(name string, columns ...[]Column) *Table {
	return &Table{Name: name, Columns: slices.Concat(columns...)}
}

// Add appends a row: one value per column, of the column's type.
func (t *Table) Add(values ...any) {
	if len(values) != len(t.Columns) {
		panic("report: wrong number of values in a row")
	}
	for i, value := range values {
		if kindOf(value) != t.Columns[i].Kind {
			panic("report: wrong type of a value in a row")
		}
	}
	t.Rows = append(t.Rows, values)
}

// kindOf returns the kind of a value, -1 where it has none.
func kindOf(value any) Kind {
	switch value.(type) {
	case string:
		return Text
	case int64:
		return Int
	case float64:
		return Float
	}
	return -1
}

// WriteCSV writes the table. Reading a number gives the same bits.
func (t *Table) WriteCSV(w io.Writer) error {
	records := [][]string{make([]string, len(t.Columns))}
	for i, c := range t.Columns {
		records[0][i] = c.Name
	}
	for _, row := range t.Rows {
		record := make([]string, len(row))
		for i, value := range row {
			if number, ok := value.(float64); ok {
				record[i] = exact(number)
			} else {
				record[i] = fmt.Sprint(value)
			}
		}
		records = append(records, record)
	}
	return csv.NewWriter(w).WriteAll(records)
}

// exact writes a number so that reading it gives the same bits.
func exact(number float64) string { return strconv.FormatFloat(number, 'g', -1, 64) }

// Read reads the rows of t from a file that WriteCSV has written. The file must have exactly the columns of t.
func (t *Table) Read(path string) error {
	records, err := readCSV(path)
	if err != nil {
		return err
	}
	for i, c := range t.Columns {
		if len(records[0]) != len(t.Columns) || records[0][i] != c.Name {
			return &model.InputError{Path: path, Reason: fmt.Sprintf("does not have the columns of %s", t.Name)}
		}
	}
	t.Rows = nil
	for line, record := range records[1:] {
		row := make([]any, len(record))
		for i, text := range record {
			if row[i], err = parse(t.Columns[i].Kind, text); err != nil {
				return &model.InputError{Path: path, Reason: fmt.Sprintf("row %d, %s: %v", line+2, t.Columns[i].Name, err)}
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return nil
}

// readCSV returns the records of a file, the header first.
func readCSV(path string) ([][]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err == nil && len(records) == 0 {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, &model.InputError{Path: path, Reason: err.Error()}
	}
	return records, nil
}

func parse(kind Kind, text string) (any, error) {
	switch kind {
	case Int:
		return strconv.ParseInt(text, 10, 64)
	case Float:
		return strconv.ParseFloat(text, 64)
	}
	return text, nil
}

// WriteMarkdown writes the table for people, numbers with four digits.
func (t *Table) WriteMarkdown(b *strings.Builder) {
	header := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		header[i] = strings.ReplaceAll(c.Name, "_", " ")
		if c.Kind != Text {
			header[i] += ":"
		}
	}
	MarkdownHeader(b, header...)
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, value := range row {
			cells[i] = Readable(value)
		}
		MarkdownRow(b, cells...)
	}
}

// MarkdownHeader begins a table. A name that ends in a colon is that of a column of numbers, which is set to the right.
func MarkdownHeader(b *strings.Builder, names ...string) {
	names = slices.Clone(names)
	rules := make([]string, len(names))
	for i, name := range names {
		rules[i] = "---"
		if short, numbers := strings.CutSuffix(name, ":"); numbers {
			names[i], rules[i] = short, "---:"
		}
	}
	MarkdownRow(b, names...)
	MarkdownRow(b, rules...)
}

// MarkdownRow adds a row to a table.
func MarkdownRow(b *strings.Builder, cells ...string) {
	for i, cell := range cells {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString("| " + strings.ReplaceAll(cell, "|", `\|`))
	}
	b.WriteString(" |\n")
}

// Readable returns a value as people read it, numbers with four digits.
func Readable(value any) string {
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
	if strings.Contains(text, "e") && math.Abs(number) >= 1000 && math.Abs(number) < 1e7 {
		text = strconv.FormatFloat(number, 'f', 0, 64)
	}
	return Minus(text)
}

// Minus puts a minus sign where a formatted number begins with a hyphen or has one in its exponent.
func Minus(text string) string { return strings.ReplaceAll(text, "-", "−") }
