package shard

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/schema"
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

// BenchmarkParquet reads documents of 50 items, whose ids are spread as those of words are, in three kinds of columns.
func BenchmarkParquet(b *testing.B) {
	const documents, length, vocabulary = 20_000, 50, 30_000
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 20, vocabulary-1)
	var names []string
	var ids, counts []int32
	lengths := make([]int, documents)
	for d := range documents {
		lengths[d] = length
		for range length {
			id := zipf.Uint64()
			ids = append(ids, int32(id))
			names = append(names, fmt.Sprintf("word-%d", id*7919%vocabulary))
			counts = append(counts, int32(1+random.IntN(4)))
		}
	}
	def, rep := levelsOf(lengths, 1, 3)
	for name, test := range map[string]struct {
		value  func(string, parquet.Repetition) schema.Node
		values any
		opts   []parquet.WriterProperty
	}{
		"int32 plain":      {int32Value, ids, []parquet.WriterProperty{parquet.WithDictionaryDefault(false)}},
		"int32 dictionary": {int32Value, ids, nil},
		"strings":          {stringValue, names, nil},
	} {
		b.Run(name, func(b *testing.B) {
			items, _, _ := listOf("items", optional3, test.value)
			count, _, _ := listOf("counts", optional3, int32Value)
			opts := append(test.opts, parquet.WithCompression(compress.Codecs.Zstd))
			path := writeParquet(b, filepath.Join(b.TempDir(), "x.parquet"),
				[]testColumn{{items, []testChunk{{test.values, def, rep}}},
					{count, []testChunk{{counts, def, rep}}}}, opts...)
			shards, err := Discover(context.Background(), []string{path}, Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				readAll(b, shards)
			}
			b.ReportMetric(float64(len(ids))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mentries/s")
		})
	}
}

// BenchmarkArrow reads documents of 50 items, whose ids are spread as those of words are, in several kinds of columns.
func BenchmarkArrow(b *testing.B) {
	const length, vocabulary = 50, 30_000
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 20, vocabulary-1)
	documents := make([]pairs, 10_000)
	for d := range documents {
		for range length {
			documents[d] = append(documents[d], struct {
				item  string
				count int32
			}{fmt.Sprint(zipf.Uint64() * 7919 % vocabulary), int32(1 + random.IntN(4))})
		}
	}
	types, text := arrow.PrimitiveTypes, arrow.BinaryTypes
	for name, table := range map[string]arrowTable{
		"strings":  {item: text.String, count: types.Int32, layout: "lists"},
		"numbers":  {item: types.Int32, count: types.Int32, layout: "lists"},
		"map zstd": {item: text.String, count: types.Int32, layout: "map", options: []ipc.Option{ipc.WithZstd()}},
		"long":     {item: text.String, count: types.Int32, layout: "long"},
	} {
		b.Run(name, func(b *testing.B) {
			table.batch = 2000
			shards, err := Discover(context.Background(), []string{table.write(b, filepath.Join(b.TempDir(), "x.arrow"), documents)},
				Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				readAll(b, shards)
			}
			b.ReportMetric(float64(len(documents)*length)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mentries/s")
		})
	}
}

// BenchmarkTexts cuts the texts in a column of Parquet into words.
func BenchmarkTexts(b *testing.B) {
	words := []string{"the", "whole", "of", "a", "Wikipedia", "article", "is", "longer", "than", "this", "sentence", "café"}
	random := rand.New(rand.NewPCG(1, 2))
	texts, size := make([]string, 4000), int64(0)
	for i := range texts {
		var text []byte
		for range 400 {
			text = fmt.Appendf(text, "%s%d ", words[random.IntN(len(words))], random.IntN(3000)%7)
			text = append(append(text, words[random.IntN(len(words))]...), ", "...)
		}
		texts[i], size = string(text), size+int64(len(text))
	}
	value := physical(parquet.Types.ByteArray, schema.StringLogicalType{})
	path := writeParquet(b, filepath.Join(b.TempDir(), "x.parquet"), []testColumn{{value("text",
		parquet.Repetitions.Required), []testChunk{{texts, nil, nil}}}}, parquet.WithCompression(compress.Codecs.Zstd),
		parquet.WithDictionaryDefault(false))
	shards, err := Discover(context.Background(), []string{path}, Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(size)
	for b.Loop() {
		readAll(b, shards)
	}
}

// BenchmarkFields cuts the same kind of text at what is no letter or digit, as a plain tokenizer does, into a map.
func BenchmarkFields(b *testing.B) {
	text := strings.Repeat("the whole3 of, a Wikipedia2 article, is longer, than this1 sentence, café5 ", 100_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		counts := make(map[string]int)
		for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsNumber(r)
		}) {
			counts[word]++
		}
	}
}
