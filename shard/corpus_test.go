package shard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// corpusEnv names a directory of malformed files, one directory per format.
const corpusEnv = "ANCHORAGE_CORPUS"

// corpusFiles returns the files of the corpus in a format's directory.
func corpusFiles(t testing.TB, format string) []string {
	t.Helper()
	root := os.Getenv(corpusEnv)
	if root == "" {
		t.Skipf("set %s to a directory of malformed files, one directory per format", corpusEnv)
	}
	files, err := filepath.Glob(filepath.Join(root, format, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", filepath.Join(root, format), err)
	}
	return files
}

// drain reads a shard to its end and returns the number of documents, or the first error.
func drain(ctx context.Context, s Shard) (documents int64, err error) {
	parts, err := s.Parts(context.Background())
	if err != nil {
		return 0, err
	}
	var batch Batch
	for _, part := range parts {
		reader, err := Open(ctx, part)
		if err != nil {
			return documents, err
		}
		for {
			err = reader.Next(&batch)
			if err != nil {
				break
			}
			if batch.FirstRow != documents {
				panic("batch does not follow the one before")
			}
			documents += int64(batch.Documents())
		}
		reader.Close()
		if err != io.EOF {
			return documents, err
		}
	}
	return documents, nil
}

// TestCorpus reads every malformed file in every format: each read must end soon, in success or an *Error, without a
// panic and in bounded memory.
func TestCorpus(t *testing.T) {
	const limit = 10 * time.Second
	for _, path := range corpusFiles(t, "*") {
		for format := Auto; format <= Files; format++ {
			t.Run(filepath.Base(path)+"/"+format.String(), func(t *testing.T) {
				start := time.Now()
				shards, err := Discover(context.Background(), []string{path}, Options{Format: format})
				documents := int64(0)
				if err == nil {
					documents, err = drain(context.Background(), shards[0])
				}
				var place *Error
				if err != nil && !errors.As(err, &place) {
					t.Errorf("error of type %T: %v", err, err)
				}
				if elapsed := time.Since(start); elapsed > limit {
					t.Errorf("took %v", elapsed)
				}
				t.Logf("%d documents, %v", documents, err)
			})
		}
	}
}

// everyColumn reads a file by each of its columns in turn, as ids of documents, as items and as counts, whatever they
// mean. It returns how many readings found documents, and an error that is no *Error.
func everyColumn(ctx context.Context, path string, format Format) (readings int, err error) {
	shards, err := Discover(ctx, []string{path}, Options{Format: format, KeepBad: true})
	if err != nil {
		return 0, err
	}
	d, err := shards[0].Describe(ctx)
	if err != nil {
		return 0, err
	}
	for i, column := range d.Columns[:min(len(d.Columns), 100)] {
		other := d.Columns[(i+1)%len(d.Columns)].Name
		for _, opts := range []Options{{ItemsColumn: column.Name, CountsColumn: NoCounts, Names: true},
			{ItemsColumn: column.Name, DocumentColumn: other, CountsColumn: NoCounts, Names: true},
			{ItemsColumn: other, DocumentColumn: column.Name, CountsColumn: column.Name}} {
			s := shards[0]
			opts.Format, opts.MaxBadRows = format, 1<<40
			s.options = opts
			documents, err := drain(ctx, s)
			if documents > 0 {
				readings++
			}
			var place *Error
			if err != nil && !errors.As(err, &place) {
				return readings, fmt.Errorf("%+v: error of type %T: %w", opts, err, err)
			}
		}
	}
	return readings, nil
}

// TestCorpusColumns reads every column of the malformed Parquet and Arrow files that is of a type which is read at all,
// not only those that look like items and counts.
func TestCorpusColumns(t *testing.T) {
	const limit = 20 * time.Second
	const memory = 2 << 30
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	read := 0
	for format, folder := range map[Format]string{Parquet: "parquet", Arrow: "arrow"} {
		for _, path := range corpusFiles(t, folder) {
			t.Run(filepath.Base(path), func(t *testing.T) {
				start := time.Now()
				readings, err := everyColumn(context.Background(), path, format)
				if err != nil {
					t.Error(err)
				}
				read += readings
				if elapsed := time.Since(start); elapsed > limit {
					t.Errorf("took %v", elapsed)
				}
				var stats runtime.MemStats
				runtime.ReadMemStats(&stats)
				if stats.HeapInuse > memory {
					t.Errorf("%d MiB of heap", stats.HeapInuse>>20)
				}
			})
		}
	}
	if read == 0 {
		t.Error("no file has a column that is read")
	}
}
