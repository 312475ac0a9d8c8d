// This file chooses, among the columns of Parquet, Arrow and CSV, those of documents, items and counts.

package shard

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

func nameSet(names ...string) map[string]bool {
	set := make(map[string]bool)
	for _, name := range names {
		set[foldName(name)] = true
		set[foldName(name)+"s"] = true
	}
	return set
}

// foldName returns a name as the sets of names hold it.
func foldName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == ' ' || r == '-' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// valueKind is what values are.
type valueKind int

const (
	kindOther valueKind = iota
	kindBytes
	kindInt
	kindUint
	kindFloat
)

func (k valueKind) isID() bool     { return k == kindBytes || k == kindInt || k == kindUint }
func (k valueKind) isNumber() bool { return k == kindInt || k == kindUint || k == kindFloat }

// shape is how many values a column has in a row.
type shape int

const (
	shapeOther shape = iota
	shapeValue       // one
	shapeList        // a list
	shapePairs       // a map, or a list of structs: items, each with its count
)

// field is a column as far as the choice depends on it.
type field struct {
	name  string
	shape shape
	kind  valueKind // of the values, or of the items of pairs
	count valueKind // of the counts of pairs; kindOther where there are none
	text  bool      // a value that may be anything, as in CSV
}

// columnChoice says where documents, items and counts stand: places in the fields, -1 for none.
type columnChoice struct {
	long                    bool // one row per document and item; otherwise one row per document
	document, items, counts int
	inner                   bool // the counts stand in the pairs of the column of items
}

// columnNames are the names that were asked for, empty to find a column by type and name.
type columnNames struct{ Document, Items, Counts string }

// chooser chooses among fields; all lists the names at the top of the schema, for messages.
type chooser struct {
	fields []field
	all    []string
	wanted columnNames
}

// chooseColumns returns where documents, items and counts stand.
func chooseColumns(fields []field, all []string, wanted columnNames) (columnChoice, error) {
	c := chooser{fields, all, wanted}
	choice := columnChoice{document: -1, items: -1, counts: -1}
	long, err := c.isLong()
	if err != nil {
		return choice, err
	}
	if long {
		return c.chooseLong()
	}
	if choice.items, err = c.chooseItems(); err != nil {
		return choice, err
	}
	if fields[choice.items].shape == shapePairs {
		choice.inner = wanted.Counts != NoCounts && fields[choice.items].count != kindOther
		if name := wanted.Counts; name != "" && name != NoCounts && !strings.HasPrefix(name, fields[choice.items].name+".") {
			return choice, fmt.Errorf("the counts stand beside the items in %q: leave --counts-column out, or give %q for none",
				fields[choice.items].name, NoCounts)
		}
	} else if choice.counts, err = c.chooseCounts(choice.items); err != nil {
		return choice, err
	}
	choice.document, err = c.chooseName()
	return choice, err
}

// isLong reports whether the fields are those of a long table.
func (c *chooser) isLong() (bool, error) {
	if c.wanted.Items != "" {
		at := c.named(c.wanted.Items)
		return len(at) == 1 && c.fields[at[0]].shape == shapeValue && c.fields[at[0]].kind.isID(), nil
	}
	if len(c.filter(c.isBag)) > 0 {
		return false, nil
	}
	document := len(c.filter(func(f field) bool { return f.isLongID() && c.isDocument(f) })) > 0
	item := len(c.filter(func(f field) bool { return f.isLongID() && itemNames[foldName(f.name)] && !c.isDocument(f) })) > 0
	return document && item || c.wanted.Document != "", nil
}

// isBag reports whether a field may hold the items of a document.
func (c *chooser) isBag(f field) bool {
	return (f.shape == shapeList || f.shape == shapePairs) && f.kind.isID() && f.name != c.wanted.Counts
}

func (c *chooser) isDocument(f field) bool {
	if c.wanted.Document != "" {
		return f.name == c.wanted.Document
	}
	return documentNames[foldName(f.name)]
}

func (f field) isLongID() bool { return f.shape == shapeValue && f.kind.isID() }

// chooseLong chooses the columns of a long table.
func (c *chooser) chooseLong() (choice columnChoice, err error) {
	choice = columnChoice{long: true, document: -1, items: -1, counts: -1}
	ids := func(f field) bool { return f.isLongID() }
	if c.wanted.Items != "" {
		if choice.items, err = c.given(ids, c.wanted.Items, "a string or an integer per row", "--items-column"); err != nil {
			return choice, err
		}
	}
	free := func(f field) bool {
		return f.isLongID() && f.name != c.wanted.Items && f.name != c.wanted.Counts && f.name != c.wanted.Document
	}
	if c.wanted.Document != "" {
		choice.document, err = c.given(ids, c.wanted.Document, "a string or an integer per row", "--document-column")
	} else {
		none := "no column looks like the documents'"
		if c.wanted.Items != "" {
			none = fmt.Sprintf("column %q of --items-column is not a list of strings or integers, and for a table with one row "+
				"per document and item no column looks like the documents'", c.wanted.Items)
		}
		choice.document, err = c.only(c.filter(func(f field) bool { return free(f) && documentNames[foldName(f.name)] }),
			"the documents may stand in %s: choose with --document-column", none, "--document-column")
	}
	if err != nil {
		return choice, err
	}
	if choice.items < 0 {
		choice.items, err = c.only(c.filter(func(f field) bool {
			return free(f) && itemNames[foldName(f.name)] && f.name != c.fields[choice.document].name
		}), "the items may stand in %s: choose with --items-column", "no column looks like the items'", "--items-column")
		if err != nil {
			return choice, err
		}
	}
	if choice.items == choice.document {
		return choice, fmt.Errorf("column %q cannot hold the documents and the items", c.fields[choice.items].name)
	}
	choice.counts, err = c.chooseQuantity(choice)
	return choice, err
}

// chooseQuantity chooses the column of counts of a long table.
func (c *chooser) chooseQuantity(choice columnChoice) (int, error) {
	usable := func(f field) bool { return f.shape == shapeValue && (f.kind.isNumber() || f.text) }
	switch c.wanted.Counts {
	case NoCounts:
		return -1, nil
	case "":
	default:
		return c.given(usable, c.wanted.Counts, "a number per row", "--counts-column")
	}
	known := c.filter(func(f field) bool { return usable(f) && countNames[foldName(f.name)] })
	known = slices.DeleteFunc(known, func(i int) bool { return i == choice.items || i == choice.document })
	switch len(known) {
	case 0:
		return -1, nil
	case 1:
		return known[0], nil
	}
	return -1, fmt.Errorf("the counts may stand in %s: choose with --counts-column, which takes %q for none", c.names(known), NoCounts)
}

// only returns the one place there is.
func (c *chooser) only(places []int, many, none, flag string) (int, error) {
	switch len(places) {
	case 1:
		return places[0], nil
	case 0:
		return -1, fmt.Errorf("%s; the columns are %s: choose with %s", none, c.describe(), flag)
	}
	return -1, fmt.Errorf(many, c.names(places))
}

// chooseItems chooses the column of items where a row is a document.
func (c *chooser) chooseItems() (int, error) {
	if name := c.wanted.Items; name != "" {
		column, _, dotted := strings.Cut(name, ".")
		if at := c.named(column); dotted && len(c.named(name)) == 0 && len(at) == 1 && c.fields[at[0]].shape == shapePairs {
			return at[0], nil
		}
		return c.given(c.isBag, name, "a list of strings or integers", "--items-column")
	}
	usable := c.filter(c.isBag)
	for _, keep := range []func(field) bool{
		func(f field) bool { return itemNames[foldName(f.name)] },
		func(f field) bool { return f.kind == kindBytes },
		func(f field) bool { return !countNames[foldName(f.name)] },
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
func (c *chooser) chooseCounts(items int) (int, error) {
	isList := func(f field) bool { return f.shape == shapeList && f.name != c.fields[items].name }
	usable := func(f field) bool { return isList(f) && f.kind.isNumber() }
	switch c.wanted.Counts {
	case NoCounts:
		return -1, nil
	case "":
	default:
		return c.given(usable, c.wanted.Counts, "a list of numbers", "--counts-column")
	}
	known := c.filter(func(f field) bool { return usable(f) && countNames[foldName(f.name)] })
	if len(known) == 1 {
		return known[0], nil
	}
	if len(known) > 1 {
		return -1, fmt.Errorf("the counts may stand in %s: choose with --counts-column, which takes %q for none", c.names(known), NoCounts)
	}
	if odd := c.filter(func(f field) bool { return isList(f) && !usable(f) && countNames[foldName(f.name)] }); len(odd) > 0 {
		return -1, fmt.Errorf("column %q looks like counts but is not a list of numbers: choose with --counts-column, which "+
			"takes %q for none", c.fields[odd[0]].name, NoCounts)
	}
	// A list of whole numbers beside the items could be counts under any name. Lists of floats more often are embeddings.
	if unknown := c.filter(func(f field) bool { return usable(f) && f.kind != kindFloat }); len(unknown) > 0 {
		return -1, fmt.Errorf("%s may be counts or not: say so with --counts-column, which takes %q for none", c.names(unknown), NoCounts)
	}
	return -1, nil
}

// chooseName chooses the column of the documents' own ids where a row is a document; -1 if none is known.
func (c *chooser) chooseName() (int, error) {
	if c.wanted.Document != "" {
		return c.given(field.isLongID, c.wanted.Document, "a string or an integer per row", "--document-column")
	}
	for _, keep := range []func(field) bool{
		func(f field) bool { return documentNames[foldName(f.name)] },
		func(f field) bool { return foldName(f.name) == "id" },
	} {
		if known := c.filter(func(f field) bool { return f.isLongID() && keep(f) }); len(known) == 1 {
			return known[0], nil
		}
	}
	return -1, nil
}

// given returns the place of the column called name, which must be usable.
func (c *chooser) given(usable func(field) bool, name, want, flag string) (int, error) {
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

func (c *chooser) named(name string) []int {
	return c.filter(func(f field) bool { return f.name == name })
}

// filter returns the places of the fields to keep.
func (c *chooser) filter(keep func(field) bool) []int {
	var kept []int
	for i, f := range c.fields {
		if keep(f) {
			kept = append(kept, i)
		}
	}
	return kept
}

func (c *chooser) names(places []int) string {
	var quoted []string
	for _, i := range places {
		quoted = append(quoted, fmt.Sprintf("%q", c.fields[i].name))
	}
	return strings.Join(quoted, ", ")
}

func (c *chooser) describe() string { return describe(c.all) }

// describe lists the names of columns, at most 20 of them.
func describe(all []string) string {
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
