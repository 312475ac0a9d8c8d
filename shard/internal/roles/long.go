// This file chooses the columns of a long table, of one whose cells hold all items of a document, and item and count
// among the parts of a pair.

package roles

import (
	"fmt"
	"slices"
	"strings"

	"anchorage/shard/fault"
)

// isLong reports whether the fields are those of a long table.
func (c *Chooser) isLong() bool {
	if c.wanted.Items != "" {
		at := c.named(c.wanted.Items)
		return len(at) == 1 && c.fields[at[0]].mayBeID()
	}
	if len(c.filter(c.isBag)) > 0 {
		return false
	}
	document := len(c.filter(func(f Field) bool { return f.isLongID() && c.isDocument(f) })) > 0
	item := len(c.filter(func(f Field) bool { return f.isLongID() && IsItemName(f.Name) && !c.isDocument(f) })) > 0
	return document && item || c.wanted.Document != ""
}

// isDocument reports whether a field is that of the documents, by name.
func (c *Chooser) isDocument(f Field) bool {
	if c.wanted.Document != "" {
		return f.Name == c.wanted.Document
	}
	return IsDocumentName(f.Name)
}

// isFree reports whether a field may be found: an id that was asked for as nothing.
func (c *Chooser) isFree(f Field) bool {
	return f.isLongID() && f.Name != c.wanted.Items && f.Name != c.wanted.Counts && f.Name != c.wanted.Document &&
		f.Name != c.wanted.ItemNames
}

// ChooseLong returns the columns of a long table. An error is about all columns that cannot be chosen.
func (c *Chooser) ChooseLong() (choice Choice, err error) {
	choice = Choice{Long: true, Document: -1, Items: -1, Counts: -1}
	const want = "a string or an integer per row"
	var noItems, noDocument, noCounts error
	if c.wanted.Items != "" {
		choice.Items, noItems = c.given(items, Field.mayBeID, c.wanted.Items, want)
	}
	if c.wanted.Document != "" {
		choice.Document, noDocument = c.given(documents, Field.mayBeID, c.wanted.Document, want)
	} else {
		choice.Document, noDocument = c.findDocument()
	}
	if c.wanted.Items == "" {
		found := c.best(&itemNames, func(f Field) bool {
			return c.isFree(f) && (choice.Document < 0 || f.Name != c.fields[choice.Document].Name)
		})
		none := "no column looks like the items'"
		if choice.Items, noItems = c.only(items, found, none); len(found) == 0 && c.wanted.Document == "" &&
			len(c.best(&documentNames, c.isFree)) == 0 {
			noDocument = &fault.Cause{Reason: documents.unclear, Also: []fault.Reason{items.unclear}, Err: fmt.Errorf(
				"no column looks like the documents', and none like the items'; the columns are %s", c.listing())}
			noItems = nil
		}
		choice.Items = c.codeBeside(choice.Items)
	}
	if noItems == nil && noDocument == nil && choice.Items == choice.Document {
		return choice, fmt.Errorf("column %q cannot hold the documents and the items", c.fields[choice.Items].Name)
	}
	choice.Counts, noCounts = c.chooseQuantity(choice)
	return choice, fault.Together(noDocument, noItems, noCounts)
}

// codeBeside returns the column of codes that lies beside a column of items' names, as in order;code;description; else
// the column itself. A code that is further away may be that of something else.
func (c *Chooser) codeBeside(at int) int {
	if at < 0 || !IsNameOfItem(c.fields[at].Name) {
		return at
	}
	for _, beside := range []int{at - 1, at + 1} {
		if beside >= 0 && beside < len(c.fields) && slices.Contains(codeNames, FoldName(c.fields[beside].Name)) &&
			c.isFree(c.fields[beside]) {
			return beside
		}
	}
	return at
}

// findDocument finds the column of documents by name.
func (c *Chooser) findDocument() (int, error) {
	none := "no column looks like the documents'"
	if c.wanted.Items != "" {
		none = fmt.Sprintf("column %q is not a list of strings or integers, and for a table with one row per document and "+
			"item %s",
			c.wanted.Items, none)
	}
	return c.only(documents, c.best(&documentNames, c.isFree), none)
}

// ChooseItemNames returns the column of names that the items of a long table have beside their codes: the one that was
// asked for, or the only one that is known to hold names where the items are not names; -1 for none.
func (c *Chooser) ChooseItemNames(choice Choice) int {
	if !choice.Long || choice.Items < 0 || c.wanted.ItemNames == NoNames || IsNameOfItem(c.fields[choice.Items].Name) &&
		c.wanted.ItemNames == "" {
		return -1
	}
	taken := []int{choice.Items, choice.Document, choice.Counts}
	found := c.filter(func(f Field) bool {
		return f.isLongID() && (f.Name == c.wanted.ItemNames || c.wanted.ItemNames == "" && f.Kind == Bytes &&
			holdsNames(f.Name))
	})
	if len(found) != 1 || slices.Contains(taken, found[0]) {
		return -1
	}
	return found[0]
}

// chooseQuantity returns the column of counts, -1 for none.
func (c *Chooser) chooseQuantity(choice Choice) (int, error) {
	usable := func(f Field) bool { return f.Shape == Value && (f.Kind.isNumber() || f.Text) }
	other := func(f Field) bool {
		for _, at := range []int{choice.Items, choice.Document} {
			if at >= 0 && f.Name == c.fields[at].Name {
				return false
			}
		}
		return true
	}
	return c.chooseCounts(usable, other, "a number per row", func() []int {
		// The only number beside the documents and the items in a table of three columns looks like counts.
		numbers := c.filter(func(f Field) bool { return other(f) && usable(f) && !f.Text && !IsTimeName(f.Name) })
		if len(c.fields) != 3 || len(numbers) != 1 {
			return nil
		}
		return numbers
	})
}

// ChooseCell returns the columns of such a table. Document is -1 where no column has the ids of documents; a table that
// has several is one for ChooseLong to complain about.
func (c *Chooser) ChooseCell() (choice Choice, err error) {
	choice = Choice{Long: true, Document: -1, Items: -1, Counts: -1}
	if found := c.filter(func(f Field) bool { return c.isFree(f) && IsDocumentName(f.Name) }); len(found) > 1 &&
		c.wanted.Document == "" {
		return choice, c.several(documents, found)
	}
	if choice.Document, err = c.ChooseName(); err != nil {
		return choice, err
	}
	if c.wanted.Items != "" {
		choice.Items, err = c.given(items, Field.isLongID, c.wanted.Items, "a string per row")
		return choice, err
	}
	found := c.best(&itemNames, c.isFree)
	choice.Items, err = c.only(items, found, "no column looks like the items'")
	return choice, err
}

// SetPairs makes the field one of pairs, whose parts are inner, and returns which of these are the item and the count;
// -1 for none. Without an item the field stays as it is.
func (f *Field) SetPairs(inner []Field, wanted Names) (items, counts int) {
	items, counts = choosePair(f.Name, inner, wanted)
	if items >= 0 {
		f.Shape, f.Kind, f.Unfit = Pairs, inner[items].Kind, unfitCount(inner, items, counts)
	}
	if counts >= 0 {
		f.Count = inner[counts].Kind
	}
	return items, counts
}

// choosePair returns which of the fields of a struct, or of key and value of a map, is the item and which the count; -1
// for none. A dotted name, "column.field", decides; then names, then types.
func choosePair(column string, inner []Field, wanted Names) (items, counts int) {
	items, counts = -1, -1
	find := func(keep func(Field) bool) int {
		return single(inner, func(i int, f Field) bool { return keep(f) && i != items && i != counts })
	}
	itemName, dottedItem := strings.CutPrefix(wanted.Items, column+".")
	countName, dottedCount := strings.CutPrefix(wanted.Counts, column+".")
	if dottedCount {
		counts = find(func(f Field) bool { return f.Name == countName && f.Kind.isNumber() })
	}
	for _, keep := range []func(Field) bool{
		func(f Field) bool { return dottedItem && f.Name == itemName },
		func(f Field) bool { return !dottedItem && f.Name == "key" },
		func(f Field) bool { // a code, and not the name beside it
			return !dottedItem && IsItemName(f.Name) && (!IsNameOfItem(f.Name) || FoldName(f.Name) == "id")
		},
		func(f Field) bool { return !dottedItem && slices.Contains(codeNames, FoldName(f.Name)) },
		func(f Field) bool { return !dottedItem && IsItemName(f.Name) },
		func(f Field) bool { return !dottedItem && f.Kind == Bytes },
	} {
		if items < 0 {
			items = find(func(f Field) bool { return f.Kind.IsID() && keep(f) })
		}
	}
	if items < 0 || counts >= 0 || dottedCount {
		return items, counts
	}
	for _, keep := range []func(Field) bool{
		func(f Field) bool { return IsCountName(f.Name) },
		func(f Field) bool { return len(inner) == 2 && f.Kind != Float && f.Kind != Decimal },
	} {
		if counts < 0 {
			counts = find(func(f Field) bool { return f.Kind.isNumber() && keep(f) })
		}
	}
	return items, counts
}

// single returns the place of the only field to keep; -1 if there is none, or several.
func single(fields []Field, keep func(i int, f Field) bool) int {
	found := -1
	for i, f := range fields {
		if keep(i, f) {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

// NamesInPairs returns which of the parts of a column of pairs has the names of the items, which are codes in another
// part: the one that was asked for, or the only one that is known to; -1 for none.
func (n Names) NamesInPairs(column string, inner []Field, items int) int {
	if n.ItemNames == NoNames || items < 0 || n.ItemNames == "" && holdsNames(inner[items].Name) {
		return -1
	}
	return single(inner, func(i int, f Field) bool {
		known := n.ItemNames == "" && holdsNames(f.Name)
		return i != items && f.Kind == Bytes && (known || n.ItemNames == column+"."+f.Name)
	})
}

// holdsNames reports whether a column of this name is known to hold names of items, not their codes.
func holdsNames(name string) bool { return IsNameOfItem(name) && FoldName(name) != "id" }

// unfitCount returns the name of the field that looks like counts but does not hold numbers, where no count was chosen;
// "" for none.
func unfitCount(inner []Field, items, counts int) string {
	for i, f := range inner {
		if counts < 0 && i != items && IsCountName(f.Name) && !f.Kind.isNumber() {
			return f.Name
		}
	}
	return ""
}
