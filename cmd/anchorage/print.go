// This file prints results on stdout: for people, or as JSON for programs.

package main

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/internal/safetext"
)

// withFlags gives a command its flags, which help lists in the order in which add adds them. --json is the last.
func (p *program) withFlags(cmd *cobra.Command, add func(*pflag.FlagSet)) *cobra.Command {
	flags := cmd.Flags()
	flags.SortFlags = false
	add(flags)
	flags.BoolVar(&p.json, "json", false, "print the result as one line of JSON, and errors on stderr likewise")
	return cmd
}

// print prints the result of a command: value as a line of JSON with --json, otherwise the text that write writes, without characters
// that a terminal would obey.
func (p *program) print(value any, write func(io.Writer)) error {
	p.bar.close()
	if p.json {
		encoder := json.NewEncoder(safetext.JSON{W: p.stdout}) // a value on one line
		encoder.SetEscapeHTML(false)
		return encoder.Encode(value)
	}
	var text strings.Builder
	write(&text)
	_, err := io.WriteString(p.stdout, safetext.Lines(text.String()))
	return err
}

// rawCellsFlag adds --raw-cells to a command that writes tables of comma-separated values.
func (p *program) rawCellsFlag(flags *pflag.FlagSet) {
	flags.BoolVar(&p.rawCells, "raw-cells", false, "write names into csv as they are; otherwise characters of control are escaped, and an apostrophe precedes names that a spreadsheet would take for formulas, which begin with = + - or @")
}

// encodeJSON writes one JSON value to a file, indented.
func encodeJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(safetext.JSON{W: w})
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}
