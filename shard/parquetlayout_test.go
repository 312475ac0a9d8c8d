package shard

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// parquetTable says how documents are laid out in Parquet, other than in two lists.
type parquetTable struct {
	layout      string // map, structs, long
	item, count func(string, parquet.Repetition) schema.Node
	convert     func([]string) any
	counts      func([]int32) any
	options     []parquet.WriterProperty
}

func same(s []string) any { return s }

// parquetLayouts are the ways to write documents in Parquet.
func parquetLayouts() map[string]layoutWriter {
	int32s := func(n []int32) any { return n }
	toInt32 := converted(func(s string) int32 { return int32(number(s)) })
	toFloat := converted(func(n int32) float64 { return float64(n) })
	plain := []parquet.WriterProperty{parquet.WithDictionaryDefault(false), parquet.WithDataPageSize(1 << 10),
		parquet.WithDataPageVersion(parquet.DataPageV2)}
	zstd := []parquet.WriterProperty{parquet.WithCompression(compress.Codecs.Zstd)}
	layouts := make(map[string]layoutWriter)
	for name, table := range map[string]parquetTable{
		"map":        {"map", stringValue, int32Value, same, int32s, zstd},
		"map, plain": {"map", stringValue, float64Value, same, toFloat, plain},
		"structs": {"structs", stringValue, int64Value, same,
			converted(func(n int32) int64 { return int64(n) }), zstd},
		"long":            {"long", stringValue, int32Value, same, int32s, zstd},
		"long, plain":     {"long", stringValue, float64Value, same, toFloat, plain},
		"integers in map": {"map", int32Value, int32Value, toInt32, int32s, zstd},
		"long integers":   {"long", int32Value, int32Value, toInt32, int32s, plain},
	} {
		l := layoutWriter{write: table.write, ending: ".parquet", numbers: -1, noEmpty: table.layout == "long"}
		if _, isText := table.convert([]string{"1"}).([]string); !isText {
			l.numbers = 7
		}
		layouts[name] = l
	}
	return layouts
}

// write writes documents in two row groups; a document of a long table is cut by them.
func (p parquetTable) write(t testing.TB, path string, documents []pairs) string {
	reps := parquet.Repetitions
	group := func(name string, rep parquet.Repetition, nodes ...schema.Node) schema.Node {
		return schema.MustGroup(schema.NewGroupNode(name, rep, nodes, -1))
	}
	var columns []testColumn
	if p.layout == "long" {
		return writeParquet(t, path, p.long(documents), p.options...)
	}
	items, _ := chunksOf(documents, 2, 1, 2, p.convert, p.counts)
	_, counts := chunksOf(documents, 2, 1, 3, p.convert, p.counts)
	if p.layout == "map" {
		columns = []testColumn{{group("bag", reps.Optional, group("key_value", reps.Repeated, p.item("key", reps.Required),
			p.count("value", reps.Optional))), items}, {nil, counts}}
	} else {
		note := slices.Clone(counts)
		for i, chunk := range note {
			note[i] = testChunk{make([]string, len(items[i].def)), chunk.def, chunk.rep}
		}
		columns = []testColumn{{group("order_lines", reps.Optional, group("list", reps.Repeated, p.item("sku", reps.Required),
			p.count("qty", reps.Optional), stringValue("note", reps.Optional))), items}, {nil, counts}, {nil, note}}
	}
	return writeParquet(t, path, columns, p.options...)
}

// long returns the columns of a long table: documents may be null, items may not.
func (p parquetTable) long(documents []pairs) []testColumn {
	var ids, items []string
	var counts []int32
	for d, document := range documents {
		for _, pair := range document {
			ids, items, counts = append(ids, fmt.Sprint("order ", d)), append(items, pair.item), append(counts, pair.count)
		}
	}
	columns := []testColumn{{stringValue("order_id", parquet.Repetitions.Optional), nil},
		{p.item("item_id", parquet.Repetitions.Required), nil}, {p.count("quantity", parquet.Repetitions.Optional), nil}}
	half := len(ids)/2 + 1
	for _, run := range [][2]int{{0, half}, {half, len(ids)}} {
		from, to := run[0], run[1]
		there := slices.Repeat([]int16{1}, to-from)
		columns[0].groups = append(columns[0].groups, testChunk{ids[from:to], there, nil})
		columns[1].groups = append(columns[1].groups, testChunk{p.convert(items[from:to]), nil, nil})
		columns[2].groups = append(columns[2].groups, testChunk{p.counts(counts[from:to]), there, nil})
	}
	return columns
}

func TestParquetLongErrors(t *testing.T) {
	required := parquet.Repetitions.Required
	documents := func(ids ...string) testColumn {
		return testColumn{stringValue("order_id", required), []testChunk{{ids, nil, nil}}}
	}
	items := func(ids ...string) testColumn {
		return testColumn{stringValue("item", required), []testChunk{{ids, nil, nil}}}
	}
	null := testColumn{stringValue("item", parquet.Repetitions.Optional), []testChunk{{[]string{"a"}, []int16{1, 0}, nil}}}
	count := testColumn{int64Value("qty", required), []testChunk{{[]int64{1, -2}, nil, nil}}}
	for name, test := range map[string]struct {
		columns []testColumn
		want    []string
	}{
		"comes again": {[]testColumn{documents("a", "b", "a"), items("x", "y", "z")}, []string{"row group 1", "row 3",
			`document "a" comes again`}},
		"null item": {[]testColumn{documents("a", "b"), null}, []string{"row 2", `column "item"`, "an item is null"}},
		"count": {[]testColumn{documents("a", "b"), items("x", "y"), count}, []string{"row 2", `column "qty"`,
			"count -2 is negative"}},
		"empty id": {[]testColumn{documents("a", ""), items("x", "y")}, []string{"row 2", "document's id is empty"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeParquet(t, filepath.Join(t.TempDir(), "x.parquet"), test.columns)
			_, err := collect(t, Options{}, path)
			wantError(t, err, path, test.want...)
		})
	}
}
