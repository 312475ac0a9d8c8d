// This file makes long tables as warehouses write them: numbers, the ids among them, are decimals.

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// warehouseScale is the number of digits after the point of quantities.
const warehouseScale = 3

// orderLine is a row: quantities are in thousandths.
type orderLine struct {
	order    int64
	sku      string
	quantity int64
}

// orderLines returns orders of two kinds of baskets. Every item of a kind is in about half of its baskets.
func orderLines() (lines []orderLine) {
	for order := int64(1); order <= 120; order++ {
		kind := string("ab"[order%2])
		for item := int64(0); item < 12; item++ {
			if mixed := (order*7 + item*item*5 + order*item*3) % 11; mixed < 5 {
				lines = append(lines, orderLine{order, fmt.Sprintf("%s%d", kind, item), 1000 * (1 + mixed%3)})
			}
		}
	}
	return lines
}

// writeWarehouse writes orders as Parquet and as CSV, and orders with returns and weighed goods, to the folder output.
func writeWarehouse(output string) error {
	lines := orderLines()
	var text bytes.Buffer
	text.WriteString("order_id,sku,quantity\n")
	for _, line := range lines {
		fmt.Fprintf(&text, "%d,%s,%d\n", line.order, line.sku, line.quantity/1000)
	}
	whole, err := decimalTable(lines)
	if err != nil {
		return err
	}
	for i := range lines {
		switch i % 40 {
		case 7:
			lines[i].quantity = -1000
		case 20:
			lines[i].quantity = 1250
		}
	}
	odd, err := decimalTable(lines)
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{"orders.parquet": whole, "orders.csv": text.Bytes(), "returns.parquet": odd} {
		if err := os.WriteFile(filepath.Join(output, name), content, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// decimalTable returns a Parquet file of order_id DECIMAL(38, 0), sku STRING and quantity DECIMAL(38, 3), both decimals in 16 bytes.
func decimalTable(lines []orderLine) ([]byte, error) {
	required := parquet.Repetitions.Required
	decimal := func(name string, scale int32) schema.Node {
		return schema.MustPrimitive(schema.NewPrimitiveNodeLogical(name, required, schema.NewDecimalLogicalType(38, scale), parquet.Types.FixedLenByteArray, 16, -1))
	}
	root, err := schema.NewGroupNode("schema", required, schema.FieldList{decimal("order_id", 0),
		schema.MustPrimitive(schema.NewPrimitiveNodeLogical("sku", required, schema.StringLogicalType{}, parquet.Types.ByteArray, -1, -1)),
		decimal("quantity", warehouseScale)}, -1)
	if err != nil {
		return nil, err
	}
	var orders, quantities []parquet.FixedLenByteArray
	var skus []parquet.ByteArray
	for _, line := range lines {
		orders, skus, quantities = append(orders, wide(line.order)), append(skus, parquet.ByteArray(line.sku)), append(quantities, wide(line.quantity))
	}
	var buffer bytes.Buffer
	writer := file.NewParquetWriter(&buffer, root, file.WithWriterProps(parquet.NewWriterProperties(parquet.WithCreatedBy("anchorage"))))
	group := writer.AppendRowGroup()
	for _, values := range []any{orders, skus, quantities} {
		chunk, err := group.NextColumn()
		if err != nil {
			return nil, err
		}
		switch w := chunk.(type) {
		case *file.FixedLenByteArrayColumnChunkWriter:
			_, err = w.WriteBatch(values.([]parquet.FixedLenByteArray), nil, nil)
		case *file.ByteArrayColumnChunkWriter:
			_, err = w.WriteBatch(values.([]parquet.ByteArray), nil, nil)
		}
		if err != nil {
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

// wide returns n in two's complement of 16 bytes, the highest first.
func wide(n int64) parquet.FixedLenByteArray {
	data := make([]byte, 16)
	binary.BigEndian.PutUint64(data[8:], uint64(n))
	if n < 0 {
		for i := range 8 {
			data[i] = 0xff
		}
	}
	return data
}
