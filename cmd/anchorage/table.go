// This file lays topics out as a table for a terminal.

package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"
)

const (
	separator  = " · " // between items, whose names may contain blanks
	usualWidth = 120   // where nobody says how wide lines may be
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

// topicColumn is a column of items in a table of topics.
type topicColumn struct {
	title string
	width int
	shown map[string]string       // the items as they are shown, by name
	items [][]string              // of each topic
	lines func([]string) []string // the lines of a cell, from the items as they are shown
}

// printTable prints the topics in columns that fill the width. With all, it prints all their items, in as many lines as they take; without,
// those that fit into one line.
func printTable(w io.Writer, views []topicView, width int, all bool) {
	columns := topicColumns(views, width, all)
	line, names := tableBegin(views), nameWidth(views, width)
	if names > 0 {
		line += "  " + pad("name", names)
	}
	for _, column := range columns {
		line += "  " + pad(column.title, column.width)
	}
	fmt.Fprintln(w, strings.TrimRight(line, " "))
	for k, v := range views {
		begin := fmt.Sprintf("%5d  %4.1f%%", v.Topic, 100*v.Share)
		if v.idView != nil {
			begin = fmt.Sprintf("%5d  %5d  %4.1f%%", v.Topic, v.ID, 100*v.Share)
		}
		if names > 0 {
			begin += "  " + pad(shorten(clean(v.Name), names), names)
		}
		printRow(w, begin, columns, k)
	}
}

// nameWidth returns the width of the column of names; 0 if there are none.
func nameWidth(views []topicView, width int) int {
	widest := 0
	for _, v := range views {
		widest = max(widest, textWidth(clean(v.Name)))
	}
	if widest == 0 {
		return 0
	}
	return min(max(widest, len("name")), width/5)
}

// tableBegin returns the titles of the columns before those of items.
func tableBegin(views []topicView) string {
	begin := "topic  share"
	if len(views) > 0 && views[0].idView != nil {
		begin = "topic     id  share"
	}
	return begin
}

// printRow prints a topic: its number and share, and its row of the columns, in as many lines as the longest cell.
func printRow(w io.Writer, begin string, columns []topicColumn, k int) {
	cells, height := make([][]string, len(columns)), 1
	for c, column := range columns {
		shown := make([]string, len(column.items[k]))
		for i, item := range column.items[k] {
			shown[i] = column.shown[item]
		}
		cells[c] = column.lines(shown)
		height = max(height, len(cells[c]))
	}
	for i := range height {
		line := begin
		for c, column := range columns {
			cell := ""
			if i < len(cells[c]) {
				cell = cells[c][i]
			}
			line += "  " + pad(cell, column.width)
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
		begin = strings.Repeat(" ", len(begin))
	}
}

// topicColumns returns the columns of a table: the anchors if there are any, the prominent items, and the characteristic ones where the
// width is enough for both.
func topicColumns(views []topicView, width int, all bool) (columns []topicColumn) {
	var anchors, prominent, characteristic [][]string
	for _, v := range views {
		anchors = append(anchors, cleanAll([]string{v.Anchor}))
		prominent, characteristic = append(prominent, cleanAll(v.Prominent)), append(characteristic, cleanAll(v.Characteristic))
	}
	anchor := anchorWidth(views, width)
	if anchor > 0 {
		first := func(items []string) []string { return items[:1] }
		columns = append(columns, newTopicColumn("anchor", anchor, anchor, anchors, first))
	}
	lists, room := listColumns(views, width)
	cell := func(items []string) []string {
		lines := wrapped(items, room)
		if !all {
			lines = lines[:min(len(lines), 1)]
		}
		return lines
	}
	columns = append(columns, newTopicColumn("prominent", room, itemWidth(room), prominent, cell))
	if lists == 2 {
		columns = append(columns, newTopicColumn("characteristic", room, itemWidth(room), characteristic, cell))
	}
	return columns
}

// anchorWidth returns the width of the column of anchors; 0 if there are none.
func anchorWidth(views []topicView, width int) int {
	widest := 0
	for _, v := range views {
		widest = max(widest, textWidth(clean(v.Anchor)))
	}
	if widest == 0 {
		return 0
	}
	return min(max(widest, len("anchor")), width/5)
}

// listColumns returns how many columns of items fit into a table, and the width of each. There are two if most lists of both kinds can show
// three items.
func listColumns(views []topicView, width int) (lists, room int) {
	room = width - len(tableBegin(views)) - 2
	if anchor := anchorWidth(views, width); anchor > 0 {
		room -= anchor + 2
	}
	if names := nameWidth(views, width); names > 0 {
		room -= names + 2
	}
	var widths []int
	for _, v := range views {
		if v.Characteristic == nil {
			return 1, room
		}
		for _, name := range v.Prominent {
			widths = append(widths, textWidth(clean(name)))
		}
	}
	slices.Sort(widths)
	half := (room - 2) / 2
	if n := len(widths); n > 0 && 3*widths[n*3/4]+2*textWidth(separator) <= half {
		return 2, half
	}
	return 1, room
}

// itemWidth returns how wide an item may be in a list: so that three fit into a line, or fewer if that would leave too little of each.
func itemWidth(line int) int {
	return min(max((line-2*textWidth(separator))/3, itemLeast), line)
}

// newTopicColumn returns a column whose items are at most so wide.
func newTopicColumn(title string, width, item int, items [][]string, lines func([]string) []string) topicColumn {
	var names []string
	for _, list := range items {
		names = append(names, list...)
	}
	return topicColumn{title, width, shortenAll(names, item), items, lines}
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

// fitting joins as many items as fit into a line of a width, at least one. Items that would take most of it are shortened.
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
