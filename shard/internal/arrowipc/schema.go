// This file reads the schema of Arrow IPC data and finds the columns of documents, items and counts in it.

package arrowipc

import (
	"errors"
	"fmt"

	flatbuffers "github.com/google/flatbuffers/go"

	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/roles"
)

// The types of Arrow's schema, by their numbers in the union Type.
const (
	typeNull          = 1
	typeInt           = 2
	typeFloat         = 3
	typeBinary        = 4
	typeUtf8          = 5
	typeDecimal       = 7
	typeList          = 12
	typeStruct        = 13
	typeUnion         = 14
	typeFixedSizeList = 16
	typeMap           = 17
	typeLargeBinary   = 19
	typeLargeUtf8     = 20
	typeLargeList     = 21
	typeRunEndEncoded = 22
	typeBinaryView    = 23
	typeUtf8View      = 24
	typeListView      = 25
	typeLargeListView = 26
	lastType          = 26
	maxFields         = 1 << 17
	maxDepth          = 64
	maxMetadata       = 128 << 20
	denseUnion        = 1
	singlePrecision   = 1
	doublePrecision   = 2
)

// schemaField is a column or a part of one.
type schemaField struct {
	ordinal  int // in the order of the schema, children after their parents
	name     string
	typ      uint8
	bits     int  // of integers, or of the indices into a dictionary
	signed   bool // integers
	float    int16
	scale    int // of decimals
	fixed    int // length of a fixed-size list
	dense    bool
	children []*schemaField

	dictionary bool // values are indices into the dictionary with this id
	id         int64
	indexBits  int
	indexSign  bool
}

// fileSchema is a schema and the choice of columns.
type fileSchema struct {
	fields  []*schemaField
	count   int // of fields at all levels
	version int16
}

// parseSchema reads a Schema table.
func parseSchema(t flatTable, version int16) (*fileSchema, error) {
	if t.int16(0) != 0 {
		return nil, errors.New("the data are big-endian, which is not supported")
	}
	s := &fileSchema{version: version}
	err := t.each(1, 4, func(at flatbuffers.UOffsetT) error {
		f, err := s.field(t.tableAt(at), 0)
		s.fields = append(s.fields, f)
		return err
	})
	return s, err
}

// field reads a Field table.
func (s *fileSchema) field(t flatTable, depth int) (*schemaField, error) {
	switch {
	case depth > maxDepth:
		return nil, fmt.Errorf("the schema is nested more than %d deep", maxDepth)
	case s.count == maxFields:
		return nil, fmt.Errorf("the schema has more than %d fields", maxFields)
	}
	f := &schemaField{ordinal: s.count, name: t.text(0), typ: t.uint8(2)}
	s.count++
	if f.typ == 0 || f.typ > lastType {
		return nil, fmt.Errorf("column %.40q has a type that is not known", f.name)
	}
	typ, _ := t.table(3)
	switch f.typ {
	case typeInt:
		f.bits, f.signed = int(typ.int32(0)), typ.uint8(1) != 0
	case typeFloat:
		f.float = typ.int16(0)
	case typeDecimal:
		f.scale, f.bits = int(typ.int32(1)), 128
		if bits := typ.int32(2); bits != 0 { // 128 is the default of the format
			f.bits = int(bits)
		}
	case typeFixedSizeList:
		f.fixed = int(typ.int32(0))
	case typeUnion:
		f.dense = typ.int16(0) == denseUnion
	}
	if dictionary, ok := t.table(4); ok {
		f.dictionary, f.id = true, dictionary.int64(0)
		f.indexBits, f.indexSign = 32, true
		if index, ok := dictionary.table(1); ok {
			f.indexBits, f.indexSign = int(index.int32(0)), index.uint8(1) != 0
		}
	}
	err := t.each(5, 4, func(at flatbuffers.UOffsetT) error {
		child, err := s.field(t.tableAt(at), depth+1)
		f.children = append(f.children, child)
		return err
	})
	return f, err
}

// kind returns what the values of a field are.
func (f *schemaField) kind() roles.Kind {
	if f.dictionary && !isWidth(f.indexBits) {
		return roles.Other
	}
	switch f.typ {
	case typeUtf8, typeLargeUtf8, typeBinary, typeLargeBinary, typeUtf8View, typeBinaryView:
		return roles.Bytes
	case typeInt:
		switch {
		case !isWidth(f.bits):
			return roles.Other
		case f.signed:
			return roles.Int
		}
		return roles.Uint
	case typeDecimal:
		switch {
		case f.dictionary, f.scale < 0, f.scale > bag.MaxScale, f.bits != 32 && f.bits != 64 &&
			f.bits != 128 && f.bits != 256:
			return roles.Other
		case f.scale == 0:
			return roles.WholeDecimal
		}
		return roles.Decimal
	case typeFloat:
		if !f.dictionary && (f.float == singlePrecision || f.float == doublePrecision) {
			return roles.Float
		}
	}
	return roles.Other
}

func isWidth(bits int) bool { return bits == 8 || bits == 16 || bits == 32 || bits == 64 }

// columnFields is a column that is read: lists, or values where list is nil.
type columnFields struct {
	name  string
	list  *schemaField // the list; nil of a column with one value per row
	pair  *schemaField // the struct that an element is; nil where an element is a value
	value *schemaField
}

// chosenColumns are the columns that are read. Document and counts are nil where there are none; inner says that the
// counts are in the list of the items.
type chosenColumns struct {
	long, inner             bool
	document, items, counts *columnFields
}

// findColumns returns the columns of documents, items and counts.
func findColumns(s *fileSchema, wanted roles.Names) (found chosenColumns, err error) {
	var fields []roles.Field
	var all []string
	var leaves []roles.Leaves[columnFields]
	for _, top := range s.fields {
		f, items, counts := fieldOf(top, wanted)
		fields, all = append(fields, f), append(all, top.name)
		leaves = append(leaves, roles.Leaves[columnFields]{Items: items, Counts: counts})
	}
	choice, document, items, counts, err := roles.Assign(fields, leaves, all, wanted)
	return chosenColumns{choice.Long, choice.Inner, document, items, counts}, err
}

// fieldOf describes a column to the choice, and returns its items and the counts beside them.
func fieldOf(top *schemaField, wanted roles.Names) (f roles.Field, items, counts *columnFields) {
	f = roles.Field{Name: top.name, Type: top.typeName()}
	if kind := top.kind(); kind != roles.Other {
		f.Shape, f.Kind = roles.Value, kind
		return f, &columnFields{name: top.name, value: top}, nil
	}
	isList := top.typ == typeList || top.typ == typeLargeList || top.typ == typeFixedSizeList && top.fixed >= 0 ||
		top.typ == typeMap
	if !isList || top.dictionary || len(top.children) != 1 {
		return f, nil, nil
	}
	element := top.children[0]
	if kind := element.kind(); kind != roles.Other {
		f.Shape, f.Kind = roles.List, kind
		return f, &columnFields{name: top.name, list: top, value: element}, nil
	}
	if element.typ != typeStruct || element.dictionary {
		return f, nil, nil
	}
	var inner []roles.Field
	for _, child := range element.children {
		inner = append(inner, roles.Field{Name: child.name, Shape: roles.Value, Kind: child.kind()})
	}
	if top.typ == typeMap && len(inner) == 2 {
		inner[0].Name = "key" // whatever the writer called it
	}
	item, count := f.SetPairs(inner, wanted)
	if item < 0 {
		return f, nil, nil
	}
	items = &columnFields{name: top.name, list: top, pair: element, value: element.children[item]}
	if count >= 0 {
		counts = &columnFields{name: top.name, list: top, pair: element, value: element.children[count]}
	}
	return f, items, counts
}
