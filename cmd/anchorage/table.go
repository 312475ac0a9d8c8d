// This file lays results out as tables for a terminal.

package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"

	"anchorage/internal/safetext"
)

const (
	separator  = " · "  // between items, whose names may contain blanks
	usualWidth = 120    // if the width of a terminal is unknown
	openWidth  = 10_000 // of what another program reads
	leastWidth = 40
	itemLeast  = 22 // a long name keeps at least so much in a list
)

// width returns how many cells a line on stdout has: those of the terminal, otherwise what COLUMNS says. What another
// program reads is not cut.
func (p *program) width() int {
	if file, ok := p.stdout.(*os.File); ok {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 0 {
			return max(columns, leastWidth)
		}
	}
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		return max(columns, leastWidth)
	}
	if _, file := p.stdout.(*os.File); file && !isTerminal(p.stdout) {
		return openWidth
	}
	return usualWidth
}

// tableRow is a row of a table: cells of a few words, and after them lists of items.
type tableRow struct {
	cells []string
	lists [][]string
}

// A table shows all of its lists, and not only the first, if they have roomForLists together. A list keeps leastList.
const (
	roomForLists = 50
	leastList    = 10
)

// table is a table whose columns are measured: those of cells, and after them the lists that fit.
type table struct {
	titles []string
	rows   []tableRow
	widths []int
	lists  int
	open   bool // nothing is cut
}

// newTable measures a table. titles are those of the columns of cells, in which numbers end at the same place if the
// title begins with a blank, and then those of the lists, which share the rest of the width.
func newTable(titles []string, rows []tableRow, width int) *table {
	t, room := &table{titles: titles, rows: rows, open: width == openWidth}, width
	for c := range len(rows[0].cells) {
		title := strings.TrimPrefix(titles[c], " ")
		widest := safetext.Width(title)
		for _, row := range rows {
			widest = max(widest, safetext.Width(clean(row.cells[c])))
		}
		if title == titles[c] {
			part := width / 5
			if title == "name" {
				part = nameWidth(width)
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
			list = max(leastList, safetext.Width(titles[len(rows[0].cells)+l]))
			for _, row := range rows {
				list = max(list, safetext.Width(strings.Join(cleanAll(row.lists[l]), separator)))
			}
		}
		t.widths = append(t.widths, list)
	}
	return t
}

// nameWidth returns how wide the names of topics may be: three words fit.
func nameWidth(width int) int { return min(max(width*3/10, 32), width*2/5) }

// printTable prints a table as wide as lines are.
func (p *program) printTable(w io.Writer, titles []string, rows []tableRow, all bool) {
	if len(rows) > 0 {
		newTable(titles, rows, p.width()).print(w, all)
	}
}

// print prints the rows below the titles. With all, it prints all items of the lists, in as many lines as they take;
// otherwise those that fit into one line.
func (t *table) print(w io.Writer, all bool) {
	line := func(texts []string) {
		text := ""
		for c, cell := range texts {
			if blanks := t.widths[c] - safetext.Width(cell); strings.HasPrefix(t.titles[c], " ") {
				text += strings.Repeat(" ", max(blanks, 0)) + cell + "  "
			} else {
				text += pad(cell, t.widths[c]) + "  "
			}
		}
		fmt.Fprintln(w, strings.TrimRight(text, " "))
	}
	shown, titles := t.shorten(), make([]string, len(t.widths))
	for c := range titles {
		titles[c] = strings.TrimPrefix(t.titles[c], " ")
	}
	line(titles)
	for _, row := range t.rows {
		height, columns := 1, make([][]string, len(t.widths))
		for c := range columns {
			names := row.column(c)
			for i := range names {
				names[i] = shown[c][names[i]]
			}
			if columns[c] = names; c >= len(row.cells) {
				columns[c] = wrapped(names, t.widths[c])
			}
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
			line(texts)
		}
	}
}

// shorten returns the names in each column as they are shown.
func (t *table) shorten() []map[string]string {
	shown := make([]map[string]string, len(t.widths))
	for c, width := range t.widths {
		var names []string
		for _, row := range t.rows {
			names = append(names, row.column(c)...)
		}
		if c >= len(t.widths)-t.lists && !t.open {
			width = itemWidth(width)
		}
		shown[c] = shortenAll(names, width)
	}
	return shown
}

// column returns what is in a column, clean.
func (r tableRow) column(c int) []string {
	if c < len(r.cells) {
		return []string{clean(r.cells[c])}
	}
	return cleanAll(r.lists[c-len(r.cells)])
}

// itemWidth returns how wide an item may be in a list: so that three fit into a line, or fewer if that would leave too
// little of each.
func itemWidth(line int) int {
	return min(max((line-2*safetext.Width(separator))/3, itemLeast), line)
}

// wrapped joins items in lines of a width, at least one item in each. It shortens an item that is wider than a line.
func wrapped(items []string, width int) []string {
	var lines []string
	line := ""
	for _, item := range items {
		switch next := line + separator + item; {
		case line == "":
			line = safetext.Shorten(item, width)
		case safetext.Width(next) <= width:
			line = next
		default:
			lines = append(lines, line)
			line = safetext.Shorten(item, width)
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// fitting joins as many items as fit into a line of a width, at least one. Items that would take most of it are
// shortened.
func fitting(items []string, width int) string {
	shown, names := shortenAll(cleanAll(items), itemWidth(width)), make([]string, len(items))
	for i, item := range items {
		names[i] = shown[clean(item)]
	}
	if lines := wrapped(names, width); len(lines) > 0 {
		return lines[0]
	}
	return ""
}
