// This file prints results on stdout: for people, in a form for other programs, or as JSON. Names from data lose what a
// terminal would obey, and tables are as wide as lines are.

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"

	"anchorage/internal/page"
	"anchorage/internal/safetext"
	"anchorage/internal/table"
)

// print prints the result of a command: value as a line of JSON with --json, otherwise the text that write writes,
// without characters that a terminal would obey.
func (p *program) print(value any, write func(io.Writer)) error {
	p.bar.close()
	if p.json {
		return encodeJSON(p.stdout, value, "")
	}
	var text strings.Builder
	if p.coloured() {
		write(paper{&text})
		_, err := io.WriteString(p.stdout, text.String())
		return err
	}
	write(&text)
	_, err := io.WriteString(p.stdout, safetext.Lines(text.String()))
	return err
}

// coloured reports whether stdout shows colours: it is a terminal, and the environment allows them (no-color.org).
func (p *program) coloured() bool {
	return p.colours || isTerminal(p.stdout) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// paper takes text for a terminal that shows colours. What is written loses what a terminal would obey.
type paper struct{ text *strings.Builder }

func (p paper) Write(text []byte) (int, error) {
	p.text.WriteString(safetext.Lines(string(text)))
	return len(text), nil
}

// inks are the hues of the report among the 256 colours of terminals, each legible on black and on white.
var inks = [page.Hues + 1]int{1: 32, 166, 35, 168, 136, 245}

// Ink writes text in the colour of a topic.
func (p paper) Ink(hue int, text string) {
	fmt.Fprintf(p.text, "\x1b[38;5;%dm%s\x1b[39m", inks[hue], clean(text))
}

// encodeJSON writes one JSON value, on one line if it is not indented.
func encodeJSON(w io.Writer, value any, indent string) error {
	encoder := json.NewEncoder(safetext.JSON{W: w})
	encoder.SetIndent("", indent)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// clean returns a name without anything that a terminal would obey, line breaks and tabs among it. Whatever prints
// names calls it: in text of several lines their line breaks would look like its own.
func clean(s string) string { return safetext.Text(s) }

// printf is fmt.Fprintf with text among the arguments cleaned: line breaks are those of the format.
func printf(w io.Writer, format string, args ...any) (int, error) {
	for i, arg := range args {
		switch text := arg.(type) {
		case string:
			args[i] = clean(text)
		case error:
			args[i] = clean(text.Error())
		case fmt.Stringer:
			args[i] = clean(text.String())
		}
	}
	return fmt.Fprintf(w, format, args...)
}

// cleanMessage returns the text of an error on one line, or on one for each error that it joins.
func cleanMessage(err error, text string) string {
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return clean(text)
	}
	for _, one := range joined.Unwrap() {
		if strings.Contains(one.Error(), "\n") {
			text = strings.Replace(text, one.Error(), clean(one.Error()), 1)
		}
	}
	return safetext.Lines(text)
}

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
