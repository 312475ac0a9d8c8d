// This file reads the schema of Arrow IPC data, and describes its columns. Metadata are FlatBuffers: a place beyond the
// end of a buffer panics, which callers recover.

package arrowipc

import (
	"errors"
	"fmt"
	"strings"

	flatbuffers "github.com/google/flatbuffers/go"

	"anchorage/shard/fault"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/columns"
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
func parseSchema(t flatTable, version int16) *fileSchema {
	if t.int16(0) != 0 {
		fault.Throw(errors.New("the data are big-endian, which is not supported"))
	}
	s := &fileSchema{version: version}
	t.each(1, 4, func(at flatbuffers.UOffsetT) { s.fields = append(s.fields, s.field(t.tableAt(at), 0)) })
	return s
}

// field reads a Field table.
func (s *fileSchema) field(t flatTable, depth int) *schemaField {
	switch {
	case depth > maxDepth:
		fault.Throw(fmt.Errorf("the schema is nested more than %d deep", maxDepth))
	case s.count == maxFields:
		fault.Throw(fmt.Errorf("the schema has more than %d fields", maxFields))
	}
	f := &schemaField{ordinal: s.count, name: t.text(0), typ: t.uint8(2)}
	s.count++
	if f.typ == 0 || f.typ > lastType {
		fault.Throw(fmt.Errorf("column %.40q has a type that is not known", f.name))
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
	t.each(5, 4, func(at flatbuffers.UOffsetT) { f.children = append(f.children, s.field(t.tableAt(at), depth+1)) })
	return f
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

// topsOf describes the columns of a schema, and returns the leaves that they may be read from.
func topsOf(s *fileSchema, wanted roles.Names) (tops []columns.Top, leaves []*leaf) {
	for _, f := range s.fields {
		top := columns.Top{Field: roles.Field{Name: f.name, Type: f.typeName()}}
		read := func(l *leaf) *columns.Leaf {
			of := &columns.Leaf{Name: f.name, Index: len(leaves), Kind: l.value.kind(), Most: 1,
				Narrow:  l.value.typ == typeFloat && l.value.float == singlePrecision,
				Decimal: l.value.typ == typeDecimal, Scale: l.value.scale}
			if l.list != nil {
				of.Most, of.Element = 2, 1
			}
			leaves = append(leaves, l)
			return of
		}
		isList := f.typ == typeList || f.typ == typeLargeList || f.typ == typeFixedSizeList && f.fixed >= 0 ||
			f.typ == typeMap
		switch {
		case f.kind() != roles.Other:
			top.Shape, top.Kind, top.Items = roles.Value, f.kind(), read(&leaf{value: f})
		case !isList || f.dictionary || len(f.children) != 1:
		case f.children[0].kind() != roles.Other:
			top.Shape, top.Kind = roles.List, f.children[0].kind()
			top.Items = read(&leaf{list: f, value: f.children[0]})
		case f.children[0].typ == typeStruct && !f.children[0].dictionary:
			pair := f.children[0]
			var inner []roles.Field
			var parts []*columns.Leaf
			for _, child := range pair.children {
				inner = append(inner, roles.Field{Name: child.name, Shape: roles.Value, Kind: child.kind()})
				part := read(&leaf{f, pair, child})
				part.Part = child.name
				parts = append(parts, part)
			}
			if f.typ == typeMap && len(inner) == 2 {
				inner[0].Name = "key" // whatever the writer called it
			}
			top.SetPairs(inner, parts, wanted)
		}
		tops = append(tops, top)
	}
	return tops, leaves
}

// typeNames are the names of the types by their numbers in the union Type.
var typeNames = [...]string{1: "null", "int", "float", "binary", "utf8", "bool", "decimal", "date", "time", "timestamp",
	"interval", "list", "struct", "union", "fixed_size_binary", "fixed_size_list", "map", "duration",
	"large_binary", "large_utf8",
	"large_list", "run_end_encoded", "binary_view", "utf8_view", "list_view", "large_list_view"}

// typeName describes the type of a field, with its parts in angle brackets.
func (f *schemaField) typeName() string {
	name := typeNames[f.typ]
	switch {
	case f.typ == typeInt && f.signed:
		name = fmt.Sprintf("int%d", f.bits)
	case f.typ == typeInt:
		name = fmt.Sprintf("uint%d", f.bits)
	case f.typ == typeDecimal:
		name = fmt.Sprintf("decimal%d with %d digits after the point", f.bits, f.scale)
	case f.typ == typeFloat:
		name = fmt.Sprintf("float%d", 16<<min(max(f.float, 0), 2))
	}
	var parts []string
	for _, child := range f.children {
		parts = append(parts, child.name+" "+child.typeName())
	}
	if len(parts) > 0 {
		name += "<" + strings.Join(parts, ", ") + ">"
	}
	if f.dictionary {
		name = fmt.Sprintf("dictionary of %s", name)
	}
	return name
}

// isView reports whether values are views.
func (f *schemaField) isView() bool { return f.typ == typeUtf8View || f.typ == typeBinaryView }

// flatTable is a table in a buffer.
type flatTable struct{ flatbuffers.Table }

// rootOf returns the table of a buffer.
func rootOf(data []byte) flatTable {
	return flatTable{flatbuffers.Table{Bytes: data, Pos: flatbuffers.GetUOffsetT(data)}}
}

// slot returns where a vtable has the offset of field i.
func slot(i int) flatbuffers.VOffsetT { return flatbuffers.VOffsetT(4 + 2*i) }

func (t *flatTable) uint8(i int) uint8 { return t.GetUint8Slot(slot(i), 0) }
func (t *flatTable) int16(i int) int16 { return t.GetInt16Slot(slot(i), 0) }
func (t *flatTable) int32(i int) int32 { return t.GetInt32Slot(slot(i), 0) }
func (t *flatTable) int64(i int) int64 { return t.GetInt64Slot(slot(i), 0) }

// table returns the table in a field; ok is false without one.
func (t *flatTable) table(i int) (inner flatTable, ok bool) {
	at := t.Offset(slot(i))
	if at == 0 {
		return inner, false
	}
	return t.tableAt(t.Pos + flatbuffers.UOffsetT(at)), true
}

// tableAt returns the table that the offset at a place leads to.
func (t *flatTable) tableAt(at flatbuffers.UOffsetT) flatTable {
	return flatTable{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at)}}
}

// each calls fn with the places of the elements of a vector, each of size bytes.
func (t *flatTable) each(i int, size flatbuffers.UOffsetT, fn func(at flatbuffers.UOffsetT)) {
	if at := flatbuffers.UOffsetT(t.Offset(slot(i))); at != 0 {
		first := t.Vector(at)
		for n := range t.VectorLen(at) {
			fn(first + flatbuffers.UOffsetT(n)*size)
		}
	}
}

// text returns the string in a field.
func (t *flatTable) text(i int) string {
	if at := t.Offset(slot(i)); at != 0 {
		return t.String(t.Pos + flatbuffers.UOffsetT(at))
	}
	return ""
}
