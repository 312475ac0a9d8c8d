// This file chooses item and count among the parts of a pair.

package roles

import (
	"slices"
	"strings"
)

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
		func(f Field) bool { return f.isCount() },
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
		if counts < 0 && i != items && f.isCount() && !f.Kind.isNumber() {
			return f.Name
		}
	}
	return ""
}
