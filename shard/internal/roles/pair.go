// This file chooses item and count among the parts of a pair.

package roles

import "strings"

// ChoosePair returns which of the fields of a struct, or of key and value of a map, is the item and which the count; -1
// for none. A dotted name, "column.field", decides; then names, then types.
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
		func(f Field) bool { return !dottedItem && isItemName(f.Name) },
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

// UnfitCount returns the name of the field that looks like counts but does not hold numbers, where no count was chosen;
// "" for none.
func UnfitCount(inner []Field, items, counts int) string {
	for i, f := range inner {
		if counts < 0 && i != items && f.isCount() && !f.Kind.isNumber() {
			return f.Name
		}
	}
	return ""
}
