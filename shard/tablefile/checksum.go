// This file computes the checksums of a table's columns, which are in its footer, and compares all columns with
// them.

package tablefile

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"reflect"
	"slices"

	"anchorage/shard/fault"
	"anchorage/shard/internal/pages"
)

// checksumKey is the key of the footer that lists the checksum of every column: NAME=CRC, separated by blanks.
const checksumKey = "anchorage:crc32c"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errValues says that the values of a column are not those that were written.
var errValues = errors.New("the file is damaged: its values do not fit the checksum in its footer")

// checksum is the CRC-32C of a column's values: numbers in little-endian order, strings after their length in 8 bytes.
// It does not depend on row groups or on how values are compressed.
type checksum struct {
	sum   uint32
	bytes []byte
}

// summed is the number of bytes that are hashed at a time.
const summed = 32 << 10

// add adds the values of a column.
func (c *checksum) add(column any) {
	if texts, are := column.([]string); are {
		for _, v := range texts {
			c.bytes = append(binary.LittleEndian.AppendUint64(c.bytes, uint64(len(v))), v...)
			if len(c.bytes) > summed {
				c.flush()
			}
		}
		c.flush()
		return
	}
	numbers := reflect.ValueOf(column)
	for from := 0; from < numbers.Len(); from += summed / 8 {
		run := numbers.Slice(from, min(from+summed/8, numbers.Len())).Interface()
		c.bytes, _ = binary.Append(c.bytes, binary.LittleEndian, run) // which knows slices of numbers
		c.flush()
	}
}

// flush hashes the bytes.
func (c *checksum) flush() {
	c.sum = crc32.Update(c.sum, castagnoli, c.bytes)
	c.bytes = c.bytes[:0]
}

// entry returns the text for a column.
func (c *checksum) entry(name string) string { return fmt.Sprintf("%s=%08x", name, c.sum) }

// Verify reads all columns of a table, whatever they are, and compares them with the checksums of its footer. summed is
// the number of columns that have one: 0 for files of other programs, of which it reads only the footer. The error is
// that of ctx, or a *fault.Error.
func Verify(ctx context.Context, path string) (summed int, err error) {
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = ctx.Err()
		}
	}()
	file, footer, err := pages.OpenFooter(ctx, path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	text := footer.KeyValueMetadata().FindValue(checksumKey)
	if text == nil {
		return 0, nil
	}
	values := make(map[string]int64) // of each leaf, in the first row group
	rows := int64(0)
	if len(footer.RowGroups) > 0 {
		err := fault.Guard(func() error {
			group := footer.RowGroup(0)
			rows = group.NumRows()
			for i := range min(group.NumColumns(), footer.Schema.NumColumns()) {
				chunk, err := group.ColumnChunk(i)
				if err != nil {
					return err
				}
				values[footer.Schema.ColumnRoot(i).Name()] = chunk.NumValues()
			}
			return nil
		})
		if err != nil {
			return 0, fault.InFile(path, err)
		}
	}
	var fields []Field
	for i := range footer.Schema.NumColumns() {
		_, _, list := pages.Repeated(footer.Schema.ColumnRoot(i))
		first, types := Int32, physicalTypes[:Float32List]
		if list {
			first, types = Float32List, physicalTypes[Float32List:]
		}
		field, physical := Field{Name: footer.Schema.ColumnRoot(i).Name()}, footer.Schema.Column(i).PhysicalType()
		at := slices.Index(types, physical)
		if at < 0 {
			return 0, &fault.Error{Path: path, Column: field.Name, Err: fmt.Errorf("the column is of the type %v, which no "+
				"table has", physical)}
		}
		field.Type = first + Type(at)
		if list {
			if field.Width = 1; rows > 0 {
				field.Width = int(values[field.Name] / rows)
			}
		}
		if field.Name == "" || list && field.Width < 1 {
			return 0, &fault.Error{Path: path, Err: errors.New("its schema or its footer is damaged")}
		}
		fields = append(fields, field)
	}
	return len(fields), Read(ctx, path, fields, func(int64, []any) error { return nil })
}
