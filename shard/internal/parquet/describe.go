// This file describes Parquet files.

package parquet

import (
	"context"
	"strings"

	"github.com/apache/arrow/go/v17/parquet/schema"

	"anchorage/shard/internal/pages"
	"anchorage/shard/internal/reading"
)

// Describe describes a Parquet file by its footer.
func Describe(ctx context.Context, in reading.Shard) (d reading.Description, err error) {
	d.Rows = -1
	file, footer, err := pages.OpenFooter(ctx, in.Object)
	if err != nil {
		return d, err
	}
	defer file.Close()
	d.Rows, d.Groups, d.Writer = footer.NumRows, len(footer.RowGroups), footer.GetCreatedBy()
	root := footer.Schema.Root()
	for i := range root.NumFields() {
		d.Columns = append(d.Columns, reading.Column{Name: root.Field(i).Name(), Type: typeName(root.Field(i))})
	}
	found, err := findColumns(footer.Schema, in.Columns)
	if err != nil {
		return d, err
	}
	pairs := found.counts != nil && found.counts.Name == found.items.Name && !found.long
	d.Mapping = reading.Mapping{Long: found.long, Documents: found.document.FullName(false),
		Items:  found.items.FullName(pairs),
		Counts: found.counts.FullName(pairs)}
	return d, nil
}

// typeName describes the type of a column, with its parts in angle brackets.
func typeName(node schema.Node) string {
	name := strings.ToLower(node.RepetitionType().String()) + " "
	if name == "required " {
		name = ""
	}
	if group, ok := node.(*schema.GroupNode); ok {
		var parts []string
		for i := range group.NumFields() {
			parts = append(parts, group.Field(i).Name()+" "+typeName(group.Field(i)))
		}
		if logical := group.LogicalType(); !pages.IsPlain(logical) {
			name += strings.ToLower(logical.String()) + " "
		}
		return name + "<" + strings.Join(parts, ", ") + ">"
	}
	primitive := node.(*schema.PrimitiveNode)
	name += strings.ToLower(primitive.PhysicalType().String())
	if logical := node.LogicalType(); !pages.IsPlain(logical) {
		name += " (" + strings.ToLower(logical.String()) + ")"
	}
	return name
}
