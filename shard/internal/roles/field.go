// This file describes the columns to choose from.

package roles

import "fmt"

// NoCounts, in the place of the name of a column of counts, says that there is no such column, even if one looks like
// it.
const NoCounts = "-"

// NoNames, in the place of the name of a column of items' names, says that there is no such column.
const NoNames = "none"

// Kind is what values are.
type Kind int

// The kinds. Bytes are strings or binary ids; Other is what neither ids nor counts are made of.
const (
	Other Kind = iota
	Bytes
	Int
	Uint
	Float
	Time         // a date or a time; its numbers are ids only where they are asked for
	Decimal      // with digits after the point
	WholeDecimal // without them
)

// IsID reports whether values of this kind can be ids.
func (k Kind) IsID() bool     { return k == Bytes || k == Int || k == Uint || k == WholeDecimal }
func (k Kind) isNumber() bool { return k == Float || k == Decimal || k != Bytes && k.IsID() }

// Shape is how many values a column has in a row.
type Shape int

// The shapes.
const (
	OtherShape Shape = iota
	Value            // one
	List             // a list
	Pairs            // a map, or a list of structs: items, each with its count
)

// Field is a column as far as the choice depends on it.
type Field struct {
	Name  string
	Shape Shape
	Kind  Kind   // of the values, or of the items of pairs
	Count Kind   // of the counts of pairs; Other where there are none
	Text  bool   // a value that may be anything, as in CSV
	Type  string // what a message calls the type; empty without one
	// Unfit is the part of pairs that looks like counts but does not hold numbers; empty without one.
	Unfit string
}

func (f Field) isLongID() bool { return f.Shape == Value && f.Kind.IsID() }

// mayBeID reports whether a field holds one value per row that can be an id if its name is given.
func (f Field) mayBeID() bool { return f.isLongID() || f.Shape == Value && f.Kind == Time }

// description returns the name of a field with its type, for messages.
func (f Field) description() string {
	if f.Type == "" {
		return fmt.Sprintf("column %q", f.Name)
	}
	return fmt.Sprintf("column %q, of the type %s,", f.Name, f.Type)
}

// isCount reports whether a field that may be a number goes by a name of counts.
func (f Field) isCount() bool { return IsCountName(f.Name) }

// Choice says where documents, items and counts are: places in the fields, -1 for none.
type Choice struct {
	Long                    bool // one row per document and item; otherwise one row per document
	Document, Items, Counts int
	Inner                   bool // the counts are in the pairs of the column of items
}

// Names are the names that were asked for, empty to find a column by type and name.
type Names struct {
	Document, Items, Counts string
	Texts                   []string // columns to be cut into words; empty to find them
	ItemNames               string   // the column of items' names beside their codes; empty to find it
}
