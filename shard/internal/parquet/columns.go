// This file describes the schema of a Parquet file to the choice of columns.

package parquet

import (
	"github.com/apache/arrow/go/v17/parquet/schema"

	"anchorage/shard/internal/pages"
	"anchorage/shard/internal/roles"
)

// documentColumns are the leaves that are read of a file.
type documentColumns struct {
	long                    bool
	document, items, counts *pages.Leaf // document and counts are nil where there are none
}

// leaves are those of a field at the top of the schema.
type leaves = roles.Leaves[pages.Leaf]

// findColumns returns the columns of documents, items and counts.
func findColumns(s *schema.Schema, wanted roles.Names) (found documentColumns, err error) {
	fields, columns := fieldsOf(s, wanted)
	choice, document, items, counts, err := roles.Assign(fields, columns, pages.TopNames(s), wanted)
	return documentColumns{choice.Long, document, items, counts}, err
}

// fieldsOf returns what is at the top level of a schema, and its leaves.
func fieldsOf(s *schema.Schema, wanted roles.Names) (fields []roles.Field, columns []leaves) {
	first := 0 // leaf of the field
	for i := range s.Root().NumFields() {
		node := s.Root().Field(i)
		n := countLeaves(node)
		var under []*pages.Leaf
		for leaf := first; leaf < first+n; leaf++ {
			c := s.Column(leaf)
			under = append(under, &pages.Leaf{Name: node.Name(), Index: leaf, Leaf: c, Kind: pages.KindOf(c)})
		}
		first += n
		f, l := fieldOf(node, under, wanted)
		fields, columns = append(fields, f), append(columns, l)
	}
	return fields, columns
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

// fieldOf describes a node at the top level, whose leaves are under it.
func fieldOf(node schema.Node, under []*pages.Leaf, wanted roles.Names) (roles.Field, leaves) {
	f := roles.Field{Name: node.Name(), Type: typeName(node)}
	element, pairs, ok := pages.Repeated(node)
	switch {
	case len(under) == 1 && under[0].Leaf.MaxRepetitionLevel() == 0 && node.Type() == schema.Primitive:
		f.Shape, f.Kind = roles.Value, under[0].Kind
		return f, leaves{Items: under[0]}
	case !ok || len(under) == 0 || under[0].Leaf.MaxRepetitionLevel() != 1:
		return f, leaves{}
	case pairs == nil:
		under[0].Element = element
		f.Shape, f.Kind = roles.List, under[0].Kind
		return f, leaves{Items: under[0]}
	}
	if len(under) != pairs.NumFields() {
		return f, leaves{} // something is nested in the pairs
	}
	var inner []roles.Field
	for i, leaf := range under {
		leaf.Element = element
		if leaf.Leaf.MaxRepetitionLevel() != 1 {
			return f, leaves{}
		}
		inner = append(inner, roles.Field{Name: pairs.Field(i).Name(), Shape: roles.Value, Kind: leaf.Kind})
	}
	items, counts := f.SetPairs(inner, wanted)
	if items < 0 {
		return f, leaves{}
	}
	l := leaves{Items: under[items]}
	if counts >= 0 {
		l.Counts = under[counts]
	}
	return f, l
}
