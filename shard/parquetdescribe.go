// This file describes Parquet files.

package shard

import (
	"context"
	"strings"

	"github.com/apache/arrow/go/v17/parquet/schema"
)

// describeParquet describes a Parquet file by its footer.
func describeParquet(ctx context.Context, in input) (d description, err error) {
	d.Rows = -1
	file, footer, err := openFooter(ctx, in.object)
	if err != nil {
		return d, err
	}
	defer file.Close()
	d.Rows, d.Groups, d.Writer = footer.NumRows, len(footer.RowGroups), footer.GetCreatedBy()
	root := footer.Schema.Root()
	for i := range root.NumFields() {
		d.Columns = append(d.Columns, columnInfo{root.Field(i).Name(), parquetTypeName(root.Field(i))})
	}
	found, err := findColumns(footer.Schema, in.Columns)
	if err != nil {
		return d, err
	}
	pairs := found.counts != nil && found.counts.name == found.items.name && !found.long
	d.say(found.long, found.document.fullName(false), found.items.fullName(pairs), found.counts.fullName(pairs))
	return d, nil
}

// parquetTypeName describes the type of a column, with its parts in angle brackets.
func parquetTypeName(node schema.Node) string {
	name := strings.ToLower(node.RepetitionType().String()) + " "
	if name == "required " {
		name = ""
	}
	if group, ok := node.(*schema.GroupNode); ok {
		var parts []string
		for i := range group.NumFields() {
			parts = append(parts, group.Field(i).Name()+" "+parquetTypeName(group.Field(i)))
		}
		if logical := group.LogicalType(); !isPlain(logical) {
			name += strings.ToLower(logical.String()) + " "
		}
		return name + "<" + strings.Join(parts, ", ") + ">"
	}
	primitive := node.(*schema.PrimitiveNode)
	name += strings.ToLower(primitive.PhysicalType().String())
	if logical := node.LogicalType(); !isPlain(logical) {
		name += " (" + strings.ToLower(logical.String()) + ")"
	}
	return name
}

// fullName returns the column's name, "" of none, with that of the field within pairs.
func (c *listColumn) fullName(pairs bool) string {
	switch {
	case c == nil:
		return ""
	case pairs:
		return c.name + "." + c.leaf.Name()
	}
	return c.name
}
