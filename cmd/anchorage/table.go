// This file lays text out in columns.

package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// width returns how many characters fit into a line on stdout.
func (p *program) width() int {
	if file, ok := p.stdout.(*os.File); ok {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 60 {
			return columns
		}
	}
	return 120
}

// printTable prints a line per topic, in columns that fill the width.
func printTable(w io.Writer, views []topicView, width int) {
	const anchorWidth = 16
	words := max((width-14-anchorWidth-4)/2, 20)
	fmt.Fprintf(w, "%5s  %5s  %s  %s  %s\n", "topic", "share", pad("anchor", anchorWidth), pad("prominent", words), "characteristic")
	for _, v := range views {
		fmt.Fprintf(w, "%5d  %4.1f%%  %s  %s  %s\n", v.Topic, 100*v.Share, pad(v.Anchor, anchorWidth),
			pad(fitting(v.Prominent, words), words), fitting(v.Characteristic, words))
	}
}

// fitting joins as many words as fit into the width, at least one.
func fitting(words []string, width int) string {
	line := ""
	for _, word := range words {
		next := word
		if line != "" {
			next = line + " " + word
		}
		if utf8.RuneCountInString(next) > width {
			break
		}
		line = next
	}
	if line == "" && len(words) > 0 {
		return pad(words[0], width)
	}
	return line
}

// pad cuts or fills s to a width in characters.
func pad(s string, width int) string {
	if n := utf8.RuneCountInString(s); n <= width {
		return s + strings.Repeat(" ", width-n)
	}
	return string([]rune(s)[:width-1]) + "…"
}
