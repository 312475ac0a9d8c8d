// This file writes one corpus in every format, for measurements of reading.

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"
	"github.com/klauspost/compress/gzip"
)

// corpus gives the size of the corpus. Its items are distributed like words.
type corpus struct {
	documents, length, vocabulary int
	shards                        int
}

// entry is an item of a document and its count.
type entry struct{ item, count int32 }

// draw returns the documents of one shard.
func (c corpus) draw(shard int) [][]entry {
	random := rand.New(rand.NewPCG(1, uint64(shard)))
	zipf := rand.NewZipf(random, 1.1, 20, uint64(c.vocabulary-1))
	documents := make([][]entry, c.documents/c.shards)
	for d := range documents {
		seen := make(map[int32]bool)
		for range 1 + random.IntN(2*c.length-1) {
			item := int32(zipf.Uint64() * 7919 % uint64(c.vocabulary)) // spreads the ids of common items
			if !seen[item] {
				seen[item] = true
				documents[d] = append(documents[d], entry{item, 1 + int32(random.ExpFloat64())})
			}
		}
	}
	return documents
}

// write writes the corpus below the folder output, each format in its own folder.
func (c corpus) write(output string) error {
	for shard := range c.shards {
		documents := c.draw(shard)
		for _, format := range []struct {
			folder, name string
			encode       func([][]entry) ([]byte, error)
		}{
			{"parquet-int32", "x.parquet", c.parquetInts},
			{"parquet-strings", "x.parquet", c.parquetStrings},
			{"arrow-int32", "x.arrow", c.arrowInts},
			{"docword", "docword.x%d.txt", c.docword},
			{"docword-gz", "docword.x%d.txt.gz", inGzip(c.docword)},
			{"baskets", "x.baskets", c.baskets},
			{"libsvm", "x.svm", c.libsvm},
			{"jsonl", "x.jsonl", c.jsonl},
			{"csv", "x.csv", c.csv},
			{"mtx", "x.mtx", c.matrixMarket},
			{"ldac", "x.ldac", c.ldac},
			{"vw", "x.vw", c.vowpal},
		} {
			data, err := format.encode(documents)
			if err != nil {
				return fmt.Errorf("%s: %w", format.folder, err)
			}
			folder := filepath.Join(output, format.folder)
			if err := os.MkdirAll(folder, 0o777); err != nil {
				return err
			}
			name := fmt.Sprintf("%d-%s", shard, format.name)
			if bytes.Contains([]byte(format.name), []byte("%d")) {
				name = fmt.Sprintf(format.name, shard)
			}
			if err := os.WriteFile(filepath.Join(folder, name), data, 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}

func itemName(item int32) string { return "word-" + strconv.Itoa(int(item)) }

// eachEntry returns the text that begin, entry and end write. It calls begin and end once per document and entry once per entry.
func eachEntry(documents [][]entry, begin, entry, end func(*bytes.Buffer, int, []entry, int)) ([]byte, error) {
	var out bytes.Buffer
	for d, document := range documents {
		begin(&out, d, document, 0)
		for i := range document {
			entry(&out, d, document, i)
		}
		end(&out, d, document, 0)
	}
	return out.Bytes(), nil
}

func nothing(*bytes.Buffer, int, []entry, int)           {}
func newline(out *bytes.Buffer, _ int, _ []entry, _ int) { out.WriteByte('\n') }

func (c corpus) docword(documents [][]entry) ([]byte, error) {
	body, err := eachEntry(documents, nothing, func(out *bytes.Buffer, d int, document []entry, i int) {
		fmt.Fprintln(out, d+1, document[i].item+1, document[i].count)
	}, nothing)
	return append(fmt.Appendf(nil, "%d\n%d\n%d\n", len(documents), c.vocabulary, entries(documents)), body...), err
}

func (c corpus) matrixMarket(documents [][]entry) ([]byte, error) {
	body, err := eachEntry(documents, nothing, func(out *bytes.Buffer, d int, document []entry, i int) {
		fmt.Fprintln(out, d+1, document[i].item+1, document[i].count)
	}, nothing)
	head := fmt.Appendf(nil, "%%%%MatrixMarket matrix coordinate integer general\n%d %d %d\n", len(documents), c.vocabulary, entries(documents))
	return append(head, body...), err
}

func entries(documents [][]entry) (n int) {
	for _, document := range documents {
		n += len(document)
	}
	return n
}

func (c corpus) baskets(documents [][]entry) ([]byte, error) {
	return eachEntry(documents, nothing, func(out *bytes.Buffer, _ int, document []entry, i int) {
		for range document[i].count {
			out.WriteString(itemName(document[i].item))
			out.WriteByte(' ')
		}
	}, newline)
}

func (c corpus) libsvm(documents [][]entry) ([]byte, error) {
	return eachEntry(documents, func(out *bytes.Buffer, _ int, _ []entry, _ int) { out.WriteString("1") },
		func(out *bytes.Buffer, _ int, document []entry, i int) {
			fmt.Fprintf(out, " %d:%d", document[i].item+1, document[i].count)
		}, newline)
}

func (c corpus) ldac(documents [][]entry) ([]byte, error) {
	return eachEntry(documents, func(out *bytes.Buffer, _ int, document []entry, _ int) { fmt.Fprint(out, len(document)) },
		func(out *bytes.Buffer, _ int, document []entry, i int) {
			fmt.Fprintf(out, " %d:%d", document[i].item, document[i].count)
		}, newline)
}

func (c corpus) vowpal(documents [][]entry) ([]byte, error) {
	return eachEntry(documents, func(out *bytes.Buffer, _ int, _ []entry, _ int) { out.WriteString("|w") },
		func(out *bytes.Buffer, _ int, document []entry, i int) {
			fmt.Fprintf(out, " %s:%d", itemName(document[i].item), document[i].count)
		}, newline)
}

func (c corpus) jsonl(documents [][]entry) ([]byte, error) {
	return eachEntry(documents, func(out *bytes.Buffer, d int, _ []entry, _ int) { fmt.Fprintf(out, `{"id":"d%d","items":{`, d) },
		func(out *bytes.Buffer, _ int, document []entry, i int) {
			if i > 0 {
				out.WriteByte(',')
			}
			fmt.Fprintf(out, `"%s":%d`, itemName(document[i].item), document[i].count)
		}, func(out *bytes.Buffer, _ int, _ []entry, _ int) { out.WriteString("}}\n") })
}

func (c corpus) csv(documents [][]entry) ([]byte, error) {
	body, err := eachEntry(documents, nothing, func(out *bytes.Buffer, d int, document []entry, i int) {
		fmt.Fprintf(out, "d%d,%s,%d\n", d, itemName(document[i].item), document[i].count)
	}, nothing)
	return append([]byte("document,item,count\n"), body...), err
}

func inGzip(encode func([][]entry) ([]byte, error)) func([][]entry) ([]byte, error) {
	return func(documents [][]entry) ([]byte, error) {
		data, err := encode(documents)
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		if _, err := w.Write(data); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		return out.Bytes(), nil
	}
}

// lists returns a Parquet file with the columns items and counts in the layout of common writers: optional lists of optional values,
// dictionaries, zstd.
func lists(element schema.Node, documents [][]entry, items func(file.ColumnChunkWriter, []int32, []int16, []int16) error) ([]byte, error) {
	reps := parquet.Repetitions
	list := func(name string, element schema.Node) schema.Node {
		group := schema.MustGroup(schema.NewGroupNode("list", reps.Repeated, schema.FieldList{element}, -1))
		return schema.MustGroup(schema.NewGroupNodeLogical(name, reps.Optional, schema.FieldList{group}, schema.NewListLogicalType(), -1))
	}
	root, err := schema.NewGroupNode("schema", reps.Required, schema.FieldList{list("items", element),
		list("counts", schema.NewInt32Node("element", reps.Optional, -1))}, -1)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, root, file.WithWriterProps(parquet.NewWriterProperties(
		parquet.WithCreatedBy("anchorage"), parquet.WithCompression(compress.Codecs.Zstd))))
	const rows = 8192
	for from := 0; from < len(documents); from += rows {
		var ids, counts []int32
		var def, rep []int16
		for _, document := range documents[from:min(from+rows, len(documents))] {
			for i, e := range document {
				ids, counts = append(ids, e.item), append(counts, e.count)
				def, rep = append(def, 3), append(rep, int16(min(i, 1)))
			}
		}
		group := w.AppendRowGroup()
		for _, write := range []func(file.ColumnChunkWriter) error{
			func(c file.ColumnChunkWriter) error { return items(c, ids, def, rep) },
			func(c file.ColumnChunkWriter) error {
				_, err := c.(*file.Int32ColumnChunkWriter).WriteBatch(counts, def, rep)
				return err
			},
		} {
			column, err := group.NextColumn()
			if err != nil {
				return nil, err
			}
			if err := write(column); err != nil {
				return nil, err
			}
			if err := column.Close(); err != nil {
				return nil, err
			}
		}
		if err := group.Close(); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func (c corpus) parquetInts(documents [][]entry) ([]byte, error) {
	return lists(schema.NewInt32Node("element", parquet.Repetitions.Optional, -1), documents,
		func(w file.ColumnChunkWriter, ids []int32, def, rep []int16) error {
			_, err := w.(*file.Int32ColumnChunkWriter).WriteBatch(ids, def, rep)
			return err
		})
}

func (c corpus) parquetStrings(documents [][]entry) ([]byte, error) {
	element := schema.MustPrimitive(schema.NewPrimitiveNodeLogical("element", parquet.Repetitions.Optional,
		schema.StringLogicalType{}, parquet.Types.ByteArray, -1, -1))
	return lists(element, documents, func(w file.ColumnChunkWriter, ids []int32, def, rep []int16) error {
		names := make([]parquet.ByteArray, len(ids))
		for i, id := range ids {
			names[i] = parquet.ByteArray(itemName(id))
		}
		_, err := w.(*file.ByteArrayColumnChunkWriter).WriteBatch(names, def, rep)
		return err
	})
}

// arrowInts returns an Arrow file without compression.
func (c corpus) arrowInts(documents [][]entry) ([]byte, error) {
	list := arrow.ListOf(arrow.PrimitiveTypes.Int32)
	fields := arrow.NewSchema([]arrow.Field{{Name: "items", Type: list}, {Name: "counts", Type: list}}, nil)
	path := filepath.Join(os.TempDir(), "anchorage-make.arrow")
	out, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	defer os.Remove(path)
	defer out.Close()
	w, err := ipc.NewFileWriter(out, ipc.WithSchema(fields))
	if err != nil {
		return nil, err
	}
	const rows = 8192
	for from := 0; from < len(documents); from += rows {
		b := array.NewRecordBuilder(memory.DefaultAllocator, fields)
		for _, document := range documents[from:min(from+rows, len(documents))] {
			for column := range 2 {
				lists := b.Field(column).(*array.ListBuilder)
				lists.Append(true)
				values := lists.ValueBuilder().(*array.Int32Builder)
				for _, e := range document {
					values.Append([]int32{e.item, e.count}[column])
				}
			}
		}
		record := b.NewRecord()
		err := w.Write(record)
		record.Release()
		b.Release()
		if err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}
