// This file chooses the columns of a table in which a row is a document, and a cell holds all its items.

package roles

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
