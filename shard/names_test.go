package shard

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// TestColumnsOfTimes reads dates and timestamps as the names of documents, and as the items of a table with several
// rows per document.
func TestColumnsOfTimes(t *testing.T) {
	required := parquet.Repetitions.Required
	day := physical(parquet.Types.Int32, schema.DateLogicalType{})
	at := physical(parquet.Types.Int64, schema.NewTimestampLogicalType(true, schema.TimeUnitMicros))
	bags := listColumnOf("items", threeLevels, stringValue, []string{"a", "b", "c"}, 2, 1)
	perRow := writeParquet(t, filepath.Join(t.TempDir(), "rows.parquet"), []testColumn{bags,
		{day("day", required), []testChunk{{[]int32{19874, 19875}, nil, nil}}},
		{at("at", required), []testChunk{{[]int64{1717113600000000, 1717200000000000}, nil, nil}}}})
	long := writeParquet(t, filepath.Join(t.TempDir(), "long.parquet"), []testColumn{
		{stringValue("order_id", required), []testChunk{{[]string{"x", "x", "y"}, nil, nil}}},
		{stringValue("item_id", required), []testChunk{{[]string{"a", "b", "c"}, nil, nil}}},
		{day("day", required), []testChunk{{[]int32{19874, 19876, 19875}, nil, nil}}}})
	for _, test := range []struct {
		path string
		with func(Shard) Shard
		want string
	}{
		{perRow, func(s Shard) Shard { return s.WithNames("day") }, "19874: a b, 19875: c"},
		{perRow, func(s Shard) Shard { return s.WithNames("at") }, "1717113600000000: a b, 1717200000000000: c"},
		{long, func(s Shard) Shard { return s.WithNames("") }, "x: a b, y: c"},
		{long, func(s Shard) Shard { return s.WithNames("").WithItems("day") }, "x: 19874 19876, y: 19875"},
	} {
		shards, err := Discover(t.Context(), []string{test.path}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := named(t, test.with(shards[0])); got != test.want {
			t.Errorf("%s: %q, want %q", filepath.Base(test.path), got, test.want)
		}
	}
}

// TestNamesOfPairs reads the names that items have beside their codes in lists of objects, and in lists of structs of
// two row groups or record batches. Lists may be null or empty, and names missing.
func TestNamesOfPairs(t *testing.T) {
	rows := []string{`{"lines":[]}`, `{"lines":[{"sku":"a","name":"Ant","qty":2},{"sku":"b","name":"Bee","qty":1}]}`,
		`{"lines":null}`, `{"lines":[{"sku":"c","name":null,"qty":1},{"sku":"a","name":"Ant","qty":1}]}`,
		`{"lines":[{"sku":"d","name":"Doe","qty":1}]}`}
	want := "a: Ant, b: Bee, a: Ant, d: Doe"
	table := strings.Join(rows, "\n") + "\n"
	folder := t.TempDir()
	paths := []string{writeFile(t, filepath.Join(folder, "a.jsonl"), table),
		writeFile(t, filepath.Join(folder, "a.json"), "["+strings.Join(rows, ",\n")+"]")}
	columns := arrow.NewSchema([]arrow.Field{{Name: "lines", Nullable: true, Type: arrow.ListOf(arrow.StructOf(
		arrow.Field{Name: "sku", Type: arrow.BinaryTypes.String, Nullable: true},
		arrow.Field{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
		arrow.Field{Name: "qty", Type: arrow.PrimitiveTypes.Int64, Nullable: true}))}}, nil)
	record, _, err := array.RecordFromJSON(memory.DefaultAllocator, columns, strings.NewReader("["+
		strings.Join(rows, ",")+"]"))
	if err != nil {
		t.Fatal(err)
	}
	var stream bytes.Buffer
	s := ipc.NewWriter(&stream, ipc.WithSchema(columns))
	if err := errors.Join(s.Write(record.NewSlice(0, 2)), s.Write(record.NewSlice(2, 5)), s.Close()); err != nil {
		t.Fatal(err)
	}
	optional := parquet.Repetitions.Optional
	fields := schema.FieldList{stringValue("sku", optional), stringValue("name", optional), int32Value("qty", optional)}
	element := schema.MustGroup(schema.NewGroupNode("element", optional, fields, -1))
	list := schema.MustGroup(schema.NewGroupNode("list", parquet.Repetitions.Repeated, schema.FieldList{element}, -1))
	lines := schema.MustGroup(schema.NewGroupNodeLogical("lines", optional, schema.FieldList{list},
		schema.ListLogicalType{}, -1))
	part := func(node schema.Node, first, second any, missing int16) testColumn {
		return testColumn{node, []testChunk{{first, []int16{1, 4, 4}, []int16{0, 0, 1}},
			{second, []int16{0, missing, 4, 4}, []int16{0, 0, 1, 0}}}}
	}
	paths = append(paths, writeParquet(t, filepath.Join(folder, "a.parquet"), []testColumn{
		part(lines, []string{"a", "b"}, []string{"c", "a", "d"}, 4),
		part(nil, []string{"Ant", "Bee"}, []string{"Ant", "Doe"}, 3),
		part(nil, []int32{2, 1}, []int32{1, 1, 1}, 4)}),
		writeFile(t, filepath.Join(folder, "a.arrow"), stream.String()))
	for _, path := range paths {
		shards, err := Discover(t.Context(), []string{path}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := shards[0].Mapping(t.Context())
		if err != nil || m.Items != "lines.sku" || m.Counts != "lines.qty" || m.ItemNames != "lines.name" {
			t.Fatalf("%s is read as %s: %v", path, m, err)
		}
		if got := named(t, shards[0].ItemNames(m.Items, m.ItemNames)); got != want {
			t.Errorf("%s: names %q, want %q", path, got, want)
		}
		for column, want := range map[string]string{NoNames: "", "lines.name": "lines.name", "lines.sku": "", "name": ""} {
			shards, err := Discover(t.Context(), []string{path}, Options{NamesColumn: column})
			if err != nil {
				t.Fatal(err)
			}
			if m, err := shards[0].Mapping(t.Context()); err != nil || m.ItemNames != want {
				t.Errorf("%s: of names %q the mapping has %q: %v", path, column, m.ItemNames, err)
			}
		}
	}
}

// named returns the documents of a shard that have items: their ids, each with its items.
func named(t *testing.T, s Shard) string {
	t.Helper()
	parts, err := s.Parts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, part := range parts {
		reader, err := Open(t.Context(), part)
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		var batch Batch
		for err = reader.Next(&batch); err == nil; err = reader.Next(&batch) {
			for d := range batch.Documents() {
				text := string(batch.Names.ID(d)) + ":"
				for _, code := range batch.Items[batch.Offsets[d]:batch.Offsets[d+1]] {
					text += " " + string(batch.Dictionary.ID(int(code)))
				}
				if !strings.HasSuffix(text, ":") {
					found = append(found, text)
				}
			}
		}
		if err != io.EOF {
			t.Fatal(err)
		}
	}
	return strings.Join(found, ", ")
}

// TestTexts reads how texts begin, as they are, in every format that has texts.
func TestTexts(t *testing.T) {
	long := strings.Repeat("é ", 20_000)
	first, second := "The <b>Ant</b>, and\tthe bee.", "Ü: "+long
	folder := t.TempDir()
	rows := writeParquet(t, filepath.Join(folder, "rows.parquet"), []testColumn{
		{stringValue("title", parquet.Repetitions.Required), []testChunk{{[]string{"x", "y"}, nil, nil}}},
		{stringValue("text", parquet.Repetitions.Required), []testChunk{{[]string{first, second}, nil, nil}}}})
	cut := ("Ü: " + long)[:16<<10]
	for strings.ToValidUTF8(cut, "") != cut {
		cut = cut[:len(cut)-1]
	}
	table := Options{Names: true, Texts: true, DocumentColumn: "title", TextColumns: []string{"text"}}
	for _, test := range []struct {
		path string
		opts Options
		want []string
	}{
		{rows, table, []string{first, cut}},
		{writeFile(t, filepath.Join(folder, "rows.csv"), "title,text\nx,\""+first+"\"\ny,"+second+"\n"), table,
			[]string{first, cut}},
		{writeFile(t, filepath.Join(folder, "rows.jsonl"), `{"title":"x","text":"`+strings.ReplaceAll(first, "\t", `\t`)+
			"\"}\n{\"title\":\"y\",\"text\":\""+second+"\"}\n"), table, []string{first, cut}},
		{writeFile(t, filepath.Join(folder, "lines.txt"), first+"\n"+second+"\n"), Options{Texts: true, Format: Text},
			[]string{first, cut}},
		{writeFile(t, filepath.Join(folder, "file.txt"), first+"\n\nend\n"), Options{Texts: true, Format: Files},
			[]string{first + "\n\nend"}},
		{writeFile(t, filepath.Join(folder, "none.txt"), first+"\n"), Options{Format: Text}, nil},
	} {
		shards, err := Discover(t.Context(), []string{test.path}, test.opts)
		if err != nil {
			t.Fatal(err)
		}
		parts, err := shards[0].Parts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		reader, err := Open(t.Context(), parts[0])
		if err != nil {
			t.Fatal(err)
		}
		var batch Batch
		if err := reader.Next(&batch); err != nil {
			t.Fatal(err)
		}
		var got []string
		for d := range batch.Texts.Len() {
			got = append(got, strings.TrimSuffix(string(batch.Texts.ID(d)), "\n"))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %.60q", filepath.Base(test.path), got)
		}
		if err := reader.Close(); err != nil {
			t.Error(err)
		}
	}
}
