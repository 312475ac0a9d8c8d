// This file writes the documents that all systems get.

package systems

import (
	"context"
	"io"
	"path/filepath"
	"strconv"

	"anchorage/bench/internal/documents"
	"anchorage/corpus"
	"anchorage/internal/durable"
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
