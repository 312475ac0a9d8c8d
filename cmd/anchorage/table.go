// This file says how wide tables on stdout are.

package main

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"

	"anchorage/internal/table"
)

const (
	usualWidth = 120 // if the width of a terminal is unknown
	leastWidth = 40
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
		return table.Open
	}
	return usualWidth
}

// printTable prints a table as wide as lines are.
func (p *program) printTable(w io.Writer, titles []string, rows []table.Row, all bool) {
	if len(rows) > 0 {
		table.New(titles, rows, p.width()).Print(w, all)
	}
}
