package report

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/model"
)

// forms is a table with every kind of value.
func forms() *Table {
	t := NewTable("forms", Texts("name"), Ints("count"), Floats("value"))
	for i, v := range []float64{1.0 / 3, -1e-300, 0, math.Inf(-1), 12345678.9, math.NaN(), math.Copysign(0, -1), math.MaxFloat64} {
		t.Add(fmt.Sprintf("a|b,\"%d\"\nö", i), int64(i)-1<<62, v)
	}
	return t
}

// save returns the path of a file with the table.
func save(t *testing.T, table *Table) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), table.Name+".csv")
	var text bytes.Buffer
	if err := table.WriteCSV(&text); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// What is read is what was written, bit for bit.
func TestTableCSV(t *testing.T) {
	want := forms()
	got := NewTable("forms", want.Columns)
	if err := got.Read(save(t, want)); err != nil {
		t.Fatal(err)
	}
	if len(got.Rows) != len(want.Rows) {
		t.Fatalf("%d rows, want %d", len(got.Rows), len(want.Rows))
	}
	for r, row := range want.Rows {
		a, b := row[2].(float64), got.Rows[r][2].(float64)
		same := math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
		if !same || got.Rows[r][0] != row[0] || got.Rows[r][1] != row[1] {
			t.Errorf("row %d: %v, want %v", r, got.Rows[r], row)
		}
	}
}

func TestTableReadRefuses(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"empty":         {"", "unexpected EOF"},
		"other columns": {"name,count\n", "does not have the columns of forms"},
		"other order":   {"count,name,value\n", "does not have the columns of forms"},
		"short row":     {"name,count,value\na,1\n", "wrong number of fields"},
		"no integer":    {"name,count,value\na,1,2\nb,1.5,2\n", "row 3, count"},
		"no number":     {"name,count,value\na,1,two\n", "row 2, value"},
		"open quote":    {"name,count,value\n\"a,1,2\n", "extraneous or missing"},
	} {
		path := filepath.Join(t.TempDir(), "forms.csv")
		if err := os.WriteFile(path, []byte(test.text), 0o644); err != nil {
			t.Fatal(err)
		}
		err := NewTable("forms", forms().Columns).Read(path)
		var input *model.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	if err := forms().Read(filepath.Join(t.TempDir(), "none.csv")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestTableMarkdown(t *testing.T) {
	table := NewTable("two", Texts("the_name"), Ints("count"), Floats("a_value"))
	table.Add("x|y", int64(3), -0.000123456)
	table.Add("", int64(-4), math.NaN())
	var b strings.Builder
	table.WriteMarkdown(&b)
	want := "| the name | count | a value |\n| --- | ---: | ---: |\n| x\\|y | 3 | −0.0001235 |\n|  | -4 | – |\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestTableAddPanics(t *testing.T) {
	for name, row := range map[string][]any{
		"too few": {"a", int64(1)}, "too many": {"a", int64(1), 2.0, 3.0}, "int": {"a", 1, 2.0}, "order": {int64(1), "a", 2.0}, "nil": {nil, int64(1), 2.0},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			forms().Add(row...)
		}()
	}
}

func TestReadable(t *testing.T) {
	for value, want := range map[any]string{
		0.023941523: "0.02394", -217.017: "−217", 123456.7: "123457", 1.5e-7: "1.5e−07", 2.5e9: "2.5e+09", math.Inf(-1): "−∞", math.Inf(1): "∞",
		int64(7): "7", "x": "x", 0.0: "0",
	} {
		if got := Readable(value); got != want {
			t.Errorf("%v reads %q, want %q", value, got, want)
		}
	}
	if got := Readable(math.NaN()); got != "–" {
		t.Errorf("a missing value reads %q", got)
	}
}

func TestSummarize(t *testing.T) {
	table := NewTable("runs", Texts("kind"), Ints("seed"), Floats("value"))
	for i, v := range []float64{1, 2, 3} {
		table.Add("many", int64(i), v)
	}
	table.Add("one", int64(0), 5.0)
	summary := table.Summarize("means", []string{"kind"}, []string{"value"})
	if got := fmt.Sprint(summary.Rows); got != "[[many 3 2 1] [one 1 5 NaN]]" {
		t.Errorf("summary is %s", got)
	}
	if summary.Name != "means" || fmt.Sprint(summary.Columns) != "[{kind 0} {runs 1} {value 2} {value_sd 2}]" {
		t.Errorf("columns %v of %s", summary.Columns, summary.Name)
	}
	if rows := table.Where("kind", "many", "seed", int64(1)); len(rows) != 1 || rows[0][2] != 2.0 {
		t.Errorf("picked %v", rows)
	}
	if kinds := Distinct[string](table, "kind", table.Rows); fmt.Sprint(kinds) != "[many one]" {
		t.Errorf("kinds %v", kinds)
	}
	if m := MeanOf([]float64{1, math.Inf(1)}); !math.IsInf(m.Mean, 1) {
		t.Errorf("the mean of an infinite value is %v", m.Mean)
	}
}

// Runs of earlier results are taken over, the last folder's first.
func TestRunsReuse(t *testing.T) {
	keys, figures := Texts("kind"), Floats("value")
	folder := func(rows ...any) string {
		table := NewTable("runs", keys, figures)
		for i := 0; i < len(rows); i += 2 {
			table.Add(rows[i], rows[i+1])
		}
		return filepath.Dir(save(t, table))
	}
	first, second, empty := folder("a", 1.0, "b", 2.0), folder("b", 3.0), t.TempDir()
	r, err := NewRuns([]string{first, empty, second}, "runs", keys, figures)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Reuse("a") || !r.Reuse("b") || r.Reuse("c") || r.Taken != 2 {
		t.Errorf("%d taken", r.Taken)
	}
	if got := fmt.Sprint(r.Rows); got != "[[a 1] [b 3]]" {
		t.Errorf("rows %s", got)
	}
	if _, err := NewRuns([]string{filepath.Join(empty, "nothing")}, "runs", keys, figures); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
	if _, err := NewRuns([]string{first}, "runs", keys, Floats("other")); err == nil {
		t.Error("a table of other columns passes")
	}
}
