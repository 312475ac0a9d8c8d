// Package roles chooses, among the columns of a table or the fields of an object, those of documents, items and counts:
// by the names that were asked for, else by shape, type and well-known names.
package roles

import (
	"fmt"
	"slices"
	"strings"

	"anchorage/shard/fault"
)

// Chooser chooses among fields.
type Chooser struct {
	fields []Field // at the top of the schema
	wanted Names
}

// NewChooser returns a chooser among fields.
func NewChooser(fields []Field, wanted Names) *Chooser { return &Chooser{fields, wanted} }

// listing lists the names of all fields.
func (c *Chooser) listing() string {
	var all []string
	for _, f := range c.fields {
		all = append(all, f.Name)
	}
	return Listing(all)
}

// Choose returns where documents, items and counts are, in either kind of table.
func (c *Chooser) Choose() (Choice, error) {
	wanted := c.wanted
	if c.isLong() {
		return c.ChooseLong()
	}
	choice := Choice{Document: -1, Items: -1, Counts: -1}
	var err error
	if choice.Items, err = c.ChooseItems(); err != nil {
		return choice, err
	}
	if bag := c.fields[choice.Items]; bag.Shape == Pairs {
		choice.Inner = wanted.Counts != NoCounts && bag.Count != Other
		switch within := strings.HasPrefix(wanted.Counts, bag.Name+"."); {
		case wanted.Counts == "" && !choice.Inner && bag.Unfit != "":
			return choice, fault.Because(fault.CountsUnclear, "%q looks like counts but does not hold numbers",
				bag.Name+"."+bag.Unfit)
		case within && !choice.Inner:
			return choice, fault.Because(fault.CountsUnfit, "there are no numbers in %q", wanted.Counts)
		case wanted.Counts != "" && wanted.Counts != NoCounts && !within:
			return choice, fault.Because(fault.CountsWithin, "the counts are beside the items in %q", bag.Name)
		}
	} else if choice.Counts, err = c.ChooseCounts(choice.Items); err != nil {
		return choice, err
	}
	choice.Document, err = c.ChooseName()
	return choice, err
}

// isBag reports whether a field may hold the items of a document.
func (c *Chooser) isBag(f Field) bool {
	return (f.Shape == List || f.Shape == Pairs) && f.Kind.IsID() && f.Name != c.wanted.Counts
}

// ChooseItems returns the column of items: by name, else the only one of strings, else the only one that is not one of
// counts.
func (c *Chooser) ChooseItems() (int, error) {
	if name := c.wanted.Items; name != "" {
		column, _, dotted := strings.Cut(name, ".")
		if at := c.named(column); dotted && len(c.named(name)) == 0 && len(at) == 1 && c.fields[at[0]].Shape == Pairs {
			return at[0], nil
		}
		return c.given(items, c.isBag, name, "a list of strings or integers")
	}
	for _, find := range []func() []int{
		func() []int { return c.best(&itemNames, c.isBag) },
		func() []int { return c.filter(func(f Field) bool { return c.isBag(f) && f.Kind == Bytes }) },
		func() []int { return c.filter(func(f Field) bool { return c.isBag(f) && !IsCountName(f.Name) }) },
	} {
		places := find()
		if len(places) == 1 {
			return places[0], nil
		}
		if len(places) > 1 {
			return -1, c.several(items, places)
		}
	}
	return -1, fault.Because(fault.ItemsMissing, "no column holds items, a list of strings or integers per row; the "+
		"columns are %s", c.listing())
}

// ChooseCounts returns the column of counts beside a list of items, -1 for none.
func (c *Chooser) ChooseCounts(at int) (int, error) {
	isList := func(f Field) bool { return f.Shape == List && f.Name != c.fields[at].Name }
	usable := func(f Field) bool { return isList(f) && f.Kind.isNumber() }
	return c.chooseCounts(usable, isList, "a list of numbers", func() []int {
		// A list of whole numbers beside the items could be counts under any name. Lists of floats more often are
		// embeddings.
		return c.filter(func(f Field) bool { return usable(f) && f.Kind != Float && f.Kind != Decimal })
	})
}

// chooseCounts returns the column of counts, -1 for none: one that is usable, and among the others of the table. want
// says what is usable, and perhaps returns what may be counts under other names.
func (c *Chooser) chooseCounts(usable, other func(Field) bool, want string, perhaps func() []int) (int, error) {
	switch c.wanted.Counts {
	case NoCounts:
		return -1, nil
	case "":
	default:
		return c.given(counts, usable, c.wanted.Counts, want)
	}
	known := c.best(&countNames, func(f Field) bool { return usable(f) && other(f) })
	switch len(known) {
	case 0:
	case 1:
		return known[0], nil
	default:
		return -1, c.several(counts, known)
	}
	if odd := c.filter(func(f Field) bool { return other(f) && !usable(f) && IsCountName(f.Name) }); len(odd) > 0 {
		return -1, fault.Because(fault.CountsUnclear, "%s looks like counts but is not %s",
			c.fields[odd[0]].description(), want)
	}
	if unknown := perhaps(); len(unknown) > 0 {
		return -1, fault.Because(fault.CountsUnclear, "%s may be counts or not", c.names(unknown))
	}
	return -1, nil
}

// ChooseTexts returns the columns of texts that are called names, and that of the documents' own ids, as ChooseName
// does.
func (c *Chooser) ChooseTexts(names []string) (places []int, document int, err error) {
	for _, name := range names {
		at, err := c.given(texts, func(f Field) bool { return f.Shape == Value && f.Kind == Bytes }, name, "a string per row")
		if err != nil {
			return places, -1, err
		}
		places = append(places, at)
	}
	document, err = c.ChooseName()
	return places, document, err
}

// ChooseName returns the column of the documents' own ids, -1 if none is known.
func (c *Chooser) ChooseName() (int, error) {
	if c.wanted.Document != "" {
		return c.given(documents, Field.mayBeID, c.wanted.Document, "a string or an integer per row")
	}
	known := c.best(&documentNames, Field.isLongID)
	if len(known) == 0 {
		known = c.filter(func(f Field) bool { return f.isLongID() && FoldName(f.Name) == "id" })
	}
	if len(known) == 1 {
		return known[0], nil
	}
	return -1, nil
}

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

// role is one of documents, items and counts, as messages need it.
type role struct {
	plural  string       // what may be in several columns
	unclear fault.Reason // why no column was found, or several
	unfit   fault.Reason // why the column asked for will not do
}

var (
	documents = role{"the documents", fault.DocumentsUnclear, fault.DocumentsUnfit}
	items     = role{"the items", fault.ItemsUnclear, fault.ItemsUnfit}
	counts    = role{"the counts", fault.CountsUnclear, fault.CountsUnfit}
	texts     = role{"the texts", fault.TextsUnfit, fault.TextsUnfit}
)

// several returns the error of a role for which more than one field will do.
func (c *Chooser) several(r role, places []int) error {
	return fault.Because(r.unclear, "%s may be in %s", r.plural, c.names(places))
}

// only returns the one place there is; none says what is missing where there is no place.
func (c *Chooser) only(r role, places []int, none string) (int, error) {
	switch len(places) {
	case 1:
		return places[0], nil
	case 0:
		return -1, fault.Because(r.unclear, "%s; the columns are %s", none, c.listing())
	}
	return -1, c.several(r, places)
}

// given returns the place of the column called name, which must be usable; want says what it must be for that.
func (c *Chooser) given(r role, usable func(Field) bool, name, want string) (int, error) {
	found := c.named(name)
	fit := slices.DeleteFunc(slices.Clone(found), func(i int) bool { return !usable(c.fields[i]) })
	switch {
	case len(fit) == 1:
		return fit[0], nil
	case len(fit) > 1:
		return -1, fmt.Errorf("two columns are called %q", name)
	case len(found) > 0:
		return -1, fault.Because(r.unfit, "%s is not %s: write it as one", c.fields[found[0]].description(), want)
	}
	return -1, fault.Because(r.unfit, "there is no column %q; the columns are %s", name, c.listing())
}

// NoTexts returns the error of a table without texts.
func (c *Chooser) NoTexts() error {
	return fault.Because(fault.TextsUnfit, "no column holds texts of many words; the columns are %s", c.listing())
}

// named returns the places of the fields of this name.
func (c *Chooser) named(name string) []int {
	return c.filter(func(f Field) bool { return f.Name == name })
}

// filter returns the places of the fields to keep.
func (c *Chooser) filter(keep func(Field) bool) []int {
	var kept []int
	for i, f := range c.fields {
		if keep(f) {
			kept = append(kept, i)
		}
	}
	return kept
}

// best returns the places of the fields to keep whose names are the most telling of those that a role's names know.
func (c *Chooser) best(n *names, keep func(Field) bool) (places []int) {
	least := 0
	for i, f := range c.fields {
		rank := n.rank(f.Name)
		switch {
		case rank == 0 || !keep(f) || least > 0 && rank > least:
			continue
		case rank < least:
			places = places[:0]
		}
		least = rank
		places = append(places, i)
	}
	return places
}

// names lists the names of the fields at the given places.
func (c *Chooser) names(places []int) string {
	var quoted []string
	for _, i := range places {
		quoted = append(quoted, fmt.Sprintf("%q", c.fields[i].Name))
	}
	return strings.Join(quoted, ", ")
}

// FirstRows is how many rows an error about the choice of columns shows.
const FirstRows = 3

// Shown returns a cell as such an error shows it.
func Shown(cell string) string {
	const most = 40
	if letters := []rune(cell); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return cell
}

// Listing lists the names of columns, at most 20 of them.
func Listing(all []string) string {
	const most = 20
	var fields []string
	for _, name := range all[:min(len(all), most)] {
		fields = append(fields, fmt.Sprintf("%q", name))
	}
	if len(all) > most {
		fields = append(fields, fmt.Sprintf("and %d more", len(all)-most))
	}
	return strings.Join(fields, ", ")
}
