// This file describes the schema of a Parquet file to the choice of columns.

package parquet

import (
	"strings"

	"github.com/apache/arrow/go/v17/parquet/schema"

	"anchorage/shard/internal/columns"
	"anchorage/shard/internal/pages"
	"anchorage/shard/internal/roles"
)

// topsOf returns what is at the top level of a schema.
func topsOf(s *schema.Schema, wanted roles.Names) (tops []columns.Top) {
	first := 0 // leaf of the field
	for i := range s.Root().NumFields() {
		node := s.Root().Field(i)
		n := countLeaves(node)
		var under []*columns.Leaf
		nested := int16(0)
		for leaf := first; leaf < first+n; leaf++ {
			under = append(under, pages.LeafOf(s, node.Name(), leaf))
			nested = max(nested, s.Column(leaf).MaxRepetitionLevel())
		}
		first += n
		tops = append(tops, topOf(node, under, nested, wanted))
	}
	return tops
}

func countLeaves(node schema.Node) int {
	group, ok := node.(*schema.GroupNode)
	if !ok {
		return 1
	}
	n := 0
	for i := range group.NumFields() {
		n += countLeaves(group.Field(i))
	}
	return n
}

// topOf describes a node at the top level, whose leaves are under it, in nested lists at most.
func topOf(node schema.Node, under []*columns.Leaf, nested int16, wanted roles.Names) columns.Top {
	top := columns.Top{Field: roles.Field{Name: node.Name(), Type: typeName(node)}}
	element, pairs, ok := pages.Repeated(node)
	switch {
	case len(under) == 1 && nested == 0 && node.Type() == schema.Primitive:
		top.Shape, top.Kind, top.Items = roles.Value, under[0].Kind, under[0]
		return top
	case !ok || len(under) == 0 || nested != 1:
		return top
	case pairs == nil:
		under[0].Element = element
		top.Shape, top.Kind, top.Items = roles.List, under[0].Kind, under[0]
		return top
	}
	if len(under) != pairs.NumFields() {
		return top // something is nested in the pairs
	}
	var inner []roles.Field
	for i, leaf := range under {
		leaf.Element, leaf.Part = element, pairs.Field(i).Name()
		inner = append(inner, roles.Field{Name: leaf.Part, Shape: roles.Value, Kind: leaf.Kind})
	}
	top.SetPairs(inner, under, wanted)
	return top
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
