package parquet

import (
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"anchorage/shard/fault"
	"anchorage/shard/internal/pages"
	"anchorage/shard/internal/roles"
)

var reps = parquet.Repetitions

// leaf returns a value; group and list return what holds others.
func leaf(name string, rep parquet.Repetition, physical parquet.Type, logical schema.LogicalType) schema.Node {
	return schema.MustPrimitive(schema.NewPrimitiveNodeLogical(name, rep, logical, physical, -1, -1))
}

func text(name string, rep parquet.Repetition) schema.Node {
	return leaf(name, rep, parquet.Types.ByteArray, schema.StringLogicalType{})
}

func number(name string, rep parquet.Repetition) schema.Node {
	return leaf(name, rep, parquet.Types.Int32, schema.NoLogicalType{})
}

func group(name string, rep parquet.Repetition, fields ...schema.Node) schema.Node {
	return schema.MustGroup(schema.NewGroupNode(name, rep, fields, -1))
}

func list(name string, element schema.Node) schema.Node {
	return group(name, reps.Optional, group("list", reps.Repeated, element))
}

func schemaOf(fields ...schema.Node) *schema.Schema {
	return schema.NewSchema(schema.MustGroup(schema.NewGroupNode("schema", reps.Required, fields, -1)))
}

// TestFieldsOf checks shape and kind of columns in every nesting.
func TestFieldsOf(t *testing.T) {
	for name, test := range map[string]struct {
		node schema.Node
		want roles.Field
	}{
		"string": {text("x", reps.Optional), roles.Field{Shape: roles.Value, Kind: roles.Bytes}},
		"binary": {leaf("x", reps.Required, parquet.Types.ByteArray, schema.NoLogicalType{}),
			roles.Field{Shape: roles.Value, Kind: roles.Bytes}},
		"json": {leaf("x", reps.Required, parquet.Types.ByteArray, schema.JSONLogicalType{}),
			roles.Field{Shape: roles.Value, Kind: roles.Other}},
		"unsigned": {leaf("x", reps.Required, parquet.Types.Int64, schema.NewIntLogicalType(64, false)),
			roles.Field{Shape: roles.Value, Kind: roles.Uint}},
		"date": {leaf("x", reps.Required, parquet.Types.Int32, schema.DateLogicalType{}),
			roles.Field{Shape: roles.Value, Kind: roles.Time}},
		"double": {leaf("x", reps.Required, parquet.Types.Double, schema.NoLogicalType{}),
			roles.Field{Shape: roles.Value, Kind: roles.Float}},
		"boolean": {leaf("x", reps.Required, parquet.Types.Boolean, schema.NoLogicalType{}),
			roles.Field{Shape: roles.Value, Kind: roles.Other}},
		"list": {list("x", text("element", reps.Required)), roles.Field{Shape: roles.List, Kind: roles.Bytes}},
		"list of two": {group("x", reps.Optional, number("array", reps.Repeated)), roles.Field{Shape: roles.List,
			Kind: roles.Int}},
		"repeated":      {number("x", reps.Repeated), roles.Field{Shape: roles.List, Kind: roles.Int}},
		"list of lists": {list("x", list("element", text("element", reps.Required))), roles.Field{}},
		"map": {group("x", reps.Optional, group("key_value", reps.Repeated, text("key", reps.Required),
			number("value", reps.Optional))), roles.Field{Shape: roles.Pairs, Kind: roles.Bytes, Count: roles.Int}},
		"structs": {list("x", group("element", reps.Required, number("qty", reps.Required), text("sku",
			reps.Required), text("note", reps.Optional))), roles.Field{Shape: roles.Pairs, Kind: roles.Bytes, Count: roles.Int}},
		"structs of nested": {list("x", group("element", reps.Required, text("sku", reps.Required), group("more",
			reps.Required, number("a", reps.Required), number("b", reps.Required)))), roles.Field{}},
		"struct": {group("x", reps.Required, text("a", reps.Required), text("b", reps.Required)), roles.Field{}},
		"no item in pairs": {list("x", group("element", reps.Required, text("a", reps.Required), text("b", reps.Required))),
			roles.Field{}},
	} {
		t.Run(name, func(t *testing.T) {
			fields, columns := fieldsOf(schemaOf(number("before", reps.Required), test.node, number("after",
				reps.Required)), roles.Names{})
			test.want.Name, test.want.Type = "x", typeName(test.node)
			if len(fields) != 3 || fields[1] != test.want {
				t.Fatalf("%+v, want %+v", fields, test.want)
			}
			if columns[2].Items == nil || columns[2].Items.Name != "after" || columns[2].Items.Leaf.Name() != "after" {
				t.Errorf("the column after it is %+v", columns[2].Items)
			}
			if (columns[1].Counts != nil) != (test.want.Count != roles.Other) ||
				(columns[1].Items != nil) != (test.want.Shape != roles.OtherShape) {
				t.Errorf("the leaves are %+v", columns[1])
			}
		})
	}
}

// TestFindColumns finds the leaves of documents, items and counts.
func TestFindColumns(t *testing.T) {
	for name, test := range map[string]struct {
		schema *schema.Schema
		wanted roles.Names
		want   []string // paths of document, items and counts
		long   bool
	}{
		"lists": {schemaOf(text("doc_id", reps.Required), list("items", text("element", reps.Required)), list("counts",
			number("element", reps.Required))), roles.Names{},
			[]string{"doc_id", "items.list.element", "counts.list.element"}, false},
		"map": {schemaOf(group("bag", reps.Optional, group("key_value", reps.Repeated, text("key", reps.Required),
			number("value", reps.Optional)))), roles.Names{},
			[]string{"", "bag.key_value.key", "bag.key_value.value"}, false},
		"map, no counts": {schemaOf(group("bag", reps.Optional, group("key_value", reps.Repeated, text("key", reps.Required),
			number("value", reps.Optional)))), roles.Names{Counts: roles.NoCounts},
			[]string{"", "bag.key_value.key", ""}, false},
		"long": {schemaOf(number("order_id", reps.Required), text("sku", reps.Required), number("qty", reps.Optional)),
			roles.Names{}, []string{"order_id", "sku", "qty"}, true},
	} {
		found, err := findColumns(test.schema, test.wanted)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got []string
		for _, l := range []*pages.Leaf{found.document, found.items, found.counts} {
			path := ""
			if l != nil {
				path = l.Leaf.Path()
			}
			got = append(got, path)
		}
		if !slices.Equal(got, test.want) || found.long != test.long {
			t.Errorf("%s: %q, long %v", name, got, found.long)
		}
	}
	if _, err := findColumns(schemaOf(number("a", reps.Required)),
		roles.Names{}); fault.ReasonOf(err) != fault.ItemsMissing {
		t.Errorf("no items: %v", err)
	}
}

// TestTypeName describes types with their parts.
func TestTypeName(t *testing.T) {
	for want, node := range map[string]schema.Node{
		"int32":                        number("x", reps.Required),
		"optional byte_array (string)": text("x", reps.Optional),
		"optional <list repeated <e int32>>": group("x", reps.Optional, group("list", reps.Repeated, number("e",
			reps.Required))),
	} {
		if got := typeName(node); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestBegins(t *testing.T) {
	for head, want := range map[string]bool{"PAR1": true, "PAR1xxxx": true, "PAR": false, "": false, "xPAR1": false,
		"PARE": false} {
		if got := Begins([]byte(head), 100); (got != "") != want || want && !strings.Contains(got, "PAR1") {
			t.Errorf("%q: %q", head, got)
		}
	}
}
