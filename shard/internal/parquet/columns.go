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

// leaves are those of a field at the top of the schema: one, or the items and counts of pairs.
type leaves struct{ items, counts *pages.Leaf }

// findColumns returns the columns of documents, items and counts.
func findColumns(s *schema.Schema, wanted roles.Names) (found documentColumns, err error) {
	fields, columns := fieldsOf(s, wanted)
	choice, err := roles.Choose(fields, pages.TopNames(s), wanted)
	if err != nil {
		return found, err
	}
	found.long = choice.Long
	found.items = columns[choice.Items].items
	switch {
	case choice.Inner:
		found.counts = columns[choice.Items].counts
	case choice.Counts >= 0:
		found.counts = columns[choice.Counts].items
	}
	if choice.Document >= 0 {
		found.document = columns[choice.Document].items
	}
	return found, nil
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
		return f, leaves{items: under[0]}
	case !ok || len(under) == 0 || under[0].Leaf.MaxRepetitionLevel() != 1:
		return f, leaves{}
	case pairs == nil:
		under[0].Element = element
		f.Shape, f.Kind = roles.List, under[0].Kind
		return f, leaves{items: under[0]}
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
	items, counts := roles.ChoosePair(f.Name, inner, wanted)
	if items < 0 {
		return f, leaves{}
	}
	f.Shape, f.Kind, f.Unfit = roles.Pairs, inner[items].Kind, roles.UnfitCount(inner, items, counts)
	l := leaves{items: under[items]}
	if counts >= 0 {
		f.Count, l.counts = inner[counts].Kind, under[counts]
	}
	return f, l
}
