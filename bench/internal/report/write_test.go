package report

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"anchorage/bench/internal/benchtest"
)

// brokenWriter fails after some bytes.
type brokenWriter struct{ left int }

var errBroken = errors.New("broken")

func (w *brokenWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

// Errors of writing come through, wherever they are.
func TestWriteErrors(t *testing.T) {
	for _, left := range []int{0, 10, 100} {
		if err := forms().WriteCSV(&brokenWriter{left}); !errors.Is(err, errBroken) {
			t.Errorf("a table after %d bytes: %v", left, err)
		}
		if err := someChart().Write(&brokenWriter{left}); !errors.Is(err, errBroken) {
			t.Errorf("a chart after %d bytes: %v", left, err)
		}
	}
	path := filepath.Join(t.TempDir(), "no", "such", "README.md")
	if err := WriteText(path, "text"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a text in no folder: %v", err)
	}
	record := someRecords()[0]
	if err := testLog.Put(filepath.Dir(path), &record); err == nil {
		t.Error("a record in no folder")
	}
}

// A text is complete or absent, and takes the place of an older one.
func TestWriteText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "README.md")
	for _, text := range []string{"first", "second, longer", ""} {
		if err := WriteText(path, text); err != nil {
			t.Fatal(err)
		}
		if got := benchtest.Text(t, path); got != text {
			t.Errorf("%q, want %q", got, text)
		}
	}
	benchtest.Only(t, filepath.Dir(path), "README.md")
}

// Every value that a cell can have is read as it was.
func TestCells(t *testing.T) {
	day := time.Date(2026, 2, 3, 4, 5, 6, 0, time.FixedZone("east", 3600))
	for _, value := range []any{0.1, -math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(-1), "", "a;b", true, false, -7, int64(math.MinInt64), uint64(math.MaxUint64)} {
		var text string
		var same bool
		switch v := value.(type) {
		case float64:
			text = cell(&v)
			got := math.NaN()
			same = setCell(&got, text) == nil && got == v
		case string:
			text = cell(&v)
			got := "before"
			same = setCell(&got, text) == nil && got == v
		case bool:
			text = cell(&v)
			got := !v
			same = setCell(&got, text) == nil && got == v
		case int:
			text = cell(&v)
			got := 1
			same = setCell(&got, text) == nil && got == v
		case int64:
			text = cell(&v)
			got := int64(1)
			same = setCell(&got, text) == nil && got == v
		case uint64:
			text = cell(&v)
			got := uint64(1)
			same = setCell(&got, text) == nil && got == v
		}
		if !same {
			t.Errorf("%v (%T) comes back from %q otherwise", value, value, text)
		}
	}
	var moment time.Time
	if text := cell(&day); text != "2026-02-03T03:05:06Z" || setCell(&moment, text) != nil || !moment.Equal(day) {
		t.Errorf("%v comes back as %v", day, moment)
	}
	list, again := []string{"one, two", "three"}, []string(nil)
	if text := cell(&list); text != "one, two; three" || setCell(&again, text) != nil || fmt.Sprint(again) != fmt.Sprint(list) {
		t.Errorf("%q comes back as %q", list, again)
	}
}

// Cells of another type are refused.
func TestCellsRefuse(t *testing.T) {
	for name, err := range map[string]error{
		"float64": setCell(new(float64), "1,5"), "bool": setCell(new(bool), "ja"), "int": setCell(new(int), "1e3"), "int64": setCell(new(int64), "9223372036854775808"),
		"uint64": setCell(new(uint64), "-1"), "time": setCell(new(time.Time), "yesterday"),
	} {
		if err == nil {
			t.Errorf("a %s takes anything", name)
		}
	}
}

// A legend goes on in a new row where the first is full, and names a series once.
func TestLegend(t *testing.T) {
	var list []Series
	for i := range 8 {
		list = append(list, Series{Name: fmt.Sprintf("a series with quite a long name, %d", i), Style: i})
	}
	rows := [][]Panel{{{Series: list}, {Series: list[:3]}}}
	entries, height, err := layLegend(rows, 200*vg.Millimeter)
	if err != nil || len(entries) != len(list) {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	if entries[0].left != 0 || entries[0].top != 0 || entries[1].left <= 0 || entries[7].top <= 0 || height != entries[7].top+legendRow {
		t.Errorf("%+v, height %v", entries, height)
	}
	for i := 1; i < len(entries); i++ {
		if entries[i].top == entries[i-1].top && entries[i].left <= entries[i-1].left {
			t.Errorf("entries %d and %d lie on each other", i-1, i)
		}
	}
	wide, _, err := layLegend(rows, 10_000*vg.Millimeter)
	if err != nil || wide[7].top != 0 {
		t.Errorf("in a wide chart the last entry is at %v: %v", wide[7].top, err)
	}
}

// Axes take their range from the values, with room around them.
func TestScales(t *testing.T) {
	scaled := func(p Panel) *plot.Plot {
		p.Ticks = []float64{1, 100}
		drawn, err := p.plot()
		if err != nil {
			t.Fatal(err)
		}
		return drawn
	}
	points := []Point{{X: 1, Y: 2}, {X: 100, Y: 4, Below: 1, Above: 6}}
	p := scaled(Panel{Series: []Series{{Points: points}}})
	if !(p.Y.Min < 2 && p.Y.Min > 1.4 && p.Y.Max > 10 && p.Y.Max < 11) {
		t.Errorf("y from %v to %v", p.Y.Min, p.Y.Max)
	}
	if p = scaled(Panel{LogX: true, LogY: true, Series: []Series{{Points: points}}}); p.Y.Min != 1 || p.Y.Max != 30 || p.X.Min >= 1 || p.X.Max <= 100 {
		t.Errorf("x from %v to %v, y from %v to %v", p.X.Min, p.X.Max, p.Y.Min, p.Y.Max)
	}
	if p = scaled(Panel{Series: []Series{{Points: points[:1]}}}); !(p.Y.Min < 2 && p.Y.Max > 2) {
		t.Errorf("one value: y from %v to %v", p.Y.Min, p.Y.Max)
	}
	if p = scaled(Panel{}); p.Y.Min != 0 || p.Y.Max != 1 {
		t.Errorf("no value: y from %v to %v", p.Y.Min, p.Y.Max)
	}
}

// The style of small labels is smaller than that of titles.
func TestLabelStyle(t *testing.T) {
	if style := LabelStyle(); style.Font.Size != tickSize || style.Font.Variant != "Sans" {
		t.Errorf("%+v", style.Font)
	}
}

// A folder that cannot be looked at is an error of its own.
func TestNewFolderFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := NewFolder(filepath.Join(file, "results")); err == nil {
		t.Error("a folder in a file")
	}
	folder, err := NewFolder(filepath.Join(t.TempDir(), "results"))
	if err != nil {
		t.Fatal(err)
	}
	bad := errors.New("bad")
	if err := folder.Add("x.csv", func(w io.Writer) error { io.WriteString(w, "half"); return bad }); !errors.Is(err, bad) || !strings.Contains(err.Error(), "x.csv") {
		t.Errorf("%v", err)
	}
	if err := folder.Commit(); err != nil {
		t.Fatal(err)
	}
	benchtest.Only(t, folder.path)
}
