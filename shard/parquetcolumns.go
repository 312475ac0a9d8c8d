// This file describes the schema of a Parquet file to the choice of columns.

package shard

import (
	"strings"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// listColumn is a leaf that is read: a value per row, or a list of values.
type listColumn struct {
	name    string
	index   int // of the leaf
	leaf    *schema.Column
	kind    valueKind
	element int16 // definition level from which an element is there, though it may be null; 0 of a value per row
}

// parquetColumns are the leaves that are read of a file.
type parquetColumns struct {
	long                    bool
	document, items, counts *listColumn // document and counts are nil where there are none
}

// leaves are those of a field at the top of the schema: one, or the items and counts of pairs.
type leaves struct{ items, counts *listColumn }

// findColumns returns the columns of documents, items and counts.
func findColumns(s *schema.Schema, wanted columnNames) (found parquetColumns, err error) {
	fields, columns := parquetFields(s, wanted)
	choice, err := chooseColumns(fields, topNames(s), wanted)
	if err != nil {
		return found, err
	}
	found.long = choice.long
	found.items = columns[choice.items].items
	switch {
	case choice.inner:
		found.counts = columns[choice.items].counts
	case choice.counts >= 0:
		found.counts = columns[choice.counts].items
	}
	if choice.document >= 0 {
		found.document = columns[choice.document].items
	}
	return found, nil
}

// topNames returns the names at the top of a schema.
func topNames(s *schema.Schema) []string {
	var all []string
	for i := range s.Root().NumFields() {
		all = append(all, s.Root().Field(i).Name())
	}
	return all
}

// parquetFields returns what stands at the top level of a schema, and its leaves.
func parquetFields(s *schema.Schema, wanted columnNames) (fields []field, columns []leaves) {
	first := 0 // leaf of the field
	for i := range s.Root().NumFields() {
		node := s.Root().Field(i)
		n := countLeaves(node)
		var under []*listColumn
		for leaf := first; leaf < first+n; leaf++ {
			c := s.Column(leaf)
			under = append(under, &listColumn{name: node.Name(), index: leaf, leaf: c, kind: kindOf(c)})
		}
		first += n
		f, l := parquetField(node, under, wanted)
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

// parquetField describes a node at the top level, whose leaves are under it.
func parquetField(node schema.Node, under []*listColumn, wanted columnNames) (field, leaves) {
	f := field{name: node.Name()}
	element, pairs, ok := repeated(node)
	switch {
	case len(under) == 1 && under[0].leaf.MaxRepetitionLevel() == 0 && node.Type() == schema.Primitive:
		f.shape, f.kind = shapeValue, under[0].kind
		return f, leaves{items: under[0]}
	case !ok || len(under) == 0 || under[0].leaf.MaxRepetitionLevel() != 1:
		return f, leaves{}
	case pairs == nil:
		under[0].element = element
		f.shape, f.kind = shapeList, under[0].kind
		return f, leaves{items: under[0]}
	}
	if len(under) != pairs.NumFields() {
		return f, leaves{} // something is nested in the pairs
	}
	var inner []field
	for i, leaf := range under {
		leaf.element = element
		if leaf.leaf.MaxRepetitionLevel() != 1 {
			return f, leaves{}
		}
		inner = append(inner, field{name: pairs.Field(i).Name(), shape: shapeValue, kind: leaf.kind})
	}
	items, counts := choosePair(f.name, inner, wanted)
	if items < 0 {
		return f, leaves{}
	}
	f.shape, f.kind = shapePairs, inner[items].kind
	l := leaves{items: under[items]}
	if counts >= 0 {
		f.count, l.counts = inner[counts].kind, under[counts]
	}
	return f, l
}

// choosePair returns which of the fields of a struct, or of key and value of a map, is the item and which the count; -1
// for none. A dotted name in the options, "column.field", decides; then names, then types.
func choosePair(column string, inner []field, wanted columnNames) (items, counts int) {
	items, counts = -1, -1
	find := func(keep func(field) bool) int {
		found := -1
		for i, f := range inner {
			if keep(f) && i != items && i != counts {
				if found >= 0 {
					return -1
				}
				found = i
			}
		}
		return found
	}
	itemName, dottedItem := strings.CutPrefix(wanted.Items, column+".")
	countName, dottedCount := strings.CutPrefix(wanted.Counts, column+".")
	if dottedCount {
		counts = find(func(f field) bool { return f.name == countName && f.kind.isNumber() })
	}
	for _, keep := range []func(field) bool{
		func(f field) bool { return dottedItem && f.name == itemName },
		func(f field) bool { return !dottedItem && f.name == "key" },
		func(f field) bool { return !dottedItem && itemNames[foldName(f.name)] },
		func(f field) bool { return !dottedItem && f.kind == kindBytes },
	} {
		if items < 0 {
			items = find(func(f field) bool { return f.kind.isID() && keep(f) })
		}
	}
	if items < 0 || counts >= 0 {
		return items, counts
	}
	for _, keep := range []func(field) bool{
		func(f field) bool { return countNames[foldName(f.name)] },
		func(f field) bool { return len(inner) == 2 && f.kind != kindFloat },
	} {
		if counts < 0 {
			counts = find(func(f field) bool { return f.kind.isNumber() && keep(f) })
		}
	}
	return items, counts
}

// repeated follows the only children from a node down to a repeated one and to its elements. element is the definition
// level from which an element is there; pairs is the group that an element is, nil where it is a single value. ok is
// false where the node is no list.
func repeated(node schema.Node) (element int16, pairs *schema.GroupNode, ok bool) {
	defined := int16(0)
	for depth := 0; depth < 4; depth++ {
		switch node.RepetitionType() {
		case parquet.Repetitions.Repeated:
			defined++
			element = defined
		case parquet.Repetitions.Optional:
			defined++
		}
		group, isGroup := node.(*schema.GroupNode)
		if !isGroup {
			return element, nil, element > 0
		}
		if group.NumFields() != 1 {
			return element, group, element > 0 && group.NumFields() > 1
		}
		node = group.Field(0)
	}
	return 0, nil, false
}

// kindOf returns what the values of a column are.
func kindOf(leaf *schema.Column) valueKind {
	integer, isInt := leaf.LogicalType().(*schema.IntLogicalType)
	if isInt || isPlain(leaf.LogicalType()) {
		switch leaf.PhysicalType() {
		case parquet.Types.Int32, parquet.Types.Int64:
			if isInt && !integer.IsSigned() {
				return kindUint
			}
			return kindInt
		case parquet.Types.Float, parquet.Types.Double:
			return kindFloat
		}
	}
	if leaf.PhysicalType() == parquet.Types.ByteArray {
		switch leaf.LogicalType().(type) {
		case schema.StringLogicalType, schema.EnumLogicalType:
			return kindBytes
		}
		if isPlain(leaf.LogicalType()) {
			return kindBytes
		}
	}
	return kindOther
}

// isPlain reports whether a column says nothing about its values beyond their physical type.
func isPlain(logical schema.LogicalType) bool {
	switch logical.(type) {
	case nil, schema.NoLogicalType, schema.UnknownLogicalType:
		return true
	}
	return false
}
