// This file writes the documents that all systems get, and reads the topics that they return: arrays as NumPy stores
// them (.npy), and a shard.

package systems

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"anchorage/bench/internal/documents"
	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/internal/npy"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/shard/tablefile"
	"anchorage/stream"
)

// The files of the folder that systems read, beside the arrays.
const (
	shardFile      = "documents.parquet"
	vocabularyFile = "vocabulary.parquet"
)

// Write writes documents for systems into a folder: as arrays, and as a shard with its vocabulary. It returns how many
// documents and entries there are.
func Write(ctx context.Context, docs *corpus.Corpus, folder string) (count, entries int64, err error) {
	if err := exportArrays(ctx, docs, folder); err != nil {
		return 0, 0, err
	}
	err = durable.WriteFile(filepath.Join(folder, vocabularyFile),
		func(w io.Writer) error { return stream.WriteVocabulary(w, docs.Vocabulary) })
	if err != nil {
		return 0, 0, err
	}
	err = durable.WriteFile(filepath.Join(folder, shardFile), func(w io.Writer) error {
		writer, err := tablefile.NewDocumentWriter(w)
		if err != nil {
			return err
		}
		for document, err := range documents.Named(ctx, docs.Pass, docs.Vocabulary) {
			if err != nil {
				return err
			}
			if err := writer.Write(strconv.FormatInt(count, 10), document.Items, document.Counts); err != nil {
				return err
			}
			count++
			entries += int64(len(document.Items))
		}
		return writer.Close()
	})
	return count, entries, err
}

// exportArrays writes the documents that count into a folder, as compressed sparse rows in three arrays: indptr
// (int64), indices and counts (int32).
func exportArrays(ctx context.Context, docs *corpus.Corpus, folder string) error {
	offsets := []int64{0}
	err := docs.Pass(ctx, func(docs *corpus.Documents) error {
		last := offsets[len(offsets)-1]
		for _, end := range docs.Offsets[1:] {
			offsets = append(offsets, last+int64(end))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := writeNPY(filepath.Join(folder, "indptr.npy"), int64(len(offsets)),
		func(write func([]int64) error) error { return write(offsets) }); err != nil {
		return err
	}
	for _, part := range []struct {
		name string
		of   func(*corpus.Documents) []int32
	}{
		{"indices", func(d *corpus.Documents) []int32 { return d.Items[:d.Entries()] }},
		{"counts", func(d *corpus.Documents) []int32 { return d.Counts[:d.Entries()] }},
	} {
		err := writeNPY(filepath.Join(folder, part.name+".npy"), offsets[len(offsets)-1],
			func(write func([]int32) error) error {
				return docs.Pass(ctx, func(docs *corpus.Documents) error { return write(part.of(docs)) })
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// writeNPY writes a one-dimensional array of the given length; fill calls write with its values, run by run.
func writeNPY[T int32 | int64](path string, length int64, fill func(write func([]T) error) error) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return npy.Write(file, []int64{length}, fill)
}

// ReadTopics reads p(w|k) of another program, a K×N array of float32 in rows, and returns it as N×K. Each row must sum
// to 1, or be 0 where a method has given up a topic. The error is a *model.InputError.
func ReadTopics(path string, topics, items int) (*matrix.Tall, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	refuse := func(format string, args ...any) (*matrix.Tall, error) {
		return nil, &model.InputError{Path: path, Reason: fmt.Sprintf(format, args...)}
	}
	r := bufio.NewReaderSize(file, 1<<20)
	descr, fortran, shape, err := npy.ReadHeader(r)
	switch {
	case err != nil:
		return refuse("%v", err)
	case descr != "<f4" || fortran:
		return refuse("holds %q (columns first: %v): it must hold float32 (\"<f4\") in rows", descr, fortran)
	case len(shape) != 2 || shape[0] != int64(topics) || shape[1] != int64(items):
		return refuse("has the shape %v: it must be %d topics × %d items", shape, topics, items)
	}
	b := matrix.NewTall(items, topics)
	values := make([]float32, min(items, 1<<14))
	for k := range topics {
		sum := 0.0
		for first := 0; first < items; first += len(values) {
			values = values[:min(cap(values), items-first)]
			if err := binary.Read(r, binary.LittleEndian, values); err != nil {
				return refuse("is cut off in topic %d of %d", k, topics)
			}
			for i, v := range values {
				if !(v >= 0) || math.IsInf(float64(v), 1) {
					return refuse("has %v for item %d in topic %d, which is not a probability", v, first+i, k)
				}
				b.Row(first + i)[k] = float64(v)
				sum += float64(v)
			}
		}
		values = values[:cap(values)]
		if sum != 0 && math.Abs(sum-1) > 1e-3 {
			return refuse("has a topic, %d, that sums to %v and not to 1", k, sum)
		}
	}
	if _, err := r.ReadByte(); err != io.EOF {
		return refuse("has more behind its %d×%d values", topics, items)
	}
	return b, nil
}
