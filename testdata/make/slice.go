// This file cuts a slice out of a corpus: whole documents, chosen by a hash of their ids.

package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"

	"anchorage/shard"
)

// slice says which documents to take.
type slice struct {
	every    int // take documents whose hashed id is a multiple of this
	minItems int // and that have at least this many distinct items
	shards   int // number of files to write
}

// document is a document of the slice.
type document struct {
	id     string
	items  []string
	counts []int32
}

// write takes the slice from the shards that args name, and writes part-00000.parquet, … to the folder output. Documents keep the
// order of the input.
func (s slice) write(output string, args []string) error {
	if s.every < 1 || s.shards < 1 {
		return fmt.Errorf("-every and -shards must be at least 1")
	}
	shards, err := shard.Discover(context.Background(), args, shard.Options{Format: shard.Parquet})
	if err != nil {
		return err
	}
	var documents []document
	read, entries := 0, 0
	for _, in := range shards {
		ids, err := documentIDs(in.Path)
		if err != nil {
			return err
		}
		read += len(ids)
		if documents, err = s.choose(documents, in, ids); err != nil {
			return err
		}
	}
	for _, d := range documents {
		entries += len(d.items)
	}
	total := int64(0)
	for number := range s.shards {
		path := filepath.Join(output, fmt.Sprintf("part-%05d.parquet", number))
		size, err := writeShard(path, documents[number*len(documents)/s.shards:(number+1)*len(documents)/s.shards])
		if err != nil {
			return err
		}
		total += size
	}
	fmt.Printf("%d of %d documents, %d entries, %d bytes in %d shards\n", len(documents), read, entries, total, s.shards)
	return nil
}

// documentIDs reads the column doc_id.
func documentIDs(path string) ([]string, error) {
	var ids []string
	err := shard.ReadTable(context.Background(), path, []shard.Field{{Name: "doc_id", Type: shard.String}}, func(_ int64, columns []any) error {
		ids = append(ids, columns[0].([]string)...)
		return nil
	})
	return ids, err
}

// choose appends the documents of a shard that belong to the slice. ids are the document ids of the shard's rows.
func (s slice) choose(documents []document, in shard.Shard, ids []string) ([]document, error) {
	parts, err := in.Parts(context.Background())
	if err != nil {
		return nil, err
	}
	var batch shard.Batch
	for _, part := range parts {
		reader, err := shard.Open(context.Background(), part)
		if err != nil {
			return nil, err
		}
		for {
			if err = reader.Next(&batch); err != nil {
				break
			}
			for d := range batch.Documents() {
				from, to := batch.Offsets[d], batch.Offsets[d+1]
				id := ids[batch.FirstRow+int64(d)]
				if int(to-from) < s.minItems || !s.takes(id) {
					continue
				}
				chosen := document{id: id, counts: slices.Clone(batch.Counts[from:to])}
				for _, code := range batch.Items[from:to] {
					chosen.items = append(chosen.items, string(batch.Dictionary.ID(int(code))))
				}
				documents = append(documents, chosen)
			}
		}
		if closing := reader.Close(); err == io.EOF {
			err = closing
		}
		if err != nil {
			return nil, err
		}
	}
	return documents, nil
}

// takes reports whether the slice takes documents with this id.
func (s slice) takes(id string) bool {
	hash := fnv.New64a()
	io.WriteString(hash, id) // a hash never fails
	return hash.Sum64()%uint64(s.every) == 0
}

// writeShard writes documents and returns the size of the file.
func writeShard(path string, documents []document) (int64, error) {
	file, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	writer, err := shard.NewDocumentWriter(file)
	if err != nil {
		return 0, err
	}
	for _, d := range documents {
		if err := writer.Write(d.id, d.items, d.counts); err != nil {
			return 0, err
		}
	}
	if err := writer.Close(); err != nil {
		return 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), file.Close()
}
