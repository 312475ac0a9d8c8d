// This file reads the schema of Arrow IPC data and finds the columns of documents, items and counts in it.

package shard

import (
	"errors"
	"fmt"
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
	maxArrowFields       = 1 << 17
	maxArrowDepth        = 64
	maxArrowMetadata     = 128 << 20
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

// parseArrowSchema reads a Schema table.
func parseArrowSchema(t flatTable, version int16) (*ipcSchema, error) {
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
	case depth > maxArrowDepth:
		return nil, fmt.Errorf("the schema is nested more than %d deep", maxArrowDepth)
	case s.count == maxArrowFields:
		return nil, fmt.Errorf("the schema has more than %d fields", maxArrowFields)
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
func (f *arrowField) kind() valueKind {
	if f.dictionary && !isWidth(f.indexBits) {
		return kindOther
	}
	switch f.typ {
	case arrowUtf8, arrowLargeUtf8, arrowBinary, arrowLargeBinary, arrowUtf8View, arrowBinaryView:
		return kindBytes
	case arrowInt:
		switch {
		case !isWidth(f.bits):
			return kindOther
		case f.signed:
			return kindInt
		}
		return kindUint
	case arrowFloat:
		if !f.dictionary && (f.float == arrowSinglePrecision || f.float == arrowDoublePrecision) {
			return kindFloat
		}
	}
	return kindOther
}

func isWidth(bits int) bool { return bits == 8 || bits == 16 || bits == 32 || bits == 64 }

// arrowList is a column that is read: lists, or values where list is nil.
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

// findArrowColumns returns the columns of documents, items and counts.
func findArrowColumns(s *ipcSchema, wanted columnNames) (found arrowColumns, err error) {
	var fields []field
	var all []string
	var items, counts []*arrowColumn
	for _, top := range s.fields {
		f, item, count := describeArrow(top, wanted)
		fields, all = append(fields, f), append(all, top.name)
		items, counts = append(items, item), append(counts, count)
	}
	choice, err := chooseColumns(fields, all, wanted)
	if err != nil {
		return found, err
	}
	found = arrowColumns{long: choice.long, inner: choice.inner, items: items[choice.items]}
	switch {
	case choice.inner:
		found.counts = counts[choice.items]
	case choice.counts >= 0:
		found.counts = items[choice.counts]
	}
	if choice.document >= 0 {
		found.document = items[choice.document]
	}
	return found, nil
}

// describeArrow describes a column to the choice, and returns its items and the counts beside them.
func describeArrow(top *arrowField, wanted columnNames) (f field, items, counts *arrowColumn) {
	f = field{name: top.name}
	if kind := top.kind(); kind != kindOther {
		f.shape, f.kind = shapeValue, kind
		return f, &arrowColumn{name: top.name, value: top}, nil
	}
	isList := top.typ == arrowList || top.typ == arrowLargeList || top.typ == arrowFixedSizeList && top.fixed >= 0 || top.typ == arrowMap
	if !isList || top.dictionary || len(top.children) != 1 {
		return f, nil, nil
	}
	element := top.children[0]
	if kind := element.kind(); kind != kindOther {
		f.shape, f.kind = shapeList, kind
		return f, &arrowColumn{name: top.name, list: top, value: element}, nil
	}
	if element.typ != arrowStruct || element.dictionary {
		return f, nil, nil
	}
	var inner []field
	for _, child := range element.children {
		inner = append(inner, field{name: child.name, shape: shapeValue, kind: child.kind()})
	}
	if top.typ == arrowMap && len(inner) == 2 {
		inner[0].name = "key" // whatever the writer called it
	}
	item, count := choosePair(top.name, inner, wanted)
	if item < 0 {
		return f, nil, nil
	}
	f.shape, f.kind = shapePairs, inner[item].kind
	items = &arrowColumn{name: top.name, list: top, pair: element, value: element.children[item]}
	if count >= 0 {
		f.count = inner[count].kind
		counts = &arrowColumn{name: top.name, list: top, pair: element, value: element.children[count]}
	}
	return f, items, counts
}
