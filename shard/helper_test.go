package shard

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// document is a document as tests compare it: entries "item×count" in order of items.
type document []string

func documentOf(entries map[string]int) document {
	d := document{}
	for item, count := range entries {
		d = append(d, fmt.Sprintf("%s×%d", item, count))
	}
	slices.Sort(d)
	return d
}

// collect reads the shards of the arguments, checks the form of each batch and returns all documents.
func collect(t testing.TB, opts Options, args ...string) ([]document, error) {
	t.Helper()
	shards, err := Discover(context.Background(), args, opts)
	if err != nil {
		return nil, err
	}
	var documents []document
	for _, s := range shards {
		first := int64(len(documents))
		parts, err := s.Parts(context.Background())
		if err != nil {
			return documents, err
		}
		for i, part := range parts {
			if part.Index != i {
				t.Fatalf("part %d has index %d", i, part.Index)
			}
			before := len(documents)
			if documents, err = readPart(t, part, documents, first); err != nil {
				return documents, err
			}
			if got := int64(len(documents) - before); part.Rows >= 0 && got != part.Rows {
				t.Fatalf("part of %d rows gave %d documents", part.Rows, got)
			}
		}
	}
	return documents, nil
}

// readPart appends the documents of a part, whose shard begins after the first documents.
func readPart(t testing.TB, part Part, documents []document, first int64) ([]document, error) {
	t.Helper()
	reader, err := Open(context.Background(), part)
	if err != nil {
		return documents, err
	}
	defer reader.Close()
	var batch Batch
	for {
		err := reader.Next(&batch)
		if err == io.EOF {
			return documents, nil
		}
		if err != nil {
			return documents, err
		}
		if batch.FirstRow != int64(len(documents))-first {
			t.Fatalf("batch begins with row %d after %d documents", batch.FirstRow, int64(len(documents))-first)
		}
		documents = append(documents, checkBatch(t, &batch)...)
	}
}

// checkBatch fails the test if a batch breaks one of its promises, and returns its documents.
func checkBatch(t testing.TB, batch *Batch) []document {
	t.Helper()
	if batch.Documents() == 0 && batch.Left == (LeftOut{}) {
		t.Fatal("empty batch")
	}
	if len(batch.Items) != len(batch.Counts) || int(batch.Offsets[batch.Documents()]) != len(batch.Items) {
		t.Fatal("batch of unequal lengths")
	}
	seen := make(map[string]bool)
	for i := range batch.Dictionary.Len() {
		id := string(batch.Dictionary.ID(i))
		if id == "" || seen[id] {
			t.Fatalf("id %q is empty or comes twice in the dictionary", id)
		}
		seen[id] = true
	}
	next := int32(0)
	var documents []document
	for d := range batch.Documents() {
		entries := make(map[string]int)
		for i := batch.Offsets[d]; i < batch.Offsets[d+1]; i++ {
			if batch.Items[i] > next {
				t.Fatal("codes are not in order of first appearance")
			}
			next = max(next, batch.Items[i]+1)
			id := string(batch.Dictionary.ID(int(batch.Items[i])))
			if entries[id] != 0 || batch.Counts[i] < 1 {
				t.Fatalf("item %q comes twice in a document, or with count %d", id, batch.Counts[i])
			}
			entries[id] = int(batch.Counts[i])
		}
		documents = append(documents, documentOf(entries))
	}
	if int(next) != batch.Dictionary.Len() {
		t.Fatal("the dictionary has ids that no document uses")
	}
	return documents
}

// writeFile writes a file of the given content, compressed if its name ends in .gz or .zst.
func writeFile(t testing.TB, path, content string) string {
	t.Helper()
	if err := os.WriteFile(path, compressed(t, path, content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func compressed(t testing.TB, name, content string) []byte {
	t.Helper()
	var buffer bytes.Buffer
	var w io.WriteCloser
	switch filepath.Ext(name) {
	case ".gz":
		w = gzip.NewWriter(&buffer)
	case ".zst":
		encoder, err := zstd.NewWriter(&buffer)
		if err != nil {
			t.Fatal(err)
		}
		w = encoder
	default:
		return []byte(content)
	}
	if _, err := io.WriteString(w, content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

// testColumn is a column of a Parquet file made for a test: its node and, per row group, its content.
type testColumn struct {
	node   schema.Node // nil where the column belongs to the node before it
	groups []testChunk
}

type testChunk struct {
	values   any // slice of the column's physical type
	def, rep []int16
}

// writeParquet writes a Parquet file with these columns.
func writeParquet(t testing.TB, path string, columns []testColumn, opts ...parquet.WriterProperty) string {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var nodes schema.FieldList
	for _, column := range columns {
		if column.node != nil {
			nodes = append(nodes, column.node)
		}
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)
	if err != nil {
		t.Fatal(err)
	}
	w := file.NewParquetWriter(f, root, file.WithWriterProps(parquet.NewWriterProperties(opts...)))
	for g := range columns[0].groups {
		group := w.AppendRowGroup()
		for _, column := range columns {
			cw, err := group.NextColumn()
			if err != nil {
				t.Fatal(err)
			}
			writeChunk(t, cw, column.groups[g])
			if err := cw.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := group.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func writeChunk(t testing.TB, cw file.ColumnChunkWriter, chunk testChunk) {
	t.Helper()
	var err error
	switch w := cw.(type) {
	case *file.ByteArrayColumnChunkWriter:
		var values []parquet.ByteArray
		for _, value := range chunk.values.([]string) {
			values = append(values, parquet.ByteArray(value))
		}
		_, err = w.WriteBatch(values, chunk.def, chunk.rep)
	case *file.FixedLenByteArrayColumnChunkWriter:
		var values []parquet.FixedLenByteArray
		for _, value := range chunk.values.([]string) {
			values = append(values, parquet.FixedLenByteArray(value))
		}
		_, err = w.WriteBatch(values, chunk.def, chunk.rep)
	case *file.Int32ColumnChunkWriter:
		_, err = w.WriteBatch(chunk.values.([]int32), chunk.def, chunk.rep)
	case *file.Int64ColumnChunkWriter:
		_, err = w.WriteBatch(chunk.values.([]int64), chunk.def, chunk.rep)
	case *file.Float32ColumnChunkWriter:
		_, err = w.WriteBatch(chunk.values.([]float32), chunk.def, chunk.rep)
	case *file.Float64ColumnChunkWriter:
		_, err = w.WriteBatch(chunk.values.([]float64), chunk.def, chunk.rep)
	default:
		t.Fatalf("column writer %T", cw)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// layout is one of the ways to nest a list.
type layout int

const (
	threeLevels layout = iota // required list of required elements
	optional3                 // optional list of optional elements
	bagList                   // optional group, bag, optional array_element
	twoLevels                 // optional group with a repeated value
	bare                      // repeated value
)

// listOf returns a list column of the given layout around value, and the definition levels of an empty list and of an
// element.
func listOf(name string, how layout, value func(name string, rep parquet.Repetition) schema.Node) (schema.Node,
	int16, int16) {
	reps := parquet.Repetitions
	wrap := func(outer parquet.Repetition, list, element string, inner parquet.Repetition) schema.Node {
		group := schema.MustGroup(schema.NewGroupNode(list, reps.Repeated, schema.FieldList{value(element, inner)}, -1))
		return schema.MustGroup(schema.NewGroupNodeLogical(name, outer, schema.FieldList{group},
			schema.NewListLogicalType(), -1))
	}
	switch how {
	case threeLevels:
		return wrap(reps.Required, "list", "element", reps.Required), 0, 1
	case optional3:
		return wrap(reps.Optional, "list", "element", reps.Optional), 1, 3
	case bagList:
		return wrap(reps.Optional, "bag", "array_element", reps.Optional), 1, 3
	case twoLevels:
		return schema.MustGroup(schema.NewGroupNodeLogical(name, reps.Optional,
			schema.FieldList{value("array", reps.Repeated)},
			schema.NewListLogicalType(), -1)), 1, 2
	}
	return value(name, reps.Repeated), 0, 1
}

// physical returns a function for listOf that makes values of a physical type.
func physical(typ parquet.Type, logical schema.LogicalType) func(string, parquet.Repetition) schema.Node {
	return func(name string, rep parquet.Repetition) schema.Node {
		return schema.MustPrimitive(schema.NewPrimitiveNodeLogical(name, rep, logical, typ, -1, -1))
	}
}

// levelsOf returns the levels of lists of the given lengths; a negative length is a null list.
func levelsOf(lengths []int, empty, element int16) (def, rep []int16) {
	for _, n := range lengths {
		switch {
		case n < 0:
			def, rep = append(def, 0), append(rep, 0)
		case n == 0:
			def, rep = append(def, empty), append(rep, 0)
		}
		for i := range n {
			def, rep = append(def, element), append(rep, int16(min(i, 1)))
		}
	}
	return def, rep
}

// wantError fails the test unless err is an *Error about path whose text contains all parts.
func wantError(t testing.TB, err error, path string, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	place, ok := err.(*Error)
	if !ok {
		t.Fatalf("error of type %T: %v", err, err)
	}
	if path != "" && place.Path != path {
		t.Errorf("error about %s: %v", place.Path, err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not contain %q", err, part)
		}
	}
}
