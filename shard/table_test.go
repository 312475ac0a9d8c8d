package shard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"anchorage/internal/long"
	"anchorage/shard/tablefile"
)

var tableFields = []tablefile.Field{{Name: "i", Type: tablefile.Int32}, {Name: "l", Type: tablefile.Int64}, {Name: "f",
	Type: tablefile.Float32},
	{Name: "d", Type: tablefile.Float64}, {Name: "s", Type: tablefile.String}, {Name: "fl",
		Type: tablefile.Float32List, Width: 3},
	{Name: "dl", Type: tablefile.Float64List, Width: 2}, {Name: "sl", Type: tablefile.StringList, Width: 2}}

// tableRows returns rows from..to of a table with all types.
func tableRows(from, to int) []any {
	var (
		i  = []int32{}
		l  = []int64{}
		f  = []float32{}
		d  = []float64{}
		s  = []string{}
		fl = []float32{}
		dl = []float64{}
		sl = []string{}
	)
	for row := from; row < to; row++ {
		i, l = append(i, int32(-row)), append(l, math.MaxInt64-int64(row))
		f, d = append(f, float32(row)/3), append(d, math.Sqrt(float64(row)))
		s = append(s, []string{"", "ünïcödé", fmt.Sprint("row ", row)}[row%3])
		fl = append(fl, float32(row), 0, -1)
		dl = append(dl, math.Inf(1), 1/float64(row+1))
		sl = append(sl, []string{"", "ünïcödé"}[row%2], fmt.Sprint("element ", row))
	}
	return []any{i, l, f, d, s, fl, dl, sl}
}

// writeTable writes a table of tableFields with row groups of the given numbers of rows.
func writeTable(t testing.TB, groups ...int) []byte {
	t.Helper()
	var buffer bytes.Buffer
	w, err := tablefile.NewWriter(&buffer, tableFields)
	if err != nil {
		t.Fatal(err)
	}
	row := 0
	for _, rows := range groups {
		if err := w.Write(tableRows(row, row+rows)...); err != nil {
			t.Fatal(err)
		}
		row += rows
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

func writeBytes(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table.parquet")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTableRoundTrip(t *testing.T) {
	long.Unwatched(t)
	for _, groups := range [][]int{{}, {0}, {1}, {5, 1, 7}, {20_000, 3}, {8191}, {8192}, {8193}} {
		t.Run(fmt.Sprint(groups), func(t *testing.T) {
			data := writeTable(t, groups...)
			if !bytes.Equal(data, writeTable(t, groups...)) {
				t.Error("the same table gave other bytes")
			}
			path := writeBytes(t, data)
			next := 0
			err := tablefile.Read(context.Background(), path, tableFields, func(firstRow int64, columns []any) error {
				rows := len(columns[0].([]int32))
				if int(firstRow) != next || rows == 0 {
					t.Fatalf("run of %d rows begins at %d after %d", rows, firstRow, next)
				}
				if want := tableRows(next, next+rows); !reflect.DeepEqual(columns, want) {
					t.Fatalf("rows from %d differ", next)
				}
				next += rows
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			want := 0
			for _, rows := range groups {
				want += rows
			}
			if next != want {
				t.Errorf("%d rows, want %d", next, want)
			}
		})
	}
}

// TestTableWide has rows that are longer than a run of the writer and than a run of the reader.
func TestTableWide(t *testing.T) {
	const width, rows = 30_000, 9
	values := make([]float32, width*rows)
	for i := range values {
		values[i] = float32(i)
	}
	var buffer bytes.Buffer
	fields := []tablefile.Field{{Name: "y", Type: tablefile.Float32List, Width: width}}
	w, err := tablefile.NewWriter(&buffer, fields)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(values), w.Close()); err != nil {
		t.Fatal(err)
	}
	var got []float32
	err = tablefile.Read(context.Background(), writeBytes(t, buffer.Bytes()), fields, func(_ int64, columns []any) error {
		got = append(got, columns[0].([]float32)...)
		return nil
	})
	if err != nil || !reflect.DeepEqual(got, values) {
		t.Errorf("%d values, %v", len(got), err)
	}
}

func TestTableErrors(t *testing.T) {
	path := writeBytes(t, writeTable(t, 10, 10))
	for name, test := range map[string]struct {
		field tablefile.Field
		want  string
	}{
		"missing": {tablefile.Field{Name: "x", Type: tablefile.Int32},
			`column "x": the column is missing; the columns are "i", "l"`},
		"wider integer": {tablefile.Field{Name: "i", Type: tablefile.Int64}, "another type"},
		"float":         {tablefile.Field{Name: "l", Type: tablefile.Float64}, "another type"},
		"string":        {tablefile.Field{Name: "d", Type: tablefile.String}, "another type"},
		"list":          {tablefile.Field{Name: "f", Type: tablefile.Float32List, Width: 3}, "another type"},
		"no list":       {tablefile.Field{Name: "fl", Type: tablefile.Float32}, "another type"},
		"other list":    {tablefile.Field{Name: "fl", Type: tablefile.Float64List, Width: 3}, "another type"},
		"narrower list": {tablefile.Field{Name: "fl", Type: tablefile.Float32List, Width: 2},
			`column "fl", row 1: the list does not have the length 2`},
		"strings":      {tablefile.Field{Name: "s", Type: tablefile.StringList, Width: 1}, "another type"},
		"list strings": {tablefile.Field{Name: "sl", Type: tablefile.String}, "another type"},
		"other strings": {tablefile.Field{Name: "sl", Type: tablefile.StringList, Width: 3},
			`column "sl", row 1: the list does not have the length 3`},
		"wider list": {tablefile.Field{Name: "fl", Type: tablefile.Float32List, Width: 4},
			`column "fl", row 1: the list does not have the length 4`},
	} {
		t.Run(name, func(t *testing.T) {
			err := tablefile.Read(context.Background(), path, []tablefile.Field{test.field}, func(int64,
				[]any) error {
				return nil
			})
			wantError(t, err, path, test.want)
		})
	}
	t.Run("null", func(t *testing.T) {
		values := listColumnOf("y", optional3, float32Value, []float32{1, 2, 3}, 2, 2)
		values.groups[0].def[3] = 2
		path := writeParquet(t, filepath.Join(t.TempDir(), "x.parquet"), []testColumn{values})
		err := tablefile.Read(context.Background(), path, []tablefile.Field{{Name: "y",
			Type: tablefile.Float32List, Width: 2}},
			func(int64, []any) error { return nil })
		wantError(t, err, path, "row 2", "null")
	})
	t.Run("null list", func(t *testing.T) {
		values := listColumnOf("y", optional3, float32Value, []float32{1, 2}, 2, -1)
		path := writeParquet(t, filepath.Join(t.TempDir(), "x.parquet"), []testColumn{values})
		err := tablefile.Read(context.Background(), path, []tablefile.Field{{Name: "y",
			Type: tablefile.Float32List, Width: 2}},
			func(int64, []any) error { return nil })
		wantError(t, err, path, "row 2", "length 2")
	})
	t.Run("callback", func(t *testing.T) {
		stop := errors.New("stop")
		if err := tablefile.Read(context.Background(), path, tableFields, func(int64,
			[]any) error {
			return stop
		}); err != stop {
			t.Errorf("got %v", err)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		runs := 0
		err := tablefile.Read(ctx, path, tableFields, func(int64, []any) error {
			runs++
			cancel()
			return nil
		})
		if err != context.Canceled || runs != 1 {
			t.Errorf("%v after %d runs", err, runs)
		}
	})
	t.Run("no file", func(t *testing.T) {
		missing := filepath.Join(t.TempDir(), "nowhere")
		wantError(t, tablefile.Read(context.Background(), missing, tableFields, nil), missing, "no such file")
	})
}

// TestTableDamaged flips each byte of a table: it must be an *Error or a success.
func TestTableDamaged(t *testing.T) {
	long.Unwatched(t)
	data := writeTable(t, 50)
	path := writeBytes(t, data)
	for at := range data {
		if !long.Tier() && at%25 > 0 {
			continue
		}
		data[at] ^= byte(1 << (at % 8))
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := tablefile.Read(context.Background(), path, tableFields, func(int64,
			[]any) error {
			return nil
		}); err != nil {
			wantError(t, err, path)
		}
		data[at] ^= byte(1 << (at % 8))
	}
}

// failingWriter fails after some bytes.
type failingWriter struct{ left int }

var errDisk = errors.New("the disk is full")

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errDisk
	}
	return len(p), nil
}

// TestTableWriteError lets the disk run full at every place; the error must come out.
func TestTableWriteError(t *testing.T) {
	write := func(to io.Writer) error {
		w, err := tablefile.NewWriter(to, tableFields)
		if err != nil {
			return err
		}
		for range 2 {
			if err := w.Write(tableRows(0, 30)...); err != nil {
				return err
			}
		}
		return w.Close()
	}
	var whole bytes.Buffer
	if err := write(&whole); err != nil {
		t.Fatal(err)
	}
	for room := 0; room < whole.Len(); room += 37 {
		if err := write(&failingWriter{room}); !errors.Is(err, errDisk) {
			t.Fatalf("with room for %d of %d bytes: %v", room, whole.Len(), err)
		}
	}
	w, err := tablefile.NewWriter(&bytes.Buffer{}, []tablefile.Field{{Name: "s", Type: tablefile.String}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write([]string{"a", "\xff"}); err == nil {
		t.Error("wrote a string that is not UTF-8")
	}
}

func BenchmarkTable(b *testing.B) {
	const width, rows = 100, 20_000
	values := make([]float32, width*rows)
	for i := range values {
		values[i] = float32(math.Sin(float64(i)))
	}
	fields := []tablefile.Field{{Name: "y", Type: tablefile.Float32List, Width: width}}
	var buffer bytes.Buffer
	write := func() {
		buffer.Reset()
		w, err := tablefile.NewWriter(&buffer, fields)
		if err == nil {
			err = errors.Join(w.Write(values), w.Close())
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.Run("write", func(b *testing.B) {
		b.SetBytes(4 * width * rows)
		b.ReportAllocs()
		for b.Loop() {
			write()
		}
	})
	write()
	path := writeBytes(b, buffer.Bytes())
	b.Run("read", func(b *testing.B) {
		b.SetBytes(4 * width * rows)
		b.ReportAllocs()
		for b.Loop() {
			if err := tablefile.Read(context.Background(), path, fields, func(int64, []any) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
	})
}
