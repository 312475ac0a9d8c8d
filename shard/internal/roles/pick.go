// This file finds fields by a rule and says what is wrong if it finds none, or several.

package roles

import (
	"fmt"
	"slices"
	"strings"

	"anchorage/shard/fault"
)

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
