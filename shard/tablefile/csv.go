// This file writes tables as comma-separated values, for spreadsheets.

package tablefile

import (
	"encoding/csv"
	"errors"
	"io"
	"strconv"

	"anchorage/internal/safetext"
)

// ByteOrderMark is what Excel needs before UTF-8, without which it takes another encoding.
const ByteOrderMark = "\ufeff"

// CSV is an output to which a Writer writes comma-separated values with a line of names, and not Parquet: UTF-8 after a
// byte order mark, with texts that a spreadsheet takes for texts; see safetext.Cell. There are no lists.
type CSV struct{ io.Writer }

// beginCSV begins a table.
func (t *Writer) beginCSV(to CSV) error {
	t.lines = csv.NewWriter(to.Writer)
	names := make([]string, len(t.fields))
	for i, field := range t.fields {
		if names[i] = field.Name; field.isList() {
			return errors.New("a table with lists in it cannot be CSV: write it as Parquet")
		}
	}
	names[0] = ByteOrderMark + names[0]
	return t.lines.Write(names)
}

// writeLines writes rows.
func (t *Writer) writeLines(columns []any, rows int) error {
	line := make([]string, len(columns))
	for r := range rows {
		for i, column := range columns {
			switch values := column.(type) {
			case []int32:
				line[i] = strconv.FormatInt(int64(values[r]), 10)
			case []int64:
				line[i] = strconv.FormatInt(values[r], 10)
			case []float32:
				line[i] = strconv.FormatFloat(float64(values[r]), 'g', -1, 32)
			case []float64:
				line[i] = strconv.FormatFloat(values[r], 'g', -1, 64)
			case []string:
				line[i] = safetext.Cell(values[r])
			}
		}
		if err := t.lines.Write(line); err != nil {
			return err
		}
	}
	return nil
}
