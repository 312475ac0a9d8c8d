// This file measures how fast shards are read, against just reading and decompressing their bytes.

package read

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"time"

	"anchorage/bench/internal/report"
	"anchorage/internal/kernel"
	"anchorage/internal/objects"
	"anchorage/shard"
)

// gensimRate is what gensim publishes for pure iteration over a corpus in Matrix Market format, in nonzeros per second.
const gensimRate = 450_000

// Options say how to measure.
type Options struct {
	Workers []int         // numbers of workers to measure with
	Least   time.Duration // time to measure a figure for, at least
}

// figure is one measurement: the mean over the passes.
type figure struct {
	wall, cpu time.Duration
}

// Record is what was measured of one corpus with one number of workers.
type Record struct {
	Name                           string
	Format                         string
	Workers                        int
	Documents, Nonzeros            int64
	Bytes, Decompressed            int64
	Wall, CPU, FloorWall, FloorCPU time.Duration // of one pass
}

// Run measures reading each of the corpora, which are files or folders.
func (r Options) Run(ctx context.Context, corpora []string, opts shard.Options) ([]Record, error) {
	var records []Record
	for _, corpus := range corpora {
		shards, err := shard.Discover(ctx, []string{corpus}, opts)
		if err != nil {
			return nil, err
		}
		var parts []shard.Part
		size := int64(0)
		for _, s := range shards {
			size += s.Size
			of, err := s.Parts(ctx)
			if err != nil {
				return nil, err
			}
			parts = append(parts, of...)
		}
		for _, workers := range r.Workers {
			record := Record{Name: corpusName(corpus), Format: shards[0].Format.String(), Workers: workers, Bytes: size}
			if err := r.measureParts(ctx, &record, parts); err != nil {
				return nil, err
			}
			records = append(records, record)
		}
	}
	return records, nil
}

func corpusName(corpus string) string {
	if place, err := objects.Parse(corpus); err == nil {
		return place.Name()
	}
	return filepath.Base(corpus)
}

// measureParts fills a record.
func (r Options) measureParts(ctx context.Context, record *Record, parts []shard.Part) error {
	documents, nonzeros := make([]int64, len(parts)), make([]int64, len(parts))
	batches := make([]shard.Batch, len(parts))
	read, err := r.measure(ctx, record.Workers, len(parts), func(i int) (err error) {
		documents[i], nonzeros[i], err = readPart(ctx, parts[i], &batches[i])
		return err
	})
	if err != nil {
		return err
	}
	decompressed := make([]int64, len(parts))
	floor, err := r.measure(ctx, record.Workers, len(parts), func(i int) (err error) {
		decompressed[i], err = shard.Floor(ctx, parts[i])
		return err
	})
	if err != nil {
		return err
	}
	for i := range parts {
		record.Documents += documents[i]
		record.Nonzeros += nonzeros[i]
		record.Decompressed += decompressed[i]
	}
	record.Wall, record.CPU, record.FloorWall, record.FloorCPU = read.wall, read.cpu, floor.wall, floor.cpu
	return nil
}

// measure does passes over n parts, the first of which does not count, until they have taken long enough.
func (r Options) measure(ctx context.Context, workers, n int, fn func(i int) error) (figure, error) {
	if err := kernel.Parallel(ctx, workers, n, fn); err != nil {
		return figure{}, err
	}
	passes, begin, cpu := 0, time.Now(), report.CPUTime()
	for time.Since(begin) < r.Least || passes < 3 {
		if err := kernel.Parallel(ctx, workers, n, fn); err != nil {
			return figure{}, err
		}
		passes++
	}
	count := time.Duration(passes)
	return figure{time.Since(begin) / count, (report.CPUTime() - cpu) / count}, nil
}

func readPart(ctx context.Context, part shard.Part, batch *shard.Batch) (documents, nonzeros int64, err error) {
	reader, err := shard.Open(ctx, part)
	if err != nil {
		return 0, 0, err
	}
	defer reader.Close()
	for {
		if err := reader.Next(batch); err == io.EOF {
			return documents, nonzeros, nil
		} else if err != nil {
			return documents, nonzeros, err
		}
		documents += int64(batch.Documents())
		nonzeros += int64(len(batch.Items))
	}
}

// Write adds the records to a folder: read.csv and README.md.
func Write(folder *report.Folder, records []Record, origin report.Origin) error {
	t := table(records)
	if err := folder.AddTables(t); err != nil {
		return err
	}
	return folder.AddText("README.md", readme(t, origin))
}

// table returns a row per record. What the system does not tell is NaN.
func table(records []Record) *report.Table {
	t := report.NewTable("read", report.Texts("corpus", "format"), report.Ints("workers"), report.Floats("nonzeros", "megabytes",
		"nonzeros_per_second", "nonzeros_per_cpu_second", "megabytes_per_second", "floor_megabytes_per_second", "floor_share_of_cpu"))
	for _, r := range records {
		nonzeros, megabytes := float64(r.Nonzeros), float64(r.Bytes)/1e6
		t.Add(r.Name, r.Format, int64(r.Workers), nonzeros, megabytes, nonzeros/r.Wall.Seconds(), over(nonzeros, r.CPU),
			megabytes/r.Wall.Seconds(), megabytes/r.FloorWall.Seconds(), over(r.FloorCPU.Seconds(), r.CPU))
	}
	return t
}

// over divides by seconds of processor time. It returns NaN where the system does not tell them.
func over(value float64, cpu time.Duration) float64 {
	if cpu <= 0 {
		return math.NaN()
	}
	return value / cpu.Seconds()
}

// readme returns the text of README.md for a table.
func readme(t *report.Table, origin report.Origin) string {
	b := origin.Begin("Reading shards", "")
	fmt.Fprintf(b, `
Each figure is the mean over passes of files that the system holds in memory. An nnz is an entry of a document: an id and a
count. The floor is reading and decompressing the same bytes without decoding them, in the same minute. MB are millions of
bytes of the files as they are. gensim publishes %d nnz/s for pure iteration. Other work on the machine lowers figures per
second; figures per second of processor time (CPU) hold. `+"`read.csv`"+` has all figures.

`, gensimRate)
	report.MarkdownHeader(b, "corpus", "format", "workers:", "nnz:", "MB:", "nnz/s:", "nnz per CPU s:", "MB/s:", "floor MB/s:",
		"floor's share of CPU:", "× gensim:")
	for _, row := range t.Rows {
		number := func(column int, format string, unit float64) string {
			if v := row[column].(float64); !math.IsNaN(v) {
				return fmt.Sprintf(format, v/unit)
			}
			return "unknown"
		}
		report.MarkdownRow(b, row[0].(string), row[1].(string), fmt.Sprint(row[2]), number(3, "%.1f M", 1e6), number(4, "%.1f", 1),
			number(5, "%.1f M", 1e6), number(6, "%.1f M", 1e6), number(7, "%.0f", 1), number(8, "%.0f", 1), number(9, "%.0f %%", 0.01),
			number(5, "%.0f", gensimRate))
	}
	return b.String()
}
