// This file prints results on stdout: for people, or as JSON for programs.

package main

import (
	"encoding/json"
	"io"
	"strings"

	"anchorage/internal/safetext"
)

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

// rawCellsRow is a setting of a command that writes tables of comma-separated values.
func (p *program) rawCellsRow() row {
	return row{name: "raw-cells", layer: setting, effect: none, to: &p.rawCells, values: boolean, help: "write names into csv as they are, also those that look like formulas"}
}

// encodeJSON writes one JSON value to a file, indented.
func encodeJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(safetext.JSON{W: w})
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}
