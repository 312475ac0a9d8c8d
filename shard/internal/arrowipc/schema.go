// This file reads the schema of Arrow IPC data and finds the columns of documents, items and counts in it.

package arrowipc

import (
	"errors"
	"fmt"

	"anchorage/shard/internal/roles"
)

// The types of Arrow's schema, by their numbers in the union Type.
const (
	arrowNull            = 1
	arrowInt             = 2
	arrowFloat           = 3
	arrowBinary          = 4
	arrowUtf8            = 5
	arrowList            = 12
	arrowStruct          = 13
	arrowUnion           = 14
	arrowFixedSizeList   = 16
	arrowMap             = 17
	arrowLargeBinary     = 19
	arrowLargeUtf8       = 20
	arrowLargeList       = 21
	arrowRunEndEncoded   = 22
	arrowBinaryView      = 23
	arrowUtf8View        = 24
	arrowListView        = 25
	arrowLargeListView   = 26
	arrowLastType        = 26
	maxFields            = 1 << 17
	maxDepth             = 64
	maxMetadata          = 128 << 20
	arrowDenseUnion      = 1
	arrowSinglePrecision = 1
	arrowDoublePrecision = 2
)

// arrowField is a column or a part of one.
type arrowField struct {
	ordinal  int // in the order of the schema, children after their parents
	name     string
	typ      uint8
	bits     int  // of integers, or of the indices into a dictionary
	signed   bool // integers
	float    int16
	fixed    int // length of a fixed-size list
	dense    bool
	children []*arrowField

	dictionary bool // values are indices into the dictionary with this id
	id         int64
	indexBits  int
	indexSign  bool
}

// ipcSchema is a schema and the choice of columns.
type ipcSchema struct {
	fields  []*arrowField
	count   int // of fields at all levels
	version int16
}

// parseSchema reads a Schema table.
func parseSchema(t flatTable, version int16) (*ipcSchema, error) {
	if t.int16(0) != 0 {
		return nil, errors.New("the data are big-endian, which is not supported")
	}
	s := &ipcSchema{version: version}
	first, n := t.vector(1, 4)
	for i := range n {
		f, err := s.field(t.buffer.table(first+4*i), 0)
		if err != nil {
			return nil, err
		}
		s.fields = append(s.fields, f)
	}
	if t.buffer.err != nil {
		return nil, t.buffer.err
	}
	return s, nil
}

// field reads a Field table.
func (s *ipcSchema) field(t flatTable, depth int) (*arrowField, error) {
	switch {
	case t.buffer.err != nil:
		return nil, t.buffer.err
	case depth > maxDepth:
		return nil, fmt.Errorf("the schema is nested more than %d deep", maxDepth)
	case s.count == maxFields:
		return nil, fmt.Errorf("the schema has more than %d fields", maxFields)
	}
	f := &arrowField{ordinal: s.count, name: t.text(0), typ: t.uint8(2)}
	s.count++
	if f.typ == 0 || f.typ > arrowLastType {
		return nil, fmt.Errorf("column %.40q has a type that is not known", f.name)
	}
	typ, _ := t.table(3)
	switch f.typ {
	case arrowInt:
		f.bits, f.signed = int(typ.int32(0)), typ.uint8(1) != 0
	case arrowFloat:
		f.float = typ.int16(0)
	case arrowFixedSizeList:
		f.fixed = int(typ.int32(0))
	case arrowUnion:
		f.dense = typ.int16(0) == arrowDenseUnion
	}
	if dictionary, ok := t.table(4); ok {
		f.dictionary, f.id = true, dictionary.int64(0)
		f.indexBits, f.indexSign = 32, true
		if index, ok := dictionary.table(1); ok {
			f.indexBits, f.indexSign = int(index.int32(0)), index.uint8(1) != 0
		}
	}
	first, n := t.vector(5, 4)
	for i := range n {
		child, err := s.field(t.buffer.table(first+4*i), depth+1)
		if err != nil {
			return nil, err
		}
		f.children = append(f.children, child)
	}
	return f, t.buffer.err
}

// kind returns what the values of a field are.
func (f *arrowField) kind() roles.Kind {
	if f.dictionary && !isWidth(f.indexBits) {
		return roles.Other
	}
	switch f.typ {
	case arrowUtf8, arrowLargeUtf8, arrowBinary, arrowLargeBinary, arrowUtf8View, arrowBinaryView:
		return roles.Bytes
	case arrowInt:
		switch {
		case !isWidth(f.bits):
			return roles.Other
		case f.signed:
			return roles.Int
		}
		return roles.Uint
	case arrowFloat:
		if !f.dictionary && (f.float == arrowSinglePrecision || f.float == arrowDoublePrecision) {
			return roles.Float
		}
	}
	return roles.Other
}

func isWidth(bits int) bool { return bits == 8 || bits == 16 || bits == 32 || bits == 64 }

// arrowColumn is a column that is read: lists, or values where list is nil.
type arrowColumn struct {
	name  string
	list  *arrowField // the list; nil of a column with one value per row
	pair  *arrowField // the struct that an element is; nil where an element is a value
	value *arrowField
}

// arrowColumns are the columns that are read. Document and counts are nil where there are none; inner says that the
// counts stand in the list of the items.
type arrowColumns struct {
	long, inner             bool
	document, items, counts *arrowColumn
}

// findColumns returns the columns of documents, items and counts.
func findColumns(s *ipcSchema, wanted roles.Names) (found arrowColumns, err error) {
	var fields []roles.Field
	var all []string
	var items, counts []*arrowColumn
	for _, top := range s.fields {
		f, item, count := fieldOf(top, wanted)
		fields, all = append(fields, f), append(all, top.name)
		items, counts = append(items, item), append(counts, count)
	}
	choice, err := roles.Choose(fields, all, wanted)
	if err != nil {
		return found, err
	}
	found = arrowColumns{long: choice.Long, inner: choice.Inner, items: items[choice.Items]}
	switch {
	case choice.Inner:
		found.counts = counts[choice.Items]
	case choice.Counts >= 0:
		found.counts = items[choice.Counts]
	}
	if choice.Document >= 0 {
		found.document = items[choice.Document]
	}
	return found, nil
}

// fieldOf describes a column to the choice, and returns its items and the counts beside them.
func fieldOf(top *arrowField, wanted roles.Names) (f roles.Field, items, counts *arrowColumn) {
	f = roles.Field{Name: top.name}
	if kind := top.kind(); kind != roles.Other {
		f.Shape, f.Kind = roles.Value, kind
		return f, &arrowColumn{name: top.name, value: top}, nil
	}
	isList := top.typ == arrowList || top.typ == arrowLargeList || top.typ == arrowFixedSizeList && top.fixed >= 0 || top.typ == arrowMap
	if !isList || top.dictionary || len(top.children) != 1 {
		return f, nil, nil
	}
	element := top.children[0]
	if kind := element.kind(); kind != roles.Other {
		f.Shape, f.Kind = roles.List, kind
		return f, &arrowColumn{name: top.name, list: top, value: element}, nil
	}
	if element.typ != arrowStruct || element.dictionary {
		return f, nil, nil
	}
	var inner []roles.Field
	for _, child := range element.children {
		inner = append(inner, roles.Field{Name: child.name, Shape: roles.Value, Kind: child.kind()})
	}
	if top.typ == arrowMap && len(inner) == 2 {
		inner[0].Name = "key" // whatever the writer called it
	}
	item, count := roles.ChoosePair(top.name, inner, wanted)
	if item < 0 {
		return f, nil, nil
	}
	f.Shape, f.Kind = roles.Pairs, inner[item].Kind
	items = &arrowColumn{name: top.name, list: top, pair: element, value: element.children[item]}
	if count >= 0 {
		f.Count = inner[count].Kind
		counts = &arrowColumn{name: top.name, list: top, pair: element, value: element.children[count]}
	}
	return f, items, counts
}
