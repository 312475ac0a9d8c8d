// This file describes Arrow files.

package arrowipc

import (
	"context"
	"fmt"
	"strings"

	"anchorage/shard/internal/reading"
)

// Describe describes an Arrow file by its schema and the index of its batches.
func Describe(ctx context.Context, in reading.Shard) (d reading.Description, err error) {
	d.Rows = -1
	file, err := in.Open(ctx)
	if err != nil {
		return d, err
	}
	defer file.Close()
	x := indexer{ctx: ctx, file: file, size: file.Size()}
	if err := x.read(); err != nil {
		return d, err
	}
	for _, f := range x.plan.schema.fields {
		d.Columns = append(d.Columns, reading.Column{Name: f.name, Type: f.typeName()})
	}
	d.Rows, d.Groups = x.row, len(x.plan.batches)
	found, err := findColumns(x.plan.schema, in.Columns)
	if err != nil {
		return d, err
	}
	d.Mapping = reading.Mapping{Long: found.long, Documents: found.document.fullName(), Items: found.items.fullName(),
		Counts: found.counts.fullName()}
	return d, nil
}

// fullName returns the column's name, "" of none, with that of the field within pairs.
func (c *columnFields) fullName() string {
	switch {
	case c == nil:
		return ""
	case c.pair != nil:
		return c.name + "." + c.value.name
	}
	return c.name
}

// typeNames are the names of the types by their numbers in the union Type.
var typeNames = [...]string{1: "null", "int", "float", "binary", "utf8", "bool", "decimal", "date", "time", "timestamp",
	"interval", "list", "struct", "union", "fixed_size_binary", "fixed_size_list", "map", "duration",
	"large_binary", "large_utf8",
	"large_list", "run_end_encoded", "binary_view", "utf8_view", "list_view", "large_list_view"}

// typeName describes the type of a field, with its parts in angle brackets.
func (f *schemaField) typeName() string {
	name := typeNames[f.typ]
	switch {
	case f.typ == typeInt && f.signed:
		name = fmt.Sprintf("int%d", f.bits)
	case f.typ == typeInt:
		name = fmt.Sprintf("uint%d", f.bits)
	case f.typ == typeDecimal:
		name = fmt.Sprintf("decimal%d with %d digits after the point", f.bits, f.scale)
	case f.typ == typeFloat:
		name = fmt.Sprintf("float%d", 16<<min(max(f.float, 0), 2))
	}
	var parts []string
	for _, child := range f.children {
		parts = append(parts, child.name+" "+child.typeName())
	}
	if len(parts) > 0 {
		name += "<" + strings.Join(parts, ", ") + ">"
	}
	if f.dictionary {
		name = fmt.Sprintf("dictionary of %s", name)
	}
	return name
}
