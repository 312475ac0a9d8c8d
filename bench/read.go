// This file measures how fast shards are read, against just reading and decompressing their bytes.

package bench

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"anchorage/internal/kernel"
	"anchorage/internal/objects"
	"anchorage/shard"
)

// gensimRate is what gensim publishes for pure iteration over a corpus in Matrix Market format, in nonzeros per second.
const gensimRate = 450_000

// Read says what is measured.
type Read struct {
	Workers []int         // numbers of workers to measure with
	Least   time.Duration // how long a figure is measured at least
}

// readFigure is one measurement: the mean over the passes.
type readFigure struct {
	wall, cpu time.Duration
}

// ReadRecord is what was measured of one corpus with one number of workers.
type ReadRecord struct {
	Name                           string
	Format                         string
	Workers                        int
	Documents, Nonzeros            int64
	Bytes, Decompressed            int64
	Wall, CPU, FloorWall, FloorCPU time.Duration // of one pass
}

// Run measures reading each of the corpora, which are files or folders.
func (r Read) Run(ctx context.Context, corpora []string, opts shard.Options) ([]ReadRecord, error) {
	var records []ReadRecord
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
			record := ReadRecord{Name: corpusName(corpus), Format: shards[0].Format.String(), Workers: workers, Bytes: size}
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
func (r Read) measureParts(ctx context.Context, record *ReadRecord, parts []shard.Part) error {
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
func (r Read) measure(ctx context.Context, workers, n int, fn func(i int) error) (readFigure, error) {
	if err := kernel.Parallel(ctx, workers, n, fn); err != nil {
		return readFigure{}, err
	}
	passes, begin, cpu := 0, time.Now(), cpuTime()
	for time.Since(begin) < r.Least || passes < 3 {
		if err := kernel.Parallel(ctx, workers, n, fn); err != nil {
			return readFigure{}, err
		}
		passes++
	}
	count := time.Duration(passes)
	return readFigure{time.Since(begin) / count, (cpuTime() - cpu) / count}, nil
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

// WriteRead writes the records as Markdown, with the command that made them.
func WriteRead(w io.Writer, records []ReadRecord, command string, workers int) error {
	var text strings.Builder
	fmt.Fprintf(&text, "# Reading shards\n\nMade on %s by\n\n    %s\n\n", time.Now().UTC().Format("2006-01-02"), command)
	for _, line := range machine(workers) {
		fmt.Fprintf(&text, "- %s\n", line)
	}
	fmt.Fprintf(&text, `
Each figure is the mean over passes of a file that the system holds in memory. nnz is a document's entry, an id and a
count. The floor is reading and decompressing the same bytes without decoding them, in the same minute. MB are millions of
bytes of the files as they lie there. gensim publishes %d nnz/s for pure iteration. Where the machine has other work, the
figures per second are low, and those per second of processor time (CPU) hold.

| corpus | format | workers | nnz | MB | nnz/s | nnz per CPU s | MB/s | floor MB/s | floor's share of CPU | × gensim |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|
`, gensimRate)
	for _, r := range records {
		nonzeros, megabytes := float64(r.Nonzeros), float64(r.Bytes)/1e6
		fmt.Fprintf(&text, "| %s | %s | %d | %.1f M | %.1f | %.1f M | %s | %.0f | %.0f | %s | %.0f |\n", r.Name, r.Format, r.Workers,
			nonzeros/1e6, megabytes, nonzeros/1e6/r.Wall.Seconds(), perCPU(nonzeros, r.CPU), megabytes/r.Wall.Seconds(),
			megabytes/r.FloorWall.Seconds(), share(r.FloorCPU, r.CPU), nonzeros/r.Wall.Seconds()/gensimRate)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// perCPU returns millions per second of processor time, where the system tells it.
func perCPU(n float64, cpu time.Duration) string {
	if cpu <= 0 {
		return "unknown"
	}
	return fmt.Sprintf("%.1f M", n/1e6/cpu.Seconds())
}

func share(part, whole time.Duration) string {
	if whole <= 0 {
		return "unknown"
	}
	return fmt.Sprintf("%.0f %%", 100*part.Seconds()/whole.Seconds())
}
