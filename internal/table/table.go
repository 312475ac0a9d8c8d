// Package table lays out tables for a terminal: columns of cells of a few words, and of lists of items, which share the
// rest of a line. Names lose what a terminal would obey, and long ones their middle.
package table

import (
	"fmt"
	"io"
	"strings"

	"anchorage/internal/safetext"
)

const (
	Separator = " · "  // between items, whose names may contain blanks
	Open      = 10_000 // the width with which nothing is cut
	itemLeast = 22     // a long name keeps at least so much in a list
)

// Row is a row of a table: cells of a few words, and after them lists of items.
type Row struct {
	Cells []string
	Lists [][]string
	Hue   int // the colour of the cells up to the name, from 1; 0 for none
}

// Ink is a writer that can colour text. Others get it as it is.
type Ink interface{ Ink(hue int, text string) }

// A table shows all of its lists, and not only the first, if they have roomForLists together. A list keeps leastList.
const (
	roomForLists = 50
	leastList    = 10
)

// Table is a table whose columns are measured: those of cells, and after them the lists that fit.
type Table struct {
	titles []string
	rows   []Row
	widths []int
	lists  int
	open   bool // nothing is cut
}

// New measures a table. titles are those of the columns of cells, in which numbers end at the same place if the
// title begins with a blank, and then those of the lists, which share the rest of the width.
func New(titles []string, rows []Row, width int) *Table {
	t, room := &Table{titles: titles, rows: rows, open: width == Open}, width
	for c := range len(rows[0].Cells) {
		title := strings.TrimPrefix(titles[c], " ")
		widest := safetext.Width(title)
		for _, row := range rows {
			widest = max(widest, safetext.Width(safetext.Text(row.Cells[c])))
		}
		if title == titles[c] {
			part := width / 5
			if title == "name" {
				part = NameWidth(width)
			}
			widest = min(widest, max(part, safetext.Width(title)))
		}
		t.widths = append(t.widths, widest)
		room -= widest + 2
	}
	if t.lists = len(titles) - len(t.widths); room < roomForLists {
		t.lists = 1
	}
	for l := range t.lists {
		list := max((room-2*(t.lists-1))/t.lists, leastList)
		if t.open { // a list is as wide as what is in it
			list = max(leastList, safetext.Width(titles[len(rows[0].Cells)+l]))
			for _, row := range rows {
				list = max(list, safetext.Width(strings.Join(cleaned(row.Lists[l]), Separator)))
			}
		}
		t.widths = append(t.widths, list)
	}
	return t
}

// NameWidth returns how wide the names of topics may be: three words fit.
func NameWidth(width int) int { return min(max(width*3/10, 32), width*2/5) }

// Lists returns the number of columns of lists that are shown.
func (t *Table) Lists() int { return t.lists }

// Print prints the rows below the titles. With all, it prints all items of the lists, in as many lines as they take;
// otherwise those that fit into one line.
func (t *Table) Print(w io.Writer, all bool) {
	ink, _ := w.(Ink)
	line := func(texts []string, hue int) {
		text := ""
		for c, cell := range texts {
			title := strings.TrimPrefix(t.titles[c], " ")
			if title == t.titles[c] {
				cell = safetext.Shorten(cell, t.widths[c])
			}
			blanks := strings.Repeat(" ", max(t.widths[c]-safetext.Width(cell), 0))
			if title != t.titles[c] { // a number
				text, blanks = text+blanks, ""
			}
			if ink != nil && hue > 0 && (title == "topic" || title == "name") {
				fmt.Fprint(w, text)
				ink.Ink(hue, cell)
				text, cell = "", ""
			}
			text += cell + blanks + "  "
		}
		fmt.Fprintln(w, strings.TrimRight(text, " "))
	}
	titles := make([]string, len(t.widths))
	for c := range titles {
		titles[c] = strings.TrimPrefix(t.titles[c], " ")
	}
	line(titles, 0)
	for _, row := range t.rows {
		height, columns := 1, make([][]string, len(t.widths))
		for c, width := range t.widths {
			if c < len(row.Cells) {
				columns[c] = []string{safetext.Text(row.Cells[c])}
				continue
			}
			most := width
			if !t.open {
				most = itemWidth(width)
			}
			columns[c] = wrapped(row.Lists[c-len(row.Cells)], width, most)
			if all {
				height = max(height, len(columns[c]))
			}
		}
		for at := range height {
			texts := make([]string, len(columns))
			for c, lines := range columns {
				if at < len(lines) {
					texts[c] = lines[at]
				}
			}
			line(texts, row.Hue)
		}
	}
}

// cleaned returns names without what a terminal would obey.
func cleaned(names []string) []string {
	clean := make([]string, len(names))
	for i, name := range names {
		clean[i] = safetext.Text(name)
	}
	return clean
}

// itemWidth returns how wide an item may be in a list: so that three fit into a line, or fewer if that would leave too
// little of each.
func itemWidth(line int) int {
	return min(max((line-2*safetext.Width(Separator))/3, itemLeast), line)
}

// wrapped joins items in lines of a width, at least one item in each. It shortens an item that is wider than most.
func wrapped(items []string, width, most int) []string {
	var lines []string
	line := ""
	for _, item := range cleaned(items) {
		item = safetext.Shorten(item, most)
		switch next := line + Separator + item; {
		case line == "":
			line = item
		case safetext.Width(next) <= width:
			line = next
		default:
			lines = append(lines, line)
			line = item
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// Fitting joins as many items as fit into a line of a width, at least one. Items that would take most of it are
// shortened.
func Fitting(items []string, width int) string {
	if lines := wrapped(items, width, itemWidth(width)); len(lines) > 0 {
		return lines[0]
	}
	return ""
}
