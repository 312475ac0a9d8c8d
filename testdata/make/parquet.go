// This file writes Parquet files that package shard refuses to write.

package main

import (
	"bytes"
	"fmt"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// column is a column of a small table. It has lists of the given lengths, or plain values if lengths is nil.
type column struct {
	name    string
	values  any // []string, []int32 or []float64
	lengths []int
}

// table returns a Parquet file of one row group with these columns.
func table(columns ...column) func() ([]byte, error) {
	return func() ([]byte, error) {
		var nodes schema.FieldList
		for _, c := range columns {
			nodes = append(nodes, c.node())
		}
		root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)
		if err != nil {
			return nil, err
		}
		var buffer bytes.Buffer
		properties := parquet.NewWriterProperties(parquet.WithCreatedBy("anchorage"), parquet.WithDictionaryDefault(false))
		writer := file.NewParquetWriter(&buffer, root, file.WithWriterProps(properties))
		group := writer.AppendRowGroup()
		for _, c := range columns {
			chunk, err := group.NextColumn()
			if err != nil {
				return nil, err
			}
			if err := c.write(chunk); err != nil {
				return nil, err
			}
			if err := chunk.Close(); err != nil {
				return nil, err
			}
		}
		if err := group.Close(); err != nil {
			return nil, err
		}
		if err := writer.Close(); err != nil {
			return nil, err
		}
		return buffer.Bytes(), nil
	}
}

// node returns the column's place in the schema: a required value, or a required list of required values.
func (c column) node() schema.Node {
	name := c.name
	if c.lengths != nil {
		name = "element"
	}
	var value schema.Node
	required := parquet.Repetitions.Required
	switch c.values.(type) {
	case []string:
		value = schema.MustPrimitive(schema.NewPrimitiveNodeLogical(name, required, schema.StringLogicalType{}, parquet.Types.ByteArray, -1, -1))
	case []int32:
		value = schema.NewInt32Node(name, required, -1)
	case []float64:
		value = schema.NewFloat64Node(name, required, -1)
	}
	if c.lengths == nil {
		return value
	}
	list := schema.MustGroup(schema.NewGroupNode("list", parquet.Repetitions.Repeated, schema.FieldList{value}, -1))
	return schema.MustGroup(schema.NewGroupNodeLogical(c.name, required, schema.FieldList{list}, schema.NewListLogicalType(), -1))
}

// write writes the values. No list may be empty.
func (c column) write(chunk file.ColumnChunkWriter) error {
	var defined, repeated []int16
	for _, n := range c.lengths {
		for i := range n {
			defined, repeated = append(defined, 1), append(repeated, int16(min(i, 1)))
		}
	}
	var err error
	switch values := c.values.(type) {
	case []string:
		raw := make([]parquet.ByteArray, len(values))
		for i, value := range values {
			raw[i] = parquet.ByteArray(value)
		}
		_, err = chunk.(*file.ByteArrayColumnChunkWriter).WriteBatch(raw, defined, repeated)
	case []int32:
		_, err = chunk.(*file.Int32ColumnChunkWriter).WriteBatch(values, defined, repeated)
	case []float64:
		_, err = chunk.(*file.Float64ColumnChunkWriter).WriteBatch(values, defined, repeated)
	default:
		err = fmt.Errorf("unsupported values of type %T", c.values)
	}
	return err
}
