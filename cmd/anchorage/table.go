// This file lays results out as tables for a terminal.

package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"
)

const (
	separator  = " · " // between items, whose names may contain blanks
	usualWidth = 120   // if the width of lines is unknown
	leastWidth = 40
	itemLeast  = 22 // a long name keeps at least so much in a list
)

// width returns how many cells a line on stdout has: those of the terminal, otherwise what COLUMNS says.
func (p *program) width() int {
	if file, ok := p.stdout.(*os.File); ok {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 0 {
			return max(columns, leastWidth)
		}
	}
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		return max(columns, leastWidth)
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

// table is a table whose columns are known.
type table struct {
	titles []string
	widths []int // of the columns of cells
	lists  int   // that fit
	room   int   // the width of a list
}

// newTable measures a table. titles are those of the columns of cells, in which numbers end at the same place if the
// title begins with a blank, and then those of the lists, which share the rest of the width.
func newTable(titles []string, rows []tableRow, width int) *table {
	t := &table{titles: titles, room: width}
	for c := range len(rows[0].cells) {
		widest, title := 0, strings.TrimPrefix(titles[c], " ")
		for _, row := range rows {
			widest = max(widest, textWidth(clean(row.cells[c])))
		}
		if widest = max(widest, textWidth(title)); title == titles[c] {
			widest = min(widest, max(width/5, textWidth(title)))
		}
		t.widths = append(t.widths, widest)
		t.room -= widest + 2
	}
	if t.lists = len(titles) - len(t.widths); t.room < roomForLists {
		t.lists = 1
	}
	t.room = max((t.room-2*(t.lists-1))/t.lists, leastList)
	return t
}

// print prints the rows below the titles. With all, it prints all items of the lists, in as many lines as they take;
// otherwise those that fit into one line.
func (t *table) print(w io.Writer, rows []tableRow, all bool) {
	line := ""
	for c, title := range t.titles[:len(t.widths)+t.lists] {
		line += t.cell(c, strings.TrimPrefix(title, " "))
	}
	fmt.Fprintln(w, strings.TrimRight(line, " "))
	shown := t.shorten(rows)
	for _, row := range rows {
		begin, lines, height := "", make([][]string, t.lists), 1
		for c, cell := range row.cells {
			begin += t.cell(c, shown[c][clean(cell)])
		}
		for l := range lines {
			names := make([]string, len(row.lists[l]))
			for i, item := range row.lists[l] {
				names[i] = shown[len(t.widths)+l][clean(item)]
			}
			lines[l] = wrapped(names, t.room)
			height = max(height, len(lines[l]))
		}
		if !all {
			height = 1
		}
		for at := range height {
			line := begin
			for l, list := range lines {
				if at < len(list) {
					line += t.cell(len(t.widths)+l, list[at])
				} else {
					line += t.cell(len(t.widths)+l, "")
				}
			}
			fmt.Fprintln(w, strings.TrimRight(line, " "))
			begin = strings.Repeat(" ", textWidth(begin))
		}
	}
}

// shorten returns the names in each column as they are shown.
func (t *table) shorten(rows []tableRow) []map[string]string {
	shown := make([]map[string]string, len(t.widths)+t.lists)
	for c := range shown {
		var names []string
		width := itemWidth(t.room)
		for _, row := range rows {
			if c < len(t.widths) {
				names, width = append(names, clean(row.cells[c])), t.widths[c]
			} else {
				names = append(names, cleanAll(row.lists[c-len(t.widths)])...)
			}
		}
		shown[c] = shortenAll(names, width)
	}
	return shown
}

// cell returns a cell of a column, with the blanks after it.
func (t *table) cell(column int, text string) string {
	width := t.room
	if column < len(t.widths) {
		width = t.widths[column]
	}
	if blanks := width - textWidth(text); strings.HasPrefix(t.titles[column], " ") {
		return strings.Repeat(" ", max(blanks, 0)) + text + "  "
	}
	return pad(text, width) + "  "
}

// itemWidth returns how wide an item may be in a list: so that three fit into a line, or fewer if that would leave too
// little of each.
func itemWidth(line int) int {
	return min(max((line-2*textWidth(separator))/3, itemLeast), line)
}

// wrapped joins items in lines of a width, at least one item in each. It shortens an item that is wider than a line.
func wrapped(items []string, width int) []string {
	var lines []string
	line := ""
	for _, item := range items {
		switch next := line + separator + item; {
		case line == "":
			line = shorten(item, width)
		case textWidth(next) <= width:
			line = next
		default:
			lines = append(lines, line)
			line = shorten(item, width)
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
