package model

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/matrix"
	"anchorage/model/items"
	"anchorage/shard"
	"anchorage/shard/tablefile"
)

// written writes tables into a directory and returns its path.
func written(t *testing.T, tables ...table) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "results")
	out, err := Create(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Abort()
	if err := out.saveTables(tables, &Manifest{Kind: KindModel}, Saving{}); err != nil {
		t.Fatal(err)
	}
	return path
}

// tall returns a matrix of numbers that are exact in single precision.
func tall(rows, cols int) *matrix.Tall {
	m := matrix.NewTall(rows, cols)
	for i := range rows {
		for j := range cols {
			m.Row(i)[j] = float64(i)/4 + float64(j)
		}
	}
	return m
}

// everyColumn is a table with a column of every kind.
type everyColumn struct {
	integers      []int64
	weights       []float64
	words         []string
	items         []int
	lists         []float64
	found         []int
	double, float *matrix.Tall
}

func (e *everyColumn) table(v *corpus.Vocabulary, rows int) table {
	return table{file: "every.parquet", rows: rows, columns: []column{
		numbered("row"), values("integer", &e.integers), orOnes("weight", &e.weights, true), values("word", &e.words),
		itemColumn("item", &e.items, v.Len()), lists("list", 3, &e.lists),
		ids(v, func(row int) int { return e.items[row] }, func(_, item int) { e.found = append(e.found, item) }),
		matrixColumn("double", e.double), singleColumn("single", rows, 5, func(dst []float64,
			i int) {
			copy(dst, e.float.Row(i))
		}, e.float),
	}}
}

// at returns a directory without a manifest.
func at(path string) *Directory { return &Directory{path: path, unchecked: true} }

// TestTableRoundTrip writes tables of no, one and many rows, with strings and integers as ids, and reads them back.
func TestTableRoundTrip(t *testing.T) {
	for _, names := range [][]string{{"a", "größe", "c"}, {"3", "-1", "20"}} {
		v := corpus.NewVocabulary()
		for _, name := range names {
			v.Intern([]byte(name))
		}
		for _, rows := range []int{0, 1, 2, groupRows - 1, groupRows, groupRows + 1} {
			e := everyColumn{double: tall(rows, 2), float: tall(rows, 5)}
			for i := range rows {
				e.integers, e.items = append(e.integers, int64(i*i)), append(e.items, i%3)
				e.words = append(e.words, strings.Repeat("x", i%4))
				e.lists = append(e.lists, float64(i), math.Inf(1), -0.5)
			}
			path := written(t, e.table(v, rows))
			got := everyColumn{double: matrix.NewTall(rows, 2), float: matrix.NewTall(rows, 5)}
			if err := got.table(v, rows).read(t.Context(), at(path)); err != nil {
				t.Fatalf("%d rows: %v", rows, err)
			}
			if !slices.Equal(got.integers, e.integers) || !slices.Equal(got.words, e.words) ||
				!slices.Equal(got.items, e.items) ||
				!slices.Equal(got.lists, e.lists) || !slices.Equal(got.found, e.items) || len(got.weights) != rows {
				t.Errorf("%d rows: other values", rows)
			}
			for i := range rows {
				if got.weights[i] != 1 || !slices.Equal(got.double.Row(i), e.double.Row(i)) || !slices.Equal(got.float.Row(i),
					e.float.Row(i)) {
					t.Fatalf("row %d of %d differs", i, rows)
				}
			}
		}
	}
}

// TestTableEncoded interrupts the writing of a table, and wants all rows reported otherwise.
func TestTableEncoded(t *testing.T) {
	const rows, cols = 5*groupRows + 7, 3
	tall := matrix.NewTall(rows, cols)
	for i := range rows {
		for j := range cols {
			tall.Row(i)[j] = float64(i*cols + j)
		}
	}
	of := matrixTable("t.parquet", "values", tall)
	wrote := 0
	if err := of.encode(t.Context(), io.Discard, of.values, func(n int) { wrote += n }); err != nil || wrote != rows {
		t.Errorf("%d rows, want %d: %v", wrote, rows, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := of.encode(ctx, io.Discard, of.values, func(int) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// TestTableRefuses reads invalid tables. Each error must name the file and what is wrong with it.
func TestTableRefuses(t *testing.T) {
	few, more := []float64{1, 2}, []float64{1, 2, 3}
	of := func(values_ *[]float64, rows int) table {
		return table{file: "t.parquet", rows: rows, columns: []column{numbered("row"), values("value", values_)}}
	}
	path := written(t, of(&few, 2))
	var got []float64
	for name, test := range map[string]struct {
		table table
		want  string
	}{
		"rows":          {of(&got, 3), "has 2 rows, but must have 3"},
		"another name":  {table{file: "t.parquet", rows: 2, columns: []column{values("worth", &got)}}, "worth"},
		"another type":  {table{file: "t.parquet", rows: 2, columns: []column{values("value", new([]int64))}}, "value"},
		"another width": {table{file: "t.parquet", rows: 2, columns: []column{lists("value", 2, &got)}}, "value"},
		"missing":       {table{file: "u.parquet", rows: 2, columns: []column{values("value", &got)}}, "u.parquet"},
		"matrix":        {table{file: "t.parquet", rows: 2, columns: []column{matrixColumn("value", tall(1, 1))}}, "value"},
	} {
		err := test.table.read(t.Context(), at(path))
		var input *InputError
		var format *shard.Error
		if err == nil || !strings.Contains(err.Error(), test.want) || !errors.As(err, &input) && !errors.As(err, &format) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Wrong row numbers, items outside of the vocabulary, and pairs in another order.
	v := corpus.NewVocabulary()
	v.Intern([]byte("a"))
	number := []int32{0, 2, 2}
	for name, test := range map[string]struct {
		write, read column
		want        string
	}{
		"numbers": {values("n", &number), numbered("n"), "has n 2 in row 2"},
		"items":   {values("n", &number), itemColumn("n", new([]int), 2), "has item 2, but there are only 2 items"},
		"pairs": {values("n", &number), expected("n", 3, func(row int) int { return []int{0, 0, 2}[row] }),
			"has n 2 in row 2"},
		"more pairs": {values("n", &number), expected("n", 2, func(row int) int { return 2 * row }), "has n 2 in row 3"},
		"more rows": {rowsColumn("n", 3, 1, func(dst []float64, i int) { dst[0] = more[i] }, nil), matrixColumn("n",
			matrix.NewTall(2, 1)), "has more than 2 rows"},
		"ids": {column{Field: tablefile.Field{Name: "item_id", Type: tablefile.String}, write: func(first,
			last int) any {
			return []string{"a", "b", "a"}[first:last]
		}},
			ids(v, nil, func(int, int) {}), `has item "b", which is not in the vocabulary`},
	} {
		path := written(t, table{file: "t.parquet", rows: 3, columns: []column{test.write}})
		err := table{file: "t.parquet", rows: 3, columns: []column{test.read}}.read(t.Context(), at(path))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTableReadEndsWithItsContext(t *testing.T) {
	values_ := []float64{1, 2}
	of := table{file: "t.parquet", rows: 2, columns: []column{values("value", &values_)}}
	path := written(t, of)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := of.read(ctx, at(path)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestOutput checks that the path is empty until a result is saved, complete afterwards, and empty after Abort.
func TestOutput(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "results")
	out, err := Create(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Create(t.Context(), path, nil); !errors.Is(err, ErrLocked) {
		t.Errorf("a second output at the path: %v", err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("something is there before: %v", err)
	}
	scratch, err := out.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(scratch, "scratch"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	out.Abort()
	out.Abort()
	if entries, _ := os.ReadDir(folder); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
}

// TestPairsOfOlderLayout reads pairs as they were written in double precision, and as they are written now.
func TestPairsOfOlderLayout(t *testing.T) {
	p := &items.Pairs{Documents: 9, Counts: []int64{5, 4}, Companions: []int64{3, 3}, Weighted: []float64{2.5, 2},
		Offsets: []int64{0, 1, 2}, Others: []int32{1, 0}, Together: []int32{3, 3}, Weights: []float32{1.25, 1.25},
		Inverse: []float32{0.1, -0.3}}
	for layout := 1; layout <= recommendLayout; layout++ {
		path := written(t, neighbourTables(p, len(p.Others), layout)...)
		read := &items.Pairs{Documents: 9, Offsets: []int64{0}, Inverse: []float32{}}
		for _, table := range neighbourTables(read, len(p.Others), layout) {
			if err := table.read(t.Context(), at(path)); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(read, p) {
			t.Errorf("layout %d: %+v, want %+v", layout, read, p)
		}
	}
}
