// This file holds views of tables: rows of text, and what templates do with them.

package show

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"anchorage/model"
)

// Row is the cells of a row by column.
type Row map[string]string

// View is rows with named columns.
type View struct {
	Columns []string
	Rows    []Row
	page    *Page // of charts and orders; nil outside of a page
}

// Read reads a CSV file, whose first row names the columns.
func Read(path string) (View, error) {
	file, err := os.Open(path)
	if err != nil {
		return View{}, err
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err == nil && len(records) == 0 {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return View{}, &model.InputError{Path: path, Reason: err.Error()}
	}
	v := View{Columns: records[0]}
	for _, record := range records[1:] {
		row := make(Row, len(record))
		for i, cell := range record {
			row[v.Columns[i]] = cell
		}
		v.Rows = append(v.Rows, row)
	}
	return v, nil
}

// WriteCSV writes the view as Read reads it.
func (v View) WriteCSV(w io.Writer) error {
	records := [][]string{v.Columns}
	for _, row := range v.Rows {
		record := make([]string, len(v.Columns))
		for i, column := range v.Columns {
			record[i] = row[column]
		}
		records = append(records, record)
	}
	return csv.NewWriter(w).WriteAll(records)
}

// Add adds a row; columns that the view does not have become its last ones.
func (v *View) Add(columns []string, row Row) {
	for _, column := range columns {
		if !slices.Contains(v.Columns, column) {
			v.Columns = append(v.Columns, column)
		}
	}
	v.Rows = append(v.Rows, row)
}

// Empty says that there are no rows.
func (v View) Empty() bool { return len(v.Rows) == 0 }

// Has says whether there is such a column.
func (v View) Has(column string) bool { return slices.Contains(v.Columns, column) }

// Get returns an expression over the rows as people read it. With a second text, this is its form, such as "%.1f".
func (v View) Get(expression string, form ...string) (string, error) {
	value, err := v.evaluate(expression, v.Rows)
	if err != nil {
		return "", err
	}
	return formatted(value, strings.Join(form, "")), nil
}

// Where returns the rows for which an expression is true.
func (v View) Where(expression string) (View, error) {
	out := View{Columns: v.Columns, page: v.page}
	for _, row := range v.Rows {
		value, err := v.evaluate(expression, []Row{row})
		if err != nil {
			return out, err
		}
		if isTrue(value) {
			out.Rows = append(out.Rows, row)
		}
	}
	return out, nil
}

// Let adds columns, each NAME=EXPRESSION over its row.
func (v View) Let(specs ...string) (View, error) {
	out := v
	for _, spec := range specs {
		name, expression, ok := strings.Cut(spec, "=")
		if !ok {
			return out, fmt.Errorf("%q is not NAME=EXPRESSION", spec)
		}
		rows := make([]Row, len(out.Rows))
		for i, row := range out.Rows {
			value, err := out.evaluate(expression, []Row{row})
			if err != nil {
				return out, err
			}
			rows[i] = maps.Clone(row)
			rows[i][name] = exact(value)
		}
		out.Rows = rows
		if !out.Has(name) {
			out.Columns = append(slices.Clone(out.Columns), name)
		}
	}
	return out, nil
}

// exact writes a value so that reading it gives the same.
func exact(value any) string {
	number, ok := value.(float64)
	switch {
	case !ok:
		return fmt.Sprint(value)
	case number == math.Trunc(number) && math.Abs(number) < 1e15:
		return strconv.FormatFloat(number, 'f', 0, 64)
	}
	return strconv.FormatFloat(number, 'g', -1, 64)
}

// By splits the rows by columns, given with commas between, in order of first appearance.
func (v View) By(columns string) []View {
	var parts []View
	places := make(map[string]int)
	for _, row := range v.Rows {
		key := ""
		for _, column := range split(columns) {
			key += row[column] + "\x00"
		}
		at, ok := places[key]
		if !ok {
			at = len(parts)
			places[key] = at
			parts = append(parts, View{Columns: v.Columns, page: v.page})
		}
		parts[at].Rows = append(parts[at].Rows, row)
	}
	return parts
}

func split(columns string) []string {
	return strings.FieldsFunc(columns, func(r rune) bool { return r == ',' })
}

// Group returns a row for all rows that agree in the columns: these, and NAME=EXPRESSION over the rows.
func (v View) Group(columns string, specs ...string) (View, error) {
	out := View{Columns: split(columns), page: v.page}
	for _, spec := range specs {
		name, _, _ := strings.Cut(spec, "=")
		out.Columns = append(out.Columns, name)
	}
	for _, part := range v.By(columns) {
		row := make(Row)
		for _, column := range split(columns) {
			row[column] = part.Rows[0][column]
		}
		for _, spec := range specs {
			name, expression, _ := strings.Cut(spec, "=")
			value, err := v.evaluate(expression, part.Rows)
			if err != nil {
				return out, err
			}
			row[name] = exact(value)
		}
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}

// Spread returns a row for all rows that agree in the columns, and for every value of another column a new column,
// whose head is made of the value: an expression over the rows with both. Further specs are as in Group.
func (v View) Spread(columns, across, head, expression string, specs ...string) (View, error) {
	out, err := v.Group(columns, specs...)
	if err != nil {
		return out, err
	}
	keys := len(split(columns))
	after := out.Columns[min(keys, len(out.Columns)):]
	out.Columns = slices.Clone(out.Columns[:len(out.Columns)-len(after)])
	for _, part := range v.Sort(across).By(across) {
		name := fmt.Sprintf(head, part.Rows[0][across])
		out.Columns = append(out.Columns, name)
	}
	for i, part := range v.By(columns) {
		for _, cell := range part.By(across) {
			value, err := v.evaluate(expression, cell.Rows)
			if err != nil {
				return out, err
			}
			out.Rows[i][fmt.Sprintf(head, cell.Rows[0][across])] = exact(value)
		}
	}
	out.Columns = append(out.Columns, after...)
	return out, nil
}

// Join adds the columns of other rows that agree in a column; other must have one row for each value.
func (v View) Join(column string, other View) View {
	found := make(map[string]Row)
	for _, row := range other.Rows {
		found[row[column]] = row
	}
	out := View{Columns: slices.Clone(v.Columns), page: v.page}
	for _, name := range other.Columns {
		if !v.Has(name) {
			out.Columns = append(out.Columns, name)
		}
	}
	for _, row := range v.Rows {
		joined := make(Row)
		maps.Copy(joined, found[row[column]])
		maps.Copy(joined, row)
		out.Rows = append(out.Rows, joined)
	}
	return out
}

// Sort sorts by columns, given with commas between: numbers by size, names that the part lists in its order, and other
// text as text. A column after a minus sign is in falling order.
func (v View) Sort(columns string) View {
	out := v
	out.Rows = slices.Clone(v.Rows)
	slices.SortStableFunc(out.Rows, func(a, b Row) int {
		for _, column := range split(columns) {
			column, falling := strings.CutPrefix(column, "-")
			order := v.compare(a[column], b[column])
			if falling {
				order = -order
			}
			if order != 0 {
				return order
			}
		}
		return 0
	})
	return out
}

func (v View) compare(a, b string) int {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	if v.page != nil {
		return cmp.Or(cmp.Compare(v.page.place(a), v.page.place(b)), cmp.Compare(a, b))
	}
	return cmp.Compare(a, b)
}

// Table writes a Markdown table. A spec is HEAD=EXPRESSION, HEAD=EXPRESSION|FORM, or the name of a column; without
// specs all columns are written.
func (v View) Table(specs ...string) (string, error) {
	if len(specs) == 0 {
		specs = v.Columns
	}
	heads, rules := make([]string, len(specs)), make([]string, len(specs))
	cells := make([][]string, len(v.Rows))
	for c, spec := range specs {
		head, expression, form := v.parse(spec)
		numbers := len(v.Rows) > 0
		var values []any
		for _, row := range v.Rows {
			value, err := v.evaluate(expression, []Row{row})
			if err != nil {
				return "", err
			}
			values = append(values, value)
			if _, text := value.(string); text && value != "" || value == true || value == false {
				numbers = false
			}
		}
		numbers = numbers && slices.ContainsFunc(values, func(value any) bool { return value != "" })
		for r, value := range values {
			if numbers && value == "" {
				value = math.NaN()
			}
			cells[r] = append(cells[r], formatted(value, form))
		}
		heads[c], rules[c] = head, "---"
		if numbers {
			rules[c] = "---:"
		}
	}
	var b strings.Builder
	for _, line := range append([][]string{heads, rules}, cells...) {
		for i, cell := range line {
			line[i] = strings.ReplaceAll(cell, "|", `\|`)
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(line, " | "))
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// parse splits HEAD=EXPRESSION|FORM.
func (v View) parse(spec string) (head, expression, form string) {
	if v.Has(spec) {
		return strings.ReplaceAll(spec, "_", " "), spec, ""
	}
	if at := strings.LastIndex(spec, "|%"); at >= 0 {
		spec, form = spec[:at], spec[at+1:]
	}
	head, expression, ok := strings.Cut(spec, "=")
	if !ok {
		return strings.ReplaceAll(spec, "_", " "), spec, form
	}
	return head, expression, form
}

func formatted(value any, form string) string {
	if n, ok := value.(float64); ok && form != "" && !math.IsNaN(n) && !math.IsInf(n, 0) {
		return Minus(fmt.Sprintf(form, n))
	}
	return Readable(value)
}

// Readable writes a value as people read it: numbers with four digits, or all where they are integers.
func Readable(value any) string {
	n, ok := value.(float64)
	switch {
	case value == true:
		return "yes"
	case value == false:
		return "no"
	case !ok:
		return fmt.Sprint(value)
	case math.IsNaN(n):
		return "–"
	case math.IsInf(n, -1):
		return "−∞"
	case math.IsInf(n, 1):
		return "∞"
	case n == math.Trunc(n) && math.Abs(n) < 1e15:
		return Minus(strconv.FormatFloat(n, 'f', 0, 64))
	}
	text := strconv.FormatFloat(n, 'g', 4, 64)
	if strings.Contains(text, "e") && math.Abs(n) >= 1000 && math.Abs(n) < 1e9 {
		text = strconv.FormatFloat(n, 'f', 0, 64)
	}
	return Minus(text)
}

// Minus writes minus signs for hyphens.
func Minus(text string) string { return strings.ReplaceAll(text, "-", "−") }

// readAll reads all CSV files of a folder by name, without the ending. Tables with a column run have the columns of
// their run too.
func readAll(folder string) (map[string]View, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.csv"))
	if err != nil {
		return nil, err
	}
	tables := make(map[string]View)
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".csv")
		if tables[name], err = Read(path); err != nil {
			return nil, err
		}
	}
	runs := tables["runs"]
	runs.Columns = append([]string{"run"}, runs.Columns...)
	for i, row := range runs.Rows {
		row["run"] = strconv.Itoa(i + 1)
	}
	tables["runs"] = runs
	for name, table := range tables {
		if name != "runs" && table.Has("run") {
			tables[name] = table.Join("run", runs)
		}
	}
	return tables, nil
}
