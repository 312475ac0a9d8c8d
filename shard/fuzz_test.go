package shard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"anchorage/shard/fault"
	"anchorage/shard/internal/pages"
)

// addCorpus adds the files of the corpus in a format's directory as seeds, if there is a corpus.
func addCorpus(f *testing.F, format string) {
	root := os.Getenv(corpusEnv)
	if root == "" {
		return
	}
	files, err := filepath.Glob(filepath.Join(root, format, "*"))
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range files {
		if data, err := os.ReadFile(path); err == nil && len(data) < 64<<10 {
			f.Add(data)
		}
	}
}

// fuzzRead reads data as a shard: the outcome must be a success or an *Error.
func fuzzRead(t *testing.T, format Format, data []byte) {
	path := filepath.Join(t.TempDir(), "shard")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []int64{0, 50} {
		shards, err := Discover(context.Background(), []string{path}, Options{Format: format, BatchEntries: 100,
			MaxBadRows: bad})
		if err == nil {
			_, err = drain(context.Background(), shards[0])
		}
		var place *Error
		if err != nil && !errors.As(err, &place) {
			t.Fatalf("error of type %T: %v", err, err)
		}
	}
}

func FuzzDocword(f *testing.F) {
	f.Add([]byte(docwordSample))
	f.Add([]byte("3\n9\n2\n1 8 1\n3 9 4\n"))
	f.Add(compressed(f, ".gz", docwordSample))
	f.Add(compressed(f, ".zst", docwordSample))
	f.Fuzz(func(t *testing.T, data []byte) { fuzzRead(t, Docword, data) })
}

func FuzzBaskets(f *testing.F) {
	f.Add([]byte(basketsSample))
	f.Add([]byte("a\r\n\n b\tb \xc3\xa9"))
	f.Add(compressed(f, ".gz", basketsSample))
	f.Add(compressed(f, ".zst", basketsSample))
	addCorpus(f, "csv")
	f.Fuzz(func(t *testing.T, data []byte) { fuzzRead(t, Baskets, data) })
}

func FuzzParquet(f *testing.F) {
	dir := f.TempDir()
	for i, options := range [][]parquet.WriterProperty{nil, {parquet.WithDictionaryDefault(false)},
		{parquet.WithDataPageVersion(parquet.DataPageV2)}} {
		path := writeParquet(f, filepath.Join(dir, string(rune('a'+i))), []testColumn{
			listColumnOf("items", optional3, stringValue, []string{"a", "b", "a"}, 1, 0, 2, -1),
			listColumnOf("counts", optional3, int64Value, []int64{1, 2, 3}, 1, 0, 2, -1)}, options...)
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	addCorpus(f, "parquet")
	f.Fuzz(func(t *testing.T, data []byte) { fuzzRead(t, Parquet, data) })
}

// FuzzPage decodes a page of any header and content through Arrow's decoders, past the footer at which most mutations
// of a whole file fail.
func FuzzPage(f *testing.F) {
	table := writeTable(f, 40)
	f.Add(table[4:], uint8(0))
	for _, encoding := range []parquet.Encoding{parquet.Encodings.Plain, parquet.Encodings.DeltaByteArray,
		parquet.Encodings.DeltaLengthByteArray} {
		path := writeParquet(f, filepath.Join(f.TempDir(), "x"), []testColumn{listColumnOf("items", optional3, stringValue,
			[]string{"aa", "ab", "abc"}, 1, 0, 2, -1)}, parquet.WithDictionaryDefault(false), parquet.WithEncoding(encoding))
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[4:], uint8(4))
	}
	f.Fuzz(func(t *testing.T, data []byte, kind uint8) { fuzzPage(t, data, kind) })
}

// fuzzPage decodes data as a chunk of one of several columns.
func fuzzPage(t *testing.T, data []byte, kind uint8) {
	dir := t.TempDir()
	path := filepath.Join(dir, "chunk")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	leaf := fuzzSchema.Column(int(kind) % fuzzSchema.NumColumns())
	var codec pages.Decompressor
	defer codec.Close()
	c := pages.NewChunkReader(leaf, &codec)
	_ = fault.Guard(func() error {
		c.Open(file, pages.Chunk{End: int64(len(data)), Values: 1 << 20})
		for {
			if err := c.Fill(); err != nil || c.N == 0 {
				return err
			}
		}
	})
}

var fuzzSchema = func() *schema.Schema {
	var nodes schema.FieldList
	for i, value := range []func(string, parquet.Repetition) schema.Node{stringValue, int32Value, int64Value,
		float64Value} {
		list, _, _ := listOf(string(rune('e'+i)), optional3, value)
		nodes = append(nodes, value(string(rune('a'+i)), parquet.Repetitions.Required), list)
	}
	return schema.NewSchema(schema.MustGroup(schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)))
}()
