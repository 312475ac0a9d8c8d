// This file chooses, among the columns of Parquet, Arrow and CSV, those of documents, items and counts.

package roles

import (
	"fmt"
	"slices"
	"strings"
)

// The names, in lower case, by which columns are known. "item" and "items" are the same, and so are "item_id", "item id"
// and "itemid".
var (
	itemNames = nameSet("item", "item_id", "word", "word_id", "token", "token_id", "term", "term_id", "product", "product_id",
		"sku", "stock_code", "article", "article_id", "basket", "document", "feature", "tag", "id", "track", "movie", "book")
	countNames = nameSet("count", "item_count", "word_count", "token_count", "term_count", "cnt", "quantity", "quantities",
		"qty", "frequency", "frequencies", "freq", "tf", "term_frequency", "amount", "weight", "n", "value")
	documentNames = nameSet("doc", "doc_id", "document", "document_id", "order", "order_id", "order_no", "basket", "basket_id",
		"transaction", "transaction_id", "invoice", "invoice_id", "invoice_no", "receipt", "receipt_id", "session",
		"session_id", "user", "user_id", "customer", "customer_id", "visit", "visit_id")
)

// NoCounts, in the place of the name of a column of counts, says that there is none even where a column looks like it.
const NoCounts = "-"

func nameSet(names ...string) map[string]bool {
	set := make(map[string]bool)
	for _, name := range names {
		set[FoldName(name)] = true
		set[FoldName(name)+"s"] = true
	}
	return set
}

// FoldName returns a name as the sets of names hold it.
func FoldName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == ' ' || r == '-' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// Kind is what values are.
type Kind int

const (
	Other Kind = iota
	Bytes
	Int
	Uint
	Float
)

func (k Kind) IsID() bool     { return k == Bytes || k == Int || k == Uint }
func (k Kind) isNumber() bool { return k == Int || k == Uint || k == Float }

// Shape is how many values a column has in a row.
type Shape int

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
	Kind  Kind // of the values, or of the items of pairs
	Count Kind // of the counts of pairs; kindOther where there are none
	Text  bool // a value that may be anything, as in CSV
}

// Choice says where documents, items and counts stand: places in the fields, -1 for none.
type Choice struct {
	Long                    bool // one row per document and item; otherwise one row per document
	Document, Items, Counts int
	Inner                   bool // the counts stand in the pairs of the column of items
}

// Names are the names that were asked for, empty to find a column by type and name.
type Names struct{ Document, Items, Counts string }

// Chooser chooses among fields; all lists the names at the top of the schema, for messages.
type Chooser struct {
	fields []Field
	all    []string
	wanted Names
}

// NewChooser returns a chooser among fields.
func NewChooser(fields []Field, all []string, wanted Names) Chooser {
	return Chooser{fields, all, wanted}
}

// Choose returns where documents, items and counts stand.
func Choose(fields []Field, all []string, wanted Names) (Choice, error) {
	c := Chooser{fields, all, wanted}
	choice := Choice{Document: -1, Items: -1, Counts: -1}
	long, err := c.isLong()
	if err != nil {
		return choice, err
	}
	if long {
		return c.ChooseLong()
	}
	if choice.Items, err = c.ChooseItems(); err != nil {
		return choice, err
	}
	if fields[choice.Items].Shape == Pairs {
		choice.Inner = wanted.Counts != NoCounts && fields[choice.Items].Count != Other
		if name := wanted.Counts; name != "" && name != NoCounts && !strings.HasPrefix(name, fields[choice.Items].Name+".") {
			return choice, fmt.Errorf("the counts stand beside the items in %q: leave --counts-column out, or give %q for none",
				fields[choice.Items].Name, NoCounts)
		}
	} else if choice.Counts, err = c.ChooseCounts(choice.Items); err != nil {
		return choice, err
	}
	choice.Document, err = c.ChooseName()
	return choice, err
}

// isLong reports whether the fields are those of a long table.
func (c *Chooser) isLong() (bool, error) {
	if c.wanted.Items != "" {
		at := c.named(c.wanted.Items)
		return len(at) == 1 && c.fields[at[0]].Shape == Value && c.fields[at[0]].Kind.IsID(), nil
	}
	if len(c.filter(c.isBag)) > 0 {
		return false, nil
	}
	document := len(c.filter(func(f Field) bool { return f.isLongID() && c.isDocument(f) })) > 0
	item := len(c.filter(func(f Field) bool { return f.isLongID() && itemNames[FoldName(f.Name)] && !c.isDocument(f) })) > 0
	return document && item || c.wanted.Document != "", nil
}

// isBag reports whether a field may hold the items of a document.
func (c *Chooser) isBag(f Field) bool {
	return (f.Shape == List || f.Shape == Pairs) && f.Kind.IsID() && f.Name != c.wanted.Counts
}

func (c *Chooser) isDocument(f Field) bool {
	if c.wanted.Document != "" {
		return f.Name == c.wanted.Document
	}
	return documentNames[FoldName(f.Name)]
}

func (f Field) isLongID() bool { return f.Shape == Value && f.Kind.IsID() }

// chooseLong chooses the columns of a long table.
func (c *Chooser) ChooseLong() (choice Choice, err error) {
	choice = Choice{Long: true, Document: -1, Items: -1, Counts: -1}
	ids := func(f Field) bool { return f.isLongID() }
	if c.wanted.Items != "" {
		if choice.Items, err = c.given(ids, c.wanted.Items, "a string or an integer per row", "--items-column"); err != nil {
			return choice, err
		}
	}
	free := func(f Field) bool {
		return f.isLongID() && f.Name != c.wanted.Items && f.Name != c.wanted.Counts && f.Name != c.wanted.Document
	}
	if c.wanted.Document != "" {
		choice.Document, err = c.given(ids, c.wanted.Document, "a string or an integer per row", "--document-column")
	} else {
		none := "no column looks like the documents'"
		if c.wanted.Items != "" {
			none = fmt.Sprintf("column %q of --items-column is not a list of strings or integers, and for a table with one row "+
				"per document and item no column looks like the documents'", c.wanted.Items)
		}
		choice.Document, err = c.only(c.filter(func(f Field) bool { return free(f) && documentNames[FoldName(f.Name)] }),
			"the documents may stand in %s: choose with --document-column", none, "--document-column")
	}
	if err != nil {
		return choice, err
	}
	if choice.Items < 0 {
		choice.Items, err = c.only(c.filter(func(f Field) bool {
			return free(f) && itemNames[FoldName(f.Name)] && f.Name != c.fields[choice.Document].Name
		}), "the items may stand in %s: choose with --items-column", "no column looks like the items'", "--items-column")
		if err != nil {
			return choice, err
		}
	}
	if choice.Items == choice.Document {
		return choice, fmt.Errorf("column %q cannot hold the documents and the items", c.fields[choice.Items].Name)
	}
	choice.Counts, err = c.chooseQuantity(choice)
	return choice, err
}

// chooseQuantity chooses the column of counts of a long table.
func (c *Chooser) chooseQuantity(choice Choice) (int, error) {
	usable := func(f Field) bool { return f.Shape == Value && (f.Kind.isNumber() || f.Text) }
	switch c.wanted.Counts {
	case NoCounts:
		return -1, nil
	case "":
	default:
		return c.given(usable, c.wanted.Counts, "a number per row", "--counts-column")
	}
	known := c.filter(func(f Field) bool { return usable(f) && countNames[FoldName(f.Name)] })
	known = slices.DeleteFunc(known, func(i int) bool { return i == choice.Items || i == choice.Document })
	switch len(known) {
	case 0:
		return -1, nil
	case 1:
		return known[0], nil
	}
	return -1, fmt.Errorf("the counts may stand in %s: choose with --counts-column, which takes %q for none", c.names(known), NoCounts)
}

// only returns the one place there is.
func (c *Chooser) only(places []int, many, none, flag string) (int, error) {
	switch len(places) {
	case 1:
		return places[0], nil
	case 0:
		return -1, fmt.Errorf("%s; the columns are %s: choose with %s", none, c.describe(), flag)
	}
	return -1, fmt.Errorf(many, c.names(places))
}

// chooseItems chooses the column of items where a row is a document.
func (c *Chooser) ChooseItems() (int, error) {
	if name := c.wanted.Items; name != "" {
		column, _, dotted := strings.Cut(name, ".")
		if at := c.named(column); dotted && len(c.named(name)) == 0 && len(at) == 1 && c.fields[at[0]].Shape == Pairs {
			return at[0], nil
		}
		return c.given(c.isBag, name, "a list of strings or integers", "--items-column")
	}
	usable := c.filter(c.isBag)
	for _, keep := range []func(Field) bool{
		func(f Field) bool { return itemNames[FoldName(f.Name)] },
		func(f Field) bool { return f.Kind == Bytes },
		func(f Field) bool { return !countNames[FoldName(f.Name)] },
	} {
		var places []int
		for _, i := range usable {
			if keep(c.fields[i]) {
				places = append(places, i)
			}
		}
		if len(places) == 1 {
			return places[0], nil
		}
		if len(places) > 1 {
			return -1, fmt.Errorf("the items may stand in %s: choose with --items-column", c.names(places))
		}
	}
	return -1, fmt.Errorf("no column holds items, a list of strings or integers per row; the columns are %s: of a table with "+
		"one row per document and item, give --document-column and --items-column", c.describe())
}

// chooseCounts chooses the column of counts beside a list of items.
func (c *Chooser) ChooseCounts(items int) (int, error) {
	isList := func(f Field) bool { return f.Shape == List && f.Name != c.fields[items].Name }
	usable := func(f Field) bool { return isList(f) && f.Kind.isNumber() }
	switch c.wanted.Counts {
	case NoCounts:
		return -1, nil
	case "":
	default:
		return c.given(usable, c.wanted.Counts, "a list of numbers", "--counts-column")
	}
	known := c.filter(func(f Field) bool { return usable(f) && countNames[FoldName(f.Name)] })
	if len(known) == 1 {
		return known[0], nil
	}
	if len(known) > 1 {
		return -1, fmt.Errorf("the counts may stand in %s: choose with --counts-column, which takes %q for none", c.names(known), NoCounts)
	}
	if odd := c.filter(func(f Field) bool { return isList(f) && !usable(f) && countNames[FoldName(f.Name)] }); len(odd) > 0 {
		return -1, fmt.Errorf("column %q looks like counts but is not a list of numbers: choose with --counts-column, which "+
			"takes %q for none", c.fields[odd[0]].Name, NoCounts)
	}
	// A list of whole numbers beside the items could be counts under any name. Lists of floats more often are embeddings.
	if unknown := c.filter(func(f Field) bool { return usable(f) && f.Kind != Float }); len(unknown) > 0 {
		return -1, fmt.Errorf("%s may be counts or not: say so with --counts-column, which takes %q for none", c.names(unknown), NoCounts)
	}
	return -1, nil
}

// chooseName chooses the column of the documents' own ids where a row is a document; -1 if none is known.
func (c *Chooser) ChooseName() (int, error) {
	if c.wanted.Document != "" {
		return c.given(Field.isLongID, c.wanted.Document, "a string or an integer per row", "--document-column")
	}
	for _, keep := range []func(Field) bool{
		func(f Field) bool { return documentNames[FoldName(f.Name)] },
		func(f Field) bool { return FoldName(f.Name) == "id" },
	} {
		if known := c.filter(func(f Field) bool { return f.isLongID() && keep(f) }); len(known) == 1 {
			return known[0], nil
		}
	}
	return -1, nil
}

// given returns the place of the column called name, which must be usable.
func (c *Chooser) given(usable func(Field) bool, name, want, flag string) (int, error) {
	found := c.named(name)
	fit := slices.DeleteFunc(slices.Clone(found), func(i int) bool { return !usable(c.fields[i]) })
	switch {
	case len(fit) == 1:
		return fit[0], nil
	case len(fit) > 1:
		return -1, fmt.Errorf("two columns are called %q", name)
	case len(found) > 0 || slices.Contains(c.all, name):
		return -1, fmt.Errorf("column %q of %s is not %s", name, flag, want)
	}
	return -1, fmt.Errorf("there is no column %q of %s; the columns are %s", name, flag, c.describe())
}

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

func (c *Chooser) names(places []int) string {
	var quoted []string
	for _, i := range places {
		quoted = append(quoted, fmt.Sprintf("%q", c.fields[i].Name))
	}
	return strings.Join(quoted, ", ")
}

func (c *Chooser) describe() string { return Listing(c.all) }

// Listing lists the names of columns, at most 20 of them.
func Listing(all []string) string {
	const most = 20
	var fields []string
	for i, name := range all {
		if i == most {
			fields = append(fields, fmt.Sprintf("and %d more", len(all)-most))
			break
		}
		fields = append(fields, fmt.Sprintf("%q", name))
	}
	return strings.Join(fields, ", ")
}

// IsCountName reports whether a column of this name is known to hold counts.
func IsCountName(name string) bool { return countNames[FoldName(name)] }

// ChoosePair returns which of the fields of a struct, or of key and value of a map, is the item and which the count; -1
// for none. A dotted name in the options, "column.field", decides; then names, then types.
func ChoosePair(column string, inner []Field, wanted Names) (items, counts int) {
	items, counts = -1, -1
	find := func(keep func(Field) bool) int {
		found := -1
		for i, f := range inner {
			if keep(f) && i != items && i != counts {
				if found >= 0 {
					return -1
				}
				found = i
			}
		}
		return found
	}
	itemName, dottedItem := strings.CutPrefix(wanted.Items, column+".")
	countName, dottedCount := strings.CutPrefix(wanted.Counts, column+".")
	if dottedCount {
		counts = find(func(f Field) bool { return f.Name == countName && f.Kind.isNumber() })
	}
	for _, keep := range []func(Field) bool{
		func(f Field) bool { return dottedItem && f.Name == itemName },
		func(f Field) bool { return !dottedItem && f.Name == "key" },
		func(f Field) bool { return !dottedItem && itemNames[FoldName(f.Name)] },
		func(f Field) bool { return !dottedItem && f.Kind == Bytes },
	} {
		if items < 0 {
			items = find(func(f Field) bool { return f.Kind.IsID() && keep(f) })
		}
	}
	if items < 0 || counts >= 0 {
		return items, counts
	}
	for _, keep := range []func(Field) bool{
		func(f Field) bool { return countNames[FoldName(f.Name)] },
		func(f Field) bool { return len(inner) == 2 && f.Kind != Float },
	} {
		if counts < 0 {
			counts = find(func(f Field) bool { return f.Kind.isNumber() && keep(f) })
		}
	}
	return items, counts
}
