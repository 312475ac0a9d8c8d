// This file cuts a slice out of a corpus: documents of running text, chosen by their length, their words and a hash of their ids.

package main

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"anchorage/shard"
)

// slice says which documents to take.
type slice struct {
	every    int     // take documents whose hashed id is a multiple of this,
	minItems int     // that have at least this many distinct items
	maxItems int     // and at most this many,
	prose    float64 // that are running text: the frequent items have at least this share of the tokens,
	repeated float64 // and no other item has more than this share
	shards   int     // number of files to write
}

// document is a document without residue of markup.
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
	tokens := make(map[string]int64)
	read, entries := 0, 0
	err = eachDocument(shards, func(d document) {
		read++
		for i, item := range d.items {
			tokens[item] += int64(d.counts[i])
		}
	})
	if err != nil {
		return err
	}
	frequent := mostFrequent(tokens)
	var documents []document
	err = eachDocument(shards, func(d document) {
		if s.takes(d, frequent) {
			documents = append(documents, d)
			entries += len(d.items)
		}
	})
	if err != nil {
		return err
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

// takes reports whether the slice takes a document. Every language has a few words that make up a fixed part of its running text, so
// the share of the frequent items tells text from lists, tables, family trees and passages in other languages. A document that
// repeats another word is about a single name.
func (s slice) takes(d document, frequent map[string]bool) bool {
	hash := fnv.New64a()
	io.WriteString(hash, d.id) // a hash never fails
	if hash.Sum64()%uint64(s.every) != 0 || len(d.items) < s.minItems || len(d.items) > s.maxItems {
		return false
	}
	var all, prose, repeated int32
	for i, item := range d.items {
		all += d.counts[i]
		if frequent[item] {
			prose += d.counts[i]
		} else {
			repeated = max(repeated, d.counts[i])
		}
	}
	return float64(prose) >= s.prose*float64(all) && float64(repeated) <= s.repeated*float64(all)
}

// mostFrequent returns the 100 items with the most tokens, the first in alphabetical order among equals.
func mostFrequent(tokens map[string]int64) map[string]bool {
	items := slices.SortedFunc(maps.Keys(tokens), func(a, b string) int {
		return cmp.Or(cmp.Compare(tokens[b], tokens[a]), cmp.Compare(a, b))
	})
	frequent := make(map[string]bool)
	for _, item := range items[:min(100, len(items))] {
		frequent[item] = true
	}
	return frequent
}

// markup matches what the extraction of plain text left of wiki markup, HTML and addresses: placeholders of formulas and code, switches
// such as __NOTOC__, tags, attributes and entities that are no English words, and the beginnings of URLs.
var markup = regexp.MustCompile(`^((formula|codice)_\d+|__.*|.*__|br|nbsp|refs?|colspan|rowspan|bgcolor|https?|www)$`)

// eachDocument calls fn with every document of the shards, without what markup matches.
func eachDocument(shards []shard.Shard, fn func(document)) error {
	for _, in := range shards {
		ids, err := documentIDs(in.Path)
		if err != nil {
			return err
		}
		parts, err := in.Parts(context.Background())
		if err != nil {
			return err
		}
		for _, part := range parts {
			if err := eachOfPart(part, ids, fn); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachOfPart calls fn with the documents of a part of a shard. ids are the document ids of the shard's rows.
func eachOfPart(part shard.Part, ids []string, fn func(document)) error {
	reader, err := shard.Open(context.Background(), part)
	if err != nil {
		return err
	}
	defer reader.Close()
	var batch shard.Batch
	for {
		if err := reader.Next(&batch); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		for m := range batch.Documents() {
			d := document{id: ids[batch.FirstRow+int64(m)]}
			for i := batch.Offsets[m]; i < batch.Offsets[m+1]; i++ {
				if item := string(batch.Dictionary.ID(int(batch.Items[i]))); !markup.MatchString(item) {
					d.items, d.counts = append(d.items, item), append(d.counts, batch.Counts[i])
				}
			}
			fn(d)
		}
	}
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
