// This file finds the columns of items and counts in the schema of a Parquet file.

package shard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// itemNames and countNames are the names, in lower case, by which columns are known. "item" and "items" are the same.
var (
	itemNames = nameSet("item", "item_id", "itemid", "word", "word_id", "wordid", "token", "token_id", "term", "term_id",
		"product", "product_id", "sku", "article", "basket", "document", "feature", "tag", "id", "track", "movie", "book")
	countNames = nameSet("count", "item_count", "word_count", "token_count", "term_count", "cnt", "quantity", "quantities",
		"qty", "frequency", "frequencies", "freq", "tf", "term_frequency", "amount", "weight", "n")
)

func nameSet(names ...string) map[string]bool {
	set := make(map[string]bool)
	for _, name := range names {
		set[name] = true
		set[name+"s"] = true
	}
	return set
}

// valueKind is what the elements of a list are.
type valueKind int

const (
	kindOther valueKind = iota
	kindBytes
	kindInt
	kindUint
	kindFloat
)

// listColumn is a list of primitive values at the top level of a schema.
type listColumn struct {
	name    string
	index   int // of the leaf
	leaf    *schema.Column
	kind    valueKind
	element int16 // definition level from which an element is there, though it may be null
}

// findColumns returns the columns of items and counts; counts is nil where there are none.
func findColumns(s *schema.Schema, opts Options) (items, counts *listColumn, err error) {
	lists := listColumns(s)
	items, err = chooseItems(s, lists, opts)
	if err != nil {
		return nil, nil, err
	}
	counts, err = chooseCounts(s, lists, items, opts)
	return items, counts, err
}

func chooseItems(s *schema.Schema, lists []*listColumn, opts Options) (*listColumn, error) {
	usable := filter(lists, func(c *listColumn) bool { return c.kind == kindBytes || c.kind == kindInt || c.kind == kindUint })
	usable = filter(usable, func(c *listColumn) bool { return c.name != opts.CountsColumn })
	if opts.ItemsColumn != "" {
		return named(s, usable, opts.ItemsColumn, "a list of strings or integers", "--items-column")
	}
	for _, choice := range [][]*listColumn{
		filter(usable, func(c *listColumn) bool { return itemNames[strings.ToLower(c.name)] }),
		filter(usable, func(c *listColumn) bool { return c.kind == kindBytes }),
		filter(usable, func(c *listColumn) bool { return !countNames[strings.ToLower(c.name)] }),
	} {
		switch {
		case len(choice) == 1:
			return choice[0], nil
		case len(choice) > 1:
			return nil, fmt.Errorf("the items may stand in %s: choose with --items-column", names(choice))
		}
	}
	return nil, fmt.Errorf("no column holds items, a list of strings or integers per row; the columns are %s", describe(s))
}

func chooseCounts(s *schema.Schema, lists []*listColumn, items *listColumn, opts Options) (*listColumn, error) {
	usable := filter(lists, func(c *listColumn) bool {
		return c != items && (c.kind == kindInt || c.kind == kindUint || c.kind == kindFloat)
	})
	switch opts.CountsColumn {
	case NoCounts:
		return nil, nil
	case "":
	default:
		return named(s, usable, opts.CountsColumn, "a list of numbers", "--counts-column")
	}
	known := filter(usable, func(c *listColumn) bool { return countNames[strings.ToLower(c.name)] })
	if len(known) == 1 {
		return known[0], nil
	}
	if len(known) > 1 {
		return nil, fmt.Errorf("the counts may stand in %s: choose with --counts-column, which takes %q for none",
			names(known), NoCounts)
	}
	for _, c := range lists {
		if c != items && !slices.Contains(usable, c) && countNames[strings.ToLower(c.name)] {
			return nil, fmt.Errorf("column %q looks like counts but is not a list of numbers: choose with --counts-column, which "+
				"takes %q for none", c.name, NoCounts)
		}
	}
	// A list of whole numbers beside the items could be counts under any name. Lists of floats more often are embeddings.
	unknown := filter(usable, func(c *listColumn) bool { return c.kind != kindFloat })
	if len(unknown) > 0 {
		return nil, fmt.Errorf("%s may be counts or not: say so with --counts-column, which takes %q for none",
			names(unknown), NoCounts)
	}
	return nil, nil
}

// named returns the one of the usable lists that has the name.
func named(s *schema.Schema, usable []*listColumn, name, want, flag string) (*listColumn, error) {
	found := filter(usable, func(c *listColumn) bool { return c.name == name })
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, fmt.Errorf("two columns are called %q", name)
	case s.Root().FieldIndexByName(name) >= 0:
		return nil, fmt.Errorf("column %q of %s is not %s", name, flag, want)
	}
	return nil, fmt.Errorf("there is no column %q of %s; the columns are %s", name, flag, describe(s))
}

func filter(lists []*listColumn, keep func(*listColumn) bool) []*listColumn {
	var kept []*listColumn
	for _, list := range lists {
		if keep(list) {
			kept = append(kept, list)
		}
	}
	return kept
}

func names(lists []*listColumn) string {
	var quoted []string
	for _, list := range lists {
		quoted = append(quoted, fmt.Sprintf("%q", list.name))
	}
	return strings.Join(quoted, ", ")
}

// describe lists the columns at the top of a schema, at most 20 of them.
func describe(s *schema.Schema) string {
	const most = 20
	var fields []string
	for i := range s.Root().NumFields() {
		if i == most {
			fields = append(fields, fmt.Sprintf("and %d more", s.Root().NumFields()-most))
			break
		}
		fields = append(fields, fmt.Sprintf("%q", s.Root().Field(i).Name()))
	}
	return strings.Join(fields, ", ")
}

// listColumns returns the lists at the top level of a schema: a group around a repeated value or around a repeated group
// of one value, or a repeated value itself.
func listColumns(s *schema.Schema) []*listColumn {
	var lists []*listColumn
	for i := range s.NumColumns() {
		leaf := s.Column(i)
		root := s.ColumnRoot(i)
		if leaf.MaxRepetitionLevel() != 1 {
			continue
		}
		if element, ok := elementLevel(root); ok {
			lists = append(lists, &listColumn{name: root.Name(), index: i, leaf: leaf, kind: kindOf(leaf), element: element})
		}
	}
	return lists
}

// elementLevel follows the only children from node down to a value and returns the definition level at which an element
// of the list is there. ok is false where node is no list.
func elementLevel(node schema.Node) (level int16, ok bool) {
	defined := int16(0)
	for depth := 0; depth < 3; depth++ {
		switch node.RepetitionType() {
		case parquet.Repetitions.Repeated:
			defined++
			level = defined
		case parquet.Repetitions.Optional:
			defined++
		}
		group, isGroup := node.(*schema.GroupNode)
		if !isGroup {
			return level, level > 0
		}
		if group.NumFields() != 1 {
			return 0, false
		}
		node = group.Field(0)
	}
	return 0, false
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
