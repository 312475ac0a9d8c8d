// This file makes shards that every reader must refuse, each for one reason.

package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"anchorage/shard"
)

// brokenShard is a file, and the reason why it is refused.
type brokenShard struct {
	name, reason string
	content      func() ([]byte, error)
}

// brokenShards are the files of testdata/broken.
var brokenShards = []brokenShard{
	{"empty.dat", "no bytes at all", text("")},
	{"empty.parquet", "a valid table without rows", documents()},
	{"truncated.parquet", "the first two thirds of a good shard", truncated(documents("a b c", "b c d", "a d e"))},
	{"no-list.parquet", "one row per document and item instead of one list per document", table(
		column{"doc_id", []string{"1", "1", "2"}, nil}, column{"item", []string{"a", "b", "a"}, nil},
		column{"count", []int32{1, 2, 1}, nil})},
	{"float-items.parquet", "items that are neither strings nor integers", table(
		column{"items", []float64{1, 2, 3, 1, 3}, []int{3, 2}}, column{"counts", []int32{1, 1, 2, 1, 4}, []int{3, 2}})},
	{"unequal-lists.parquet", "a second document of two items and three counts", table(
		column{"items", []string{"a", "b", "c", "a", "c"}, []int{3, 2}}, column{"counts", []int32{1, 1, 2, 1, 4, 1}, []int{3, 3}})},
	{"negative-count.parquet", "the count −3 in the second document", counted([]int32{1, 1, 2, 1, -3})},
	{"zero-count.parquet", "the count 0 in the second document", counted([]int32{1, 1, 2, 1, 0})},
	{"fractional-count.parquet", "the count 2.5 in the second document", counted([]float64{1, 1, 2, 1, 2.5})},
	{"nan-count.parquet", "the count NaN in the second document", counted([]float64{1, 1, 2, 1, math.NaN()})},
	{"docword.lying-header.txt", "a header that promises five entries, followed by four",
		text("2\n3\n5\n1 1 2\n1 2 1\n2 1 1\n2 3 4\n")},
	{"docword.word-out-of-range.txt", "word 4 of 3, in line 7", text("2\n3\n4\n1 1 2\n1 2 1\n2 1 1\n2 4 4\n")},
	{"docword.document-out-of-range.txt", "document 3 of 2, in line 7", text("2\n3\n4\n1 1 2\n1 2 1\n2 1 1\n3 3 4\n")},
	{"docword.fractional-count.txt", "the count 1.5 in line 5", text("2\n3\n4\n1 1 2\n1 2 1.5\n2 1 1\n2 3 4\n")},
	{"docword.short-vocab.txt", "three words in the header, but two in the word list beside it", text("2\n3\n4\n1 1 2\n1 2 1\n2 1 1\n2 3 4\n")},
	{"vocab.short-vocab.txt", "the word list of the shard above", text("one\ntwo\n")},
	{"truncated.dat.gz", "the first two thirds of a gzip file of baskets", truncated(gzipped(strings.Repeat("1 2 3\n2 3 4\n", 20)))},
}

// writeBroken writes the files and their list, README.md, to the folder output.
func writeBroken(output string) error {
	var list strings.Builder
	list.WriteString("# Shards that are refused\n\nEach file is wrong in one way. `anchorage fit FILE -k 2 -o MODEL` says what is wrong, and in which row if there is one. It ends with\n" +
		"exit code 11 and leaves no model. `go run ./testdata/make broken -o testdata/broken` makes the files and this list.\n\n| file | what is wrong |\n|---|---|\n")
	for _, b := range brokenShards {
		content, err := b.content()
		if err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
		if err := os.WriteFile(filepath.Join(output, b.name), content, 0o666); err != nil {
			return err
		}
		fmt.Fprintf(&list, "| %s | %s |\n", b.name, b.reason)
	}
	return os.WriteFile(filepath.Join(output, "README.md"), []byte(list.String()), 0o666)
}

func text(content string) func() ([]byte, error) {
	return func() ([]byte, error) { return []byte(content), nil }
}

// documents returns a valid shard with one document per string of items. All counts are 1.
func documents(lines ...string) func() ([]byte, error) {
	return func() ([]byte, error) {
		var buffer bytes.Buffer
		writer, err := shard.NewDocumentWriter(&buffer)
		if err != nil {
			return nil, err
		}
		for number, line := range lines {
			items := strings.Fields(line)
			counts := make([]int32, len(items))
			for i := range counts {
				counts[i] = 1
			}
			if err := writer.Write(fmt.Sprint(number+1), items, counts); err != nil {
				return nil, err
			}
		}
		if err := writer.Close(); err != nil {
			return nil, err
		}
		return buffer.Bytes(), nil
	}
}

// counted returns a shard of two documents, with three and two items, and the given counts.
func counted(counts any) func() ([]byte, error) {
	lengths := []int{3, 2}
	return table(column{"items", []string{"a", "b", "c", "a", "c"}, lengths}, column{"counts", counts, lengths})
}

// gzipped stores content without compression, so the bytes do not depend on the compressor.
func gzipped(content string) func() ([]byte, error) {
	return func() ([]byte, error) {
		var buffer bytes.Buffer
		writer, err := gzip.NewWriterLevel(&buffer, gzip.NoCompression)
		if err != nil {
			return nil, err
		}
		if _, err := writer.Write([]byte(content)); err != nil {
			return nil, err
		}
		if err := writer.Close(); err != nil {
			return nil, err
		}
		return buffer.Bytes(), nil
	}
}

// truncated removes the last third of content.
func truncated(content func() ([]byte, error)) func() ([]byte, error) {
	return func() ([]byte, error) {
		whole, err := content()
		return whole[:2*len(whole)/3], err
	}
}
