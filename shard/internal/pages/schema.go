// This file says what the leaves of a Parquet schema hold.

package pages

import (
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/columns"
	"anchorage/shard/internal/roles"
)

// LeafOf describes leaf number index, of a column called name.
func LeafOf(s *schema.Schema, name string, index int) *columns.Leaf {
	c := s.Column(index)
	l := &columns.Leaf{Name: name, Index: index, Kind: KindOf(c), Most: c.MaxDefinitionLevel(),
		Narrow: c.PhysicalType() == parquet.Types.Int32 || c.PhysicalType() == parquet.Types.Float}
	l.Scale, l.Decimal = decimalOf(c)
	return l
}

// Repeated follows the only children from a node down to a repeated one and to its elements. element is the definition
// level from which an element is there; pairs is the group that an element is, nil where it is a single value. ok is
// false where the node is no list.
func Repeated(node schema.Node) (element int16, pairs *schema.GroupNode, ok bool) {
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

// decimalOf returns the number of digits after the point of a column of decimals that can be read.
func decimalOf(leaf *schema.Column) (scale int, ok bool) {
	decimal, is := leaf.LogicalType().(*schema.DecimalLogicalType)
	if !is || decimal.Scale() < 0 || decimal.Scale() > bag.MaxScale {
		return 0, false
	}
	switch leaf.PhysicalType() {
	case parquet.Types.Int32, parquet.Types.Int64, parquet.Types.ByteArray:
		return int(decimal.Scale()), true
	case parquet.Types.FixedLenByteArray:
		return int(decimal.Scale()), leaf.TypeLength() > 0 && leaf.TypeLength() <= bag.MaxDecimalBytes
	}
	return 0, false
}

// KindOf returns what the values of a column are.
func KindOf(leaf *schema.Column) roles.Kind {
	if scale, ok := decimalOf(leaf); ok && scale == 0 {
		return roles.WholeDecimal
	} else if ok {
		return roles.Decimal
	}
	if isUUID(leaf) {
		return roles.Bytes
	}
	integer, isInt := leaf.LogicalType().(*schema.IntLogicalType)
	if isInt || IsPlain(leaf.LogicalType()) {
		switch leaf.PhysicalType() {
		case parquet.Types.Int32, parquet.Types.Int64:
			if isInt && !integer.IsSigned() {
				return roles.Uint
			}
			return roles.Int
		case parquet.Types.Float, parquet.Types.Double:
			return roles.Float
		}
	}
	switch leaf.LogicalType().(type) {
	case schema.DateLogicalType, *schema.TimestampLogicalType, schema.TimestampLogicalType:
		if t := leaf.PhysicalType(); t == parquet.Types.Int32 || t == parquet.Types.Int64 {
			return roles.Time
		}
	}
	if leaf.PhysicalType() == parquet.Types.ByteArray {
		switch leaf.LogicalType().(type) {
		case schema.StringLogicalType, schema.EnumLogicalType:
			return roles.Bytes
		}
		if IsPlain(leaf.LogicalType()) {
			return roles.Bytes
		}
	}
	return roles.Other
}

// IsPlain reports whether a column says nothing about its values beyond their physical type.
func IsPlain(logical schema.LogicalType) bool {
	switch logical.(type) {
	case nil, schema.NoLogicalType, schema.UnknownLogicalType:
		return true
	}
	return false
}
