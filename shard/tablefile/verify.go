// This file reads all columns of a table that have a checksum.

package tablefile

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"anchorage/shard/fault"
	"anchorage/shard/internal/pages"
)

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
