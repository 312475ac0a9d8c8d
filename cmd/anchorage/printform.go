// This file prints a result in the form that the user chooses: a table, or a form for other programs.

package main

import (
	"errors"
	"io"
	"strings"
)

// printForm is a form in which a result is printed.
type printForm[T any] struct {
	name, help string
	write      func(p *program, w io.Writer, result T) error
}

// formRow is --format. The first form is the default.
func formRow[T any](format *string, forms []printForm[T]) row {
	var list []word
	for _, form := range forms {
		list = append(list, word{form.name, form.help, nil})
	}
	return row{name: "format", group: outputGroup, effect: none, to: format, usual: forms[0].name, values: choice(list...), help: "form of the output: " + orList(values{words: list}.names())}
}

// formOf returns the form that --format names; with --json it is json.
func formOf[T any](p *program, forms []printForm[T], name string) (printForm[T], error) {
	if p.json {
		if name != forms[0].name && name != "json" {
			return printForm[T]{}, &usageError{errors.New("--json is --format json: leave one of the two out")}
		}
		name = "json"
	}
	for _, form := range forms {
		if form.name == name {
			return form, nil
		}
	}
	panic("a form that oneOf knows is in the table")
}

// printAs prints a result on stdout in a form, or value as a line of JSON with --json.
func printAs[T any](p *program, form printForm[T], result T, value any) error {
	if p.json {
		return p.print(value, nil)
	}
	p.bar.close()
	var text strings.Builder
	if err := form.write(p, &text, result); err != nil {
		return err
	}
	_, err := io.WriteString(p.stdout, text.String())
	return err
}
