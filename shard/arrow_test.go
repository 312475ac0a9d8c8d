package shard

import (
	"fmt"
	"os"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// arrowTable says how the columns of an Arrow file are laid out.
type arrowTable struct {
	item, count arrow.DataType
	layout      string // lists, large, fixed, map, structs, long
	stream      bool
	batch       int // rows of a record batch
	options     []ipc.Option
}

// arrowLayouts are the ways to write documents in Arrow.
func arrowLayouts() map[string]layoutWriter {
	types, text := arrow.PrimitiveTypes, arrow.BinaryTypes
	dictionary := &arrow.DictionaryType{IndexType: types.Int32, ValueType: text.String}
	numbers := &arrow.DictionaryType{IndexType: types.Uint16, ValueType: types.Int64}
	layouts := make(map[string]layoutWriter)
	for name, table := range map[string]arrowTable{
		"strings":        {item: text.String, count: types.Int32, layout: "lists", batch: 700},
		"strings stream": {item: text.String, count: types.Int64, layout: "lists", batch: 100, stream: true},
		"large":          {item: text.LargeString, count: types.Uint64, layout: "large", batch: 5000},
		"binary zstd": {item: text.Binary, count: types.Float64, layout: "lists", batch: 700,
			options: []ipc.Option{ipc.WithZstd()}},
		"large binary lz4": {item: text.LargeBinary, count: types.Float32, layout: "large", batch: 700,
			options: []ipc.Option{ipc.WithLZ4()}, stream: true},
		"views": {item: text.StringView, count: types.Int32, layout: "lists", batch: 700},
		"views zstd": {item: text.BinaryView, count: types.Int8, layout: "lists", batch: 700,
			options: []ipc.Option{ipc.WithZstd()}},
		"dictionary": {item: dictionary, count: types.Int16, layout: "lists", batch: 700},
		"dictionary stream": {item: dictionary, count: types.Int32, layout: "lists", batch: 300, stream: true,
			options: []ipc.Option{ipc.WithDictionaryDeltas(true)}},
		"dictionary zstd": {item: dictionary, count: types.Int32, layout: "lists", batch: 5000,
			options: []ipc.Option{ipc.WithZstd()}},
		"map": {item: text.String, count: types.Int32, layout: "map", batch: 700},
		"structs": {item: text.String, count: types.Uint8, layout: "structs", batch: 700,
			options: []ipc.Option{ipc.WithLZ4()}},
		"long":            {item: text.String, count: types.Int32, layout: "long", batch: 700},
		"long dictionary": {item: dictionary, count: types.Float64, layout: "long", batch: 700, stream: true},
	} {
		layouts[name] = layoutWriter{write: table.write, ending: ".arrow", numbers: -1, noEmpty: table.layout == "long"}
	}
	for name, table := range map[string]arrowTable{
		"int32": {item: types.Int32, count: types.Int32, layout: "lists", batch: 700},
		"int64 zstd": {item: types.Int64, count: types.Int64, layout: "large", batch: 700,
			options: []ipc.Option{ipc.WithZstd()}},
		"uint16 stream":  {item: types.Uint16, count: types.Uint32, layout: "map", batch: 700, stream: true},
		"number indices": {item: numbers, count: types.Int32, layout: "lists", batch: 20, stream: true},
		"long numbers":   {item: types.Uint64, count: types.Uint16, layout: "long", batch: 100},
	} {
		layouts[name] = layoutWriter{write: table.write, ending: ".data", numbers: 100, noEmpty: table.layout == "long"}
	}
	return layouts
}

// schema returns the schema of the table.
func (a arrowTable) schema() *arrow.Schema {
	named := func(name string, t arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: t, Nullable: true}
	}
	other := named("other", arrow.BinaryTypes.String)
	id := named("doc_id", arrow.PrimitiveTypes.Int64)
	var fields []arrow.Field
	switch a.layout {
	case "lists":
		fields = []arrow.Field{other, id, named("items", arrow.ListOf(a.item)), named("counts", arrow.ListOf(a.count))}
	case "large":
		fields = []arrow.Field{named("counts", arrow.LargeListOf(a.count)), other, named("words",
			arrow.LargeListOf(a.item)), id}
	case "map":
		fields = []arrow.Field{other, id, named("bag", arrow.MapOf(a.item, a.count))}
	case "structs":
		fields = []arrow.Field{other, named("lines", arrow.ListOf(arrow.StructOf(named("note", arrow.BinaryTypes.String),
			named("sku", a.item), named("qty", a.count)))), id}
	case "long":
		fields = []arrow.Field{other, named("order_id", arrow.PrimitiveTypes.Int32), named("qty", a.count),
			named("product", a.item)}
	}
	return arrow.NewSchema(fields, nil)
}

// write writes documents.
func (a arrowTable) write(t testing.TB, path string, documents []pairs) string {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	schema := a.schema()
	options := append([]ipc.Option{ipc.WithSchema(schema)}, a.options...)
	var w interface {
		Write(arrow.Record) error
		Close() error
	}
	if a.stream {
		w = ipc.NewWriter(f, options...)
	} else if w, err = ipc.NewFileWriter(f, options...); err != nil {
		t.Fatal(err)
	}
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer builder.Release()
	flush := func() {
		record := builder.NewRecord()
		defer record.Release()
		if err := w.Write(record); err != nil {
			t.Fatal(err)
		}
	}
	rows := 0
	for d, document := range documents {
		if a.layout == "long" {
			for _, pair := range document {
				appendLong(t, builder, int32(d), pair.item, pair.count)
			}
		} else {
			for i, field := range schema.Fields() {
				a.append(t, builder.Field(i), field.Name, d, document)
			}
		}
		if rows++; rows%a.batch == 0 {
			flush()
		}
	}
	flush()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func appendText(t testing.TB, b array.Builder, text string) {
	t.Helper()
	if d, ok := b.(*array.Int64DictionaryBuilder); ok {
		if err := d.Append(number(text)); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d, ok := b.(*array.BinaryDictionaryBuilder); ok {
		if err := d.AppendString(text); err != nil {
			t.Fatal(err)
		}
		return
	}
	switch b := b.(type) {
	case *array.BinaryBuilder:
		b.Append([]byte(text))
	case *array.BinaryViewBuilder:
		b.Append([]byte(text))
	default:
		if err := b.AppendValueFromString(text); err != nil {
			t.Fatal(err)
		}
	}
}

func appendLong(t testing.TB, b *array.RecordBuilder, d int32, item string, count int32) {
	b.Field(0).AppendNull()
	b.Field(1).(*array.Int32Builder).Append(d)
	appendText(t, b.Field(2), fmt.Sprint(count))
	appendText(t, b.Field(3), item)
}

// append appends document d to a column.
func (a arrowTable) append(t testing.TB, b array.Builder, name string, d int, document pairs) {
	t.Helper()
	switch name {
	case "other":
		b.AppendNull()
		return
	case "doc_id":
		b.(*array.Int64Builder).Append(int64(d))
		return
	}
	if len(document) == 0 && d%2 == 0 {
		b.AppendNull()
		return
	}
	var values array.Builder
	switch list := b.(type) {
	case *array.MapBuilder:
		list.Append(true)
		for _, pair := range document {
			appendText(t, list.KeyBuilder(), pair.item)
			appendText(t, list.ItemBuilder(), fmt.Sprint(pair.count))
		}
		return
	case *array.ListBuilder:
		list.Append(true)
		values = list.ValueBuilder()
	case *array.LargeListBuilder:
		list.Append(true)
		values = list.ValueBuilder()
	}
	for _, pair := range document {
		switch name {
		case "lines":
			lines := values.(*array.StructBuilder)
			lines.Append(true)
			lines.FieldBuilder(0).AppendNull()
			appendText(t, lines.FieldBuilder(1), pair.item)
			appendText(t, lines.FieldBuilder(2), fmt.Sprint(pair.count))
		case "counts":
			appendText(t, values, fmt.Sprint(pair.count))
		default:
			appendText(t, values, pair.item)
		}
	}
}
