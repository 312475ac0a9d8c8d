package shard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"anchorage/internal/long"
	"anchorage/shard/tablefile"
)

// pairs is a document before it is written: items in order, with repetitions.
type pairs []struct {
	item  string
	count int32
}

// sample is what the conformance suite writes in every format. It has empty documents at both ends and in the middle,
// repeated items, ids that are not ASCII and enough of everything to fill several pages.
func sample() []pairs {
	documents := []pairs{
		{},
		{{"anchor", 2}, {"topic", 1}, {"anchor", 3}},
		{{"日本語", 1}, {"café", 7}, {"12", 1}},
		{},
		{},
		{{"12", 100}},
	}
	n := 3000
	if !long.Tier() {
		n = 1000
	}
	for i := range n {
		var d pairs
		for j := range i % 17 {
			d = append(d, struct {
				item  string
				count int32
			}{fmt.Sprint("w", (i*7+j*j)%501), int32(j%3 + 1)})
		}
		documents = append(documents, d)
	}
	return append(documents, pairs{})
}

func merged(documents []pairs) []document {
	var result []document
	for _, d := range documents {
		entries := make(map[string]int)
		for _, pair := range d {
			entries[pair.item] += int(pair.count)
		}
		result = append(result, documentOf(entries))
	}
	return result
}

// numbered replaces each item by the number of its first appearance, from base.
func numbered(documents []pairs, base int) (result []pairs, words []string) {
	numbers := make(map[string]int)
	for _, d := range documents {
		var r pairs
		for _, pair := range d {
			number, known := numbers[pair.item]
			if !known {
				number = len(words)
				numbers[pair.item] = number
				words = append(words, pair.item)
			}
			pair.item = fmt.Sprint(number + base)
			r = append(r, pair)
		}
		result = append(result, r)
	}
	return result, words
}

func basketText(documents []pairs) string {
	var text strings.Builder
	for _, d := range documents {
		for i, pair := range d {
			for range pair.count {
				fmt.Fprint(&text, pair.item, []string{" ", "\t", "  "}[i%3])
			}
		}
		text.WriteByte('\n')
	}
	return text.String()
}

func docwordText(documents []pairs, words int) string {
	var text strings.Builder
	lines := 0
	for i, d := range documents {
		for _, pair := range d {
			fmt.Fprintln(&text, i+1, pair.item, pair.count)
			lines++
		}
	}
	return fmt.Sprintf("%d\n%d\n%d\n%s", len(documents), words, lines, text.String())
}

// batchSizes are tried with every shard.
var batchSizes = []int{1, 2, 3, 100, 1 << 12, 0}

// conform checks that the arguments give the documents wanted, with every batch size.
func conform(t *testing.T, want []document, opts Options, args ...string) {
	t.Helper()
	for _, size := range batchSizes {
		opts.BatchEntries = size
		got, err := collect(t, opts, args...)
		if err != nil {
			t.Fatalf("batches of %d entries: %v", size, err)
		}
		if len(got) != len(want) {
			t.Fatalf("batches of %d entries: %d documents, want %d", size, len(got), len(want))
		}
		for i := range want {
			if !slices.Equal(got[i], want[i]) {
				t.Fatalf("batches of %d entries: document %d is %v, want %v", size, i, got[i], want[i])
			}
		}
	}
}

func TestConformanceText(t *testing.T) {
	for name, documents := range map[string][]pairs{"sample": sample(), "none": nil, "empty": {{}, {}, {}}} {
		want := merged(documents)
		numbers, words := numbered(documents, 1)
		suffixes := []string{"", ".gz", ".zst"}
		if !long.Tier() {
			suffixes = suffixes[2:]
		}
		for _, suffix := range suffixes {
			t.Run(name+suffix, func(t *testing.T) {
				dir := t.TempDir()
				t.Run("baskets", func(t *testing.T) {
					path := writeFile(t, filepath.Join(dir, "b.dat"+suffix), basketText(documents))
					conform(t, want, Options{}, path)
				})
				t.Run("docword", func(t *testing.T) {
					path := writeFile(t, filepath.Join(dir, "docword.x.txt"+suffix), docwordText(numbers, len(words)))
					conform(t, merged(numbers), Options{}, path)
					vocab := writeFile(t, filepath.Join(dir, "vocab.x.txt"), strings.Join(append(words, ""), "\n"))
					conform(t, want, Options{}, path)
					other := filepath.Join(dir, "words")
					if err := os.Rename(vocab, other); err != nil {
						t.Fatal(err)
					}
					conform(t, want, Options{DocwordVocab: other}, path)
				})
			})
		}
	}
}

// chunksOf returns the lists of items and counts of documents, split into row groups.
func chunksOf(documents []pairs, groups int, empty, element int16, convert func([]string) any,
	counts func([]int32) any) (items, count []testChunk) {
	for g := range groups {
		part := documents[g*len(documents)/groups : (g+1)*len(documents)/groups]
		var names []string
		var numbers []int32
		var lengths []int
		for i, d := range part {
			length := len(d)
			if length == 0 && empty > 0 && i%2 == 0 {
				length = -1 // a null list is an empty document
			}
			lengths = append(lengths, length)
			for _, pair := range d {
				names = append(names, pair.item)
				numbers = append(numbers, pair.count)
			}
		}
		def, rep := levelsOf(lengths, empty, element)
		items = append(items, testChunk{convert(names), def, rep})
		count = append(count, testChunk{counts(numbers), def, rep})
	}
	return items, count
}

func converted[From, To any](convert func(From) To) func([]From) any {
	return func(values []From) any {
		result := make([]To, len(values))
		for i, value := range values {
			result[i] = convert(value)
		}
		return result
	}
}

func number(text string) int64 {
	var value int64
	fmt.Sscan(text, &value)
	return value
}

func TestConformanceParquet(t *testing.T) {
	long.Unwatched(t)
	types, none := parquet.Types, schema.NoLogicalType{}
	documents := sample()
	numbers, _ := numbered(documents, 1<<20)
	items := map[string]struct {
		documents []pairs
		value     func(string, parquet.Repetition) schema.Node
		convert   func([]string) any
	}{
		"string": {documents, physical(types.ByteArray, schema.StringLogicalType{}), func(s []string) any { return s }},
		"binary": {documents, physical(types.ByteArray, none), func(s []string) any { return s }},
		"int32":  {numbers, physical(types.Int32, none), converted(func(s string) int32 { return int32(number(s)) })},
		"int64":  {numbers, physical(types.Int64, none), converted(number)},
		"uint32": {numbers, physical(types.Int32, schema.NewIntLogicalType(32, false)),
			converted(func(s string) int32 { return int32(number(s)) })},
	}
	counts := map[string]struct {
		value   func(string, parquet.Repetition) schema.Node
		convert func([]int32) any
	}{
		"int32": {physical(types.Int32, none), func(n []int32) any { return n }},
		"int64": {physical(types.Int64, none), converted(func(n int32) int64 { return int64(n) })},
		"uint64": {physical(types.Int64, schema.NewIntLogicalType(64, false)),
			converted(func(n int32) int64 { return int64(n) })},
		"float":  {physical(types.Float, none), converted(func(n int32) float32 { return float32(n) })},
		"double": {physical(types.Double, none), converted(func(n int32) float64 { return float64(n) })},
	}
	writers := map[string][]parquet.WriterProperty{
		"plain": {parquet.WithDictionaryDefault(false), parquet.WithDataPageSize(1 << 10)},
		"dict":  {parquet.WithDictionaryDefault(true), parquet.WithCompression(compress.Codecs.Zstd)},
		"spill": {parquet.WithDictionaryPageSizeLimit(256), parquet.WithCompression(compress.Codecs.Snappy)},
		"v2": {parquet.WithDataPageVersion(parquet.DataPageV2), parquet.WithDataPageSize(1 << 10),
			parquet.WithCompression(compress.Codecs.Gzip)},
		"brotli": {parquet.WithCompression(compress.Codecs.Brotli)},
	}
	for itemName, item := range items {
		for countName, count := range counts {
			for writerName, options := range writers {
				for _, how := range []layout{threeLevels, optional3, bagList, twoLevels, bare} {
					// The full product would test the same code many times over: vary one thing at a time.
					varied := 0
					for _, usual := range []bool{itemName == "string", countName == "int32", writerName == "dict"} {
						if !usual {
							varied++
						}
					}
					if varied > 1 || varied == 1 && how != threeLevels && !long.Tier() {
						continue
					}
					t.Run(fmt.Sprintf("%s/%s/%s/%d", itemName, countName, writerName, how), func(t *testing.T) {
						groups := 1 + int(how)%3
						itemNode, empty, element := listOf("items", how, item.value)
						countNode, _, _ := listOf("counts", how, count.value)
						itemChunks, countChunks := chunksOf(item.documents, groups, empty, element, item.convert, count.convert)
						path := writeParquet(t, filepath.Join(t.TempDir(), "x.parquet"),
							[]testColumn{{itemNode, itemChunks}, {countNode, countChunks}}, options...)
						got, err := collect(t, Options{BatchEntries: 1000}, path)
						if err != nil {
							t.Fatal(err)
						}
						if want := merged(item.documents); !reflect.DeepEqual(got, want) {
							t.Fatal("the documents differ")
						}
					})
				}
			}
		}
	}
}

func TestConformanceDelta(t *testing.T) {
	documents := sample()
	numbers, _ := numbered(documents, 5)
	for name, test := range map[string]struct {
		documents []pairs
		typ       parquet.Type
		convert   func([]string) any
		encoding  parquet.Encoding
	}{
		"length": {documents, parquet.Types.ByteArray, func(s []string) any { return s },
			parquet.Encodings.DeltaLengthByteArray},
		"prefix": {documents, parquet.Types.ByteArray, func(s []string) any { return s }, parquet.Encodings.DeltaByteArray},
		"int32": {numbers, parquet.Types.Int32, converted(func(s string) int32 { return int32(number(s)) }),
			parquet.Encodings.DeltaBinaryPacked},
		"int64": {numbers, parquet.Types.Int64, converted(number), parquet.Encodings.DeltaBinaryPacked},
	} {
		t.Run(name, func(t *testing.T) {
			node, empty, element := listOf("items", optional3, physical(test.typ, schema.NoLogicalType{}))
			chunks, _ := chunksOf(test.documents, 2, empty, element, test.convert, func(n []int32) any { return n })
			path := writeParquet(t, filepath.Join(t.TempDir(), "x.parquet"), []testColumn{{node, chunks}},
				parquet.WithDictionaryDefault(false), parquet.WithEncoding(test.encoding), parquet.WithDataPageSize(2<<10))
			for i, d := range test.documents {
				for j := range d {
					test.documents[i][j].count = 1 // there is no column of counts
				}
			}
			conform(t, merged(test.documents), Options{}, path)
		})
	}
}

// TestDocumentWriter checks that what it writes is read without being told anything.
func TestDocumentWriter(t *testing.T) {
	for name, documents := range map[string][]pairs{"sample": sample(), "none": nil, "empty": {{}, {}}} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.parquet")
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			w, err := tablefile.NewDocumentWriter(f)
			if err != nil {
				t.Fatal(err)
			}
			for i, d := range documents {
				var items []string
				var counts []int32
				for _, pair := range d {
					items, counts = append(items, pair.item), append(counts, pair.count)
				}
				if err := w.Write(fmt.Sprint("d", i), items, counts); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(w.Close(), f.Close()); err != nil {
				t.Fatal(err)
			}
			conform(t, merged(documents), Options{}, path)
		})
	}
}

func TestCancel(t *testing.T) {
	dir := t.TempDir()
	numbers, words := numbered(sample(), 1)
	node, empty, element := listOf("items", threeLevels, physical(parquet.Types.ByteArray, schema.StringLogicalType{}))
	chunks, _ := chunksOf(sample(), 1, empty, element, func(s []string) any { return s }, func(n []int32) any { return n })
	writeFile(t, filepath.Join(dir, "a.dat"), basketText(sample()))
	writeFile(t, filepath.Join(dir, "docword.b.txt"), docwordText(numbers, len(words)))
	writeParquet(t, filepath.Join(dir, "c.parquet"), []testColumn{{node, chunks}})
	shards, err := Discover(context.Background(), []string{dir}, Options{BatchEntries: 10})
	if err != nil || len(shards) != 3 {
		t.Fatal(shards, err)
	}
	for _, s := range shards {
		parts, err := s.Parts(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		reader, err := Open(ctx, parts[0])
		if err != nil {
			t.Fatal(err)
		}
		var batch Batch
		if err := reader.Next(&batch); err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := reader.Next(&batch); err != context.Canceled {
			t.Errorf("%v: %v after cancellation", s.Format, err)
		}
		if err := errors.Join(reader.Close(), reader.Close()); err != nil {
			t.Errorf("%v: %v on closing twice", s.Format, err)
		}
		if _, err := Open(ctx, parts[0]); err != context.Canceled {
			t.Errorf("%v: opened after cancellation: %v", s.Format, err)
		}
	}
}

// TestSteadyState checks that readers allocate nothing for a batch like those before it.
func TestSteadyState(t *testing.T) {
	var text strings.Builder
	for i := range 200_000 {
		fmt.Fprintln(&text, i%97, i%89, i%83)
	}
	path := writeFile(t, filepath.Join(t.TempDir(), "x.dat"), text.String())
	shards, err := Discover(context.Background(), []string{path}, Options{BatchEntries: 1000})
	if err != nil {
		t.Fatal(err)
	}
	parts, err := shards[0].Parts(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	reader, err := Open(context.Background(), parts[0])
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var batch Batch
	next := func() {
		if err := reader.Next(&batch); err != nil {
			t.Fatal(err)
		}
	}
	next()
	if n := testing.AllocsPerRun(200, next); n > 0 {
		t.Errorf("%v allocations per batch", n)
	}
}
