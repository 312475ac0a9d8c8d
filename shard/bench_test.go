package shard

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// readAll reads all documents of the shards and returns their numbers and that of the entries.
func readAll(t testing.TB, shards []Shard) (documents, entries int64) {
	t.Helper()
	var batch Batch
	for _, s := range shards {
		parts, err := s.Parts(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range parts {
			reader, err := Open(context.Background(), part)
			if err != nil {
				t.Fatal(err)
			}
			for {
				err := reader.Next(&batch)
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				documents += int64(batch.Documents())
				entries += int64(len(batch.Items))
			}
			if err := reader.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return documents, entries
}

// BenchmarkRead reads the corpora in the directories of $ANCHORAGE_DATA. One operation is a pass over a corpus.
func BenchmarkRead(b *testing.B) {
	root := os.Getenv("ANCHORAGE_DATA")
	if root == "" {
		b.Skip("set ANCHORAGE_DATA to a directory with one corpus per directory")
	}
	dirs, err := filepath.Glob(filepath.Join(root, "*", ""))
	if err != nil {
		b.Fatal(err)
	}
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		b.Run(filepath.Base(dir), func(b *testing.B) {
			shards, err := Discover(context.Background(), []string{dir}, Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			var documents, entries int64
			for b.Loop() {
				documents, entries = readAll(b, shards)
			}
			b.ReportMetric(float64(entries)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mentries/s")
			b.ReportMetric(float64(documents), "documents")
			b.ReportMetric(float64(entries), "entries")
		})
	}
}
