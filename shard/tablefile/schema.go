// Package tablefile writes and reads the tables in which results are kept, and writes shards of documents, all as
// Parquet files. The same calls give the same bytes. No value of a table is null.
package tablefile

import (
	"bytes"
	"encoding/base64"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// Type is the type of a table's column.
type Type int

// The types. A column of a list type is passed as one flat slice, row after row.
const (
	Int32       Type = iota // []int32
	Int64                   // []int64
	Float32                 // []float32
	Float64                 // []float64
	String                  // []string, valid UTF-8
	Float32List             // []float32 of rows×Width values
	Float64List             // []float64 of rows×Width values
	StringList              // []string of rows×Width values, valid UTF-8
)

// Field is a column of a table. No value of a table is null.
type Field struct {
	Name  string
	Type  Type
	Width int // length of every list, at least 1; 0 for other types
}

// isText reports whether values of the type are strings.
func (t Type) isText() bool { return t == String || t == StringList }

// isList reports whether the field holds lists.
func (f Field) isList() bool { return f.Type >= Float32List }

// width returns the number of values in a row.
func (f Field) width() int { return max(f.Width, 1) }

// check panics if the field makes no sense.
func (f Field) check() {
	if f.Name == "" || f.Type < Int32 || f.Type > StringList || f.isList() != (f.Width > 0) {
		panic("shard: malformed table field")
	}
}

// physicalTypes and arrowTypes are the types of values in Parquet and in Arrow. emptyColumns are columns as they are
// passed.
var (
	physicalTypes = [...]parquet.Type{Int32: parquet.Types.Int32, Int64: parquet.Types.Int64,
		Float32: parquet.Types.Float, Float64: parquet.Types.Double, String: parquet.Types.ByteArray,
		Float32List: parquet.Types.Float, Float64List: parquet.Types.Double, StringList: parquet.Types.ByteArray}
	arrowTypes = [...]arrow.DataType{Int32: arrow.PrimitiveTypes.Int32, Int64: arrow.PrimitiveTypes.Int64,
		Float32: arrow.PrimitiveTypes.Float32, Float64: arrow.PrimitiveTypes.Float64, String: arrow.BinaryTypes.String,
		Float32List: arrow.PrimitiveTypes.Float32, Float64List: arrow.PrimitiveTypes.Float64,
		StringList: arrow.BinaryTypes.String}
	emptyColumns = [...]any{Int32: []int32(nil), Int64: []int64(nil), Float32: []float32(nil), Float64: []float64(nil),
		String: []string(nil), Float32List: []float32(nil), Float64List: []float64(nil), StringList: []string(nil)}
)

// node returns the field's place in a Parquet schema.
func (f Field) node() schema.Node {
	if f.isList() {
		return listNode(f.Name, valueNode("element", f.Type))
	}
	return valueNode(f.Name, f.Type)
}

// valueNode returns a required value.
func valueNode(name string, t Type) schema.Node {
	var logical schema.LogicalType = schema.NoLogicalType{}
	if t.isText() {
		logical = schema.StringLogicalType{}
	}
	return schema.MustPrimitive(schema.NewPrimitiveNodeLogical(name, parquet.Repetitions.Required, logical,
		physicalTypes[t], -1, -1))
}

// listNode returns a required list in the standard layout of three levels.
func listNode(name string, element schema.Node) schema.Node {
	list := schema.MustGroup(schema.NewGroupNode("list", parquet.Repetitions.Repeated, schema.FieldList{element}, -1))
	return schema.MustGroup(schema.NewGroupNodeLogical(name, parquet.Repetitions.Required, schema.FieldList{list},
		schema.NewListLogicalType(), -1))
}

// arrowField returns the field as Arrow knows it: Parquet by itself cannot say that lists have one length.
func (f Field) arrowField() arrow.Field {
	field := arrow.Field{Name: f.Name, Type: arrowTypes[f.Type]}
	if f.isList() {
		element := arrow.Field{Name: "element", Type: field.Type}
		field.Type = arrow.FixedSizeListOfField(int32(f.Width), element)
	}
	return field
}

// schemaKey returns the value of the key ARROW:schema, by which Arrow's readers restore the types.
func schemaKey(fields []arrow.Field) (string, error) {
	var buffer bytes.Buffer
	writer := ipc.NewWriter(&buffer, ipc.WithSchema(arrow.NewSchema(fields, nil)))
	if err := writer.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(buffer.Bytes()), nil
}
