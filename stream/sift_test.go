package stream

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/shard"
)

// TestSift sets aside shards that are bad at their beginning, in the middle and at the end, with any number of workers.
// The others must read as if the bad ones had never existed.
func TestSift(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.dat":              "x y\n",
		"b.dat.gz":           "\x1f\x8b\x08\x00no gzip",
		"docword.c.txt":      "2\n3\n2\n1 1 1\n2 2 2\n",
		"docword.middle.txt": "2\n3\n3\n1 1 1\n2 9 2\n2 1 1\n",
		"docword.short.txt":  "2\n3\n3\n1 1 1\n2 1 2\n",
		"e.parquet":          "PAR1 is not all that it takes",
		"f.dat":              "y z\n",
		"g.dat":              strings.Repeat("word\x00", 1000),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	shards, err := shard.Discover(ctx, []string{dir}, shard.Options{KeepBad: true})
	if err != nil || len(shards) != 8 {
		t.Fatal(len(shards), err)
	}
	var first *corpus.Intake
	for _, workers := range []int{1, 2, 7} {
		good, skipped, err := Sift(ctx, shards, workers)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, s := range skipped {
			names = append(names, filepath.Base(s.Path))
			if !strings.HasPrefix(s.Reason, s.Path) {
				t.Errorf("reason %q", s.Reason)
			}
		}
		want := []string{"b.dat.gz", "docword.middle.txt", "docword.short.txt", "e.parquet", "g.dat"}
		if !reflect.DeepEqual(names, want) {
			t.Fatalf("skipped %q", names)
		}
		intake, err := Read(ctx, good, ReadOptions{ReadingOptions: corpus.ReadingOptions{Workers: workers}},
			func(*corpus.Documents) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		intake.Bytes = 0 // depends on the workers
		if first == nil {
			first = intake
		}
		if intake.Documents != 4 || !reflect.DeepEqual(intake, first) {
			t.Errorf("%d workers: %+v", workers, intake)
		}
	}
	if good, skipped, err := Sift(ctx, shards[1:2], 0); err == nil || len(good) != 0 || len(skipped) != 1 {
		t.Errorf("%d are left, %d skipped, with the error %v", len(good), len(skipped), err)
	}
}

// TestSiftHolds changes a shard after Sift, without changing its size or time.
func TestSiftHolds(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "a.dat")
	if err := os.WriteFile(path, []byte("x y\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	shards, err := shard.Discover(ctx, []string{path}, shard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	good, _, err := Sift(ctx, shards, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("x z\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	_, err = Read(ctx, good, ReadOptions{SkipDigests: true}, func(*corpus.Documents) error { return nil })
	if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "its first reading") {
		t.Errorf("error %v", err)
	}
}
