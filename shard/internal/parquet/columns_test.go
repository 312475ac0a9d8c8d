package parquet

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"

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
			tops := topsOf(schemaOf(number("before", reps.Required), test.node, number("after",
				reps.Required)), roles.Names{})
			test.want.Name, test.want.Type = "x", typeName(test.node)
			if len(tops) != 3 || tops[1].Field != test.want {
				t.Fatalf("%+v, want %+v", tops, test.want)
			}
			if tops[2].Items == nil || tops[2].Items.Name != "after" {
				t.Errorf("the column after it is %+v", tops[2].Items)
			}
			if (tops[1].Counts != nil) != (test.want.Count != roles.Other) ||
				(tops[1].Items != nil) != (test.want.Shape != roles.OtherShape) {
				t.Errorf("the leaves are %+v", tops[1])
			}
		})
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
