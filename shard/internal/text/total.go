// This file finds the row of totals that people put below a table.

package text

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"anchorage/shard/internal/roles"
)

// totals are words for a total, folded as names of columns are.
var totals = map[string]bool{"total": true, "totals": true, "grandtotal": true, "sum": true, "summe": true,
	"gesamt": true, "gesamtsumme": true, "gesamtergebnis": true, "insgesamt": true, "totale": true, "totalgeneral": true,
	"somme": true, "suma": true, "soma": true, "somma": true, "totaal": true, "итого": true, "всего": true, "合计": true,
	"总计": true, "合計": true, "합계": true}

// isTotal reports whether a record may be a row of totals: the word for it in the column of documents, or in the first
// where no column has documents, and otherwise only numbers and empty cells. The cell of the items of a long table is
// empty.
func (c *csvRows) isTotal(record []string) bool {
	items := c.columns.Items // what most rows have
	if len(c.layout.texts) > 0 {
		items = c.layout.texts[0]
	}
	if items >= 0 && record[items] != "" {
		return false
	}
	at := max(c.columns.Document, 0)
	if len(record) < 2 || !totals[roles.FoldName(record[at])] {
		return false
	}
	for i, cell := range record {
		cell = strings.TrimSpace(cell)
		_, wrong := strconv.ParseFloat(strings.NewReplacer(",", "", ".", "", " ", "", "\u00a0", "").Replace(cell), 64)
		if i != at && cell != "" && wrong != nil {
			return false
		}
	}
	return true
}

// leaveTotal counts a record and returns io.EOF if it is a row of totals at the end of the table; otherwise it keeps
// the record that comes after it.
func (c *csvRows) leaveTotal() error {
	c.limit.left = MaxRecord
	after, err := c.records.Read()
	for err == nil && isEmpty(after) {
		after, err = c.records.Read()
	}
	if err == io.EOF {
		c.counter.Left.Totals++
		return err
	}
	c.kept, c.keptErr = after, err
	return nil
}

// isEmpty reports whether all cells are empty, as in rows that spreadsheets write.
func isEmpty(record []string) bool {
	return !slices.ContainsFunc(record, func(cell string) bool { return strings.TrimSpace(cell) != "" })
}
