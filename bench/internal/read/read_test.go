package read

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/shard"
)

func TestRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "small")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.dat", "b.dat"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x y z\nx\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	wiki := filepath.Join("..", "..", "..", "testdata", "wiki")
	records, err := Options{Workers: []int{1, 2}}.Run(context.Background(), []string{dir, wiki}, shard.Options{})
	if err != nil || len(records) != 4 {
		t.Fatal(len(records), err)
	}
	for i, r := range records {
		if r.Workers != i%2+1 || r.Nonzeros == 0 || r.Wall <= 0 || r.FloorWall <= 0 {
			t.Errorf("%+v", r)
		}
	}
	if r := records[0]; r.Documents != 4 || r.Nonzeros != 8 || r.Bytes != 16 || r.Decompressed != 16 || r.Name != "small" || r.Format != "baskets" {
		t.Errorf("%+v", r)
	}
	if r := records[2]; r.Decompressed <= r.Nonzeros {
		t.Errorf("%d bytes decompressed for %d nonzeros", r.Decompressed, r.Nonzeros)
	}
	records[0].CPU = 0 // as where the system does not tell
	path := filepath.Join(t.TempDir(), "results")
	folder, err := report.NewFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(Write(folder, records, report.NewOrigin("the command", 1)), folder.Commit()); err != nil {
		t.Fatal(err)
	}
	benchtest.Only(t, path, "README.md", "read.csv")
	benchtest.Results(t, path)
	text := benchtest.Text(t, path, "README.md")
	if got := strings.Count(text, "\n| "); got != 2+4 {
		t.Errorf("%d rows:\n%s", got, text)
	}
	benchtest.Says(t, "README.md", text, "\nthe command\n", "| small | baskets | 1 | 0.0 M | 0.0 |", "| unknown |", "| wiki | parquet | 2 | ")
	if _, err := (Options{Workers: []int{1}}).Run(context.Background(), []string{"nothing"}, shard.Options{}); err == nil {
		t.Error("nothing was read, without an error")
	}
}

// The figures of a row follow from what was measured.
func TestReadTable(t *testing.T) {
	second := time.Second
	r := Record{Name: "x", Format: "csv", Workers: 2, Nonzeros: 9e6, Bytes: 4e6, Wall: 2 * second, CPU: 3 * second, FloorWall: second, FloorCPU: second / 2}
	row := table([]Record{r}).Rows[0]
	for i, want := range []any{"x", "csv", int64(2), 9e6, 4.0, 4.5e6, 3e6, 2.0, 4.0, 0.5 / 3} {
		if row[i] != want {
			t.Errorf("column %d is %v, want %v", i, row[i], want)
		}
	}
	text := readme(table([]Record{r}), report.Origin{})
	benchtest.Says(t, "README.md", text, "| x | csv | 2 | 9.0 M | 4.0 | 4.5 M | 3.0 M | 2 | 4 | 17 % | 10 |")
}

// A corpus is called by the last part of its path, on disk and in stores.
func TestCorpusName(t *testing.T) {
	for path, want := range map[string]string{"a/b/csv": "csv", "x.dat": "x.dat", "s3://bucket/folder/arrow": "arrow"} {
		if got := corpusName(path); got != want {
			t.Errorf("%s is called %s, want %s", path, got, want)
		}
	}
}

// Passes are made until they have taken long enough, at least three that count; an error ends them.
func TestMeasure(t *testing.T) {
	calls := 0
	if _, err := (Options{}).measure(t.Context(), 1, 2, func(int) error { calls++; return nil }); err != nil || calls != 2*(1+3) {
		t.Errorf("%d calls: %v", calls, err)
	}
	broken := errors.New("broken")
	for _, good := range []int{0, 1} {
		calls = 0
		_, err := (Options{}).measure(t.Context(), 1, 1, func(int) error {
			if calls++; calls > good {
				return broken
			}
			return nil
		})
		if !errors.Is(err, broken) || calls != good+1 {
			t.Errorf("%d calls: %v", calls, err)
		}
	}
}

// A shard that is cut off is an error, in reading and in the floor.
func TestReadBroken(t *testing.T) {
	folder := t.TempDir()
	whole, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "wiki", "part-00000.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "cut.parquet"), whole[:len(whole)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := (Options{Workers: []int{1}}).Run(t.Context(), []string{folder}, shard.Options{}); err == nil || !strings.Contains(err.Error(), "cut.parquet") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Options{Workers: []int{1}}).Run(ctx, []string{filepath.Join("..", "..", "..", "testdata", "wiki")}, shard.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted run: %v", err)
	}
}
