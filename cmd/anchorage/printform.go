// This file prints a result in the form that the user chooses: a table, or a form for other programs.

package main

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

// printForm is a form in which a result is printed.
type printForm[T any] struct {
	name, help string
	write      func(p *program, w io.Writer, result T) error
}

// formNames returns the names of forms.
func formNames[T any](forms []printForm[T]) []string {
	var names []string
	for _, form := range forms {
		names = append(names, form.name)
	}
	return names
}

// formChoices returns what completion and help say of forms.
func formChoices[T any](forms []printForm[T]) (list []choice) {
	for _, form := range forms {
		list = append(list, choice{form.name, form.help})
	}
	return list
}

// formFlag adds --format. The first form is the default.
func formFlag[T any](flags *pflag.FlagSet, format *string, forms []printForm[T]) {
	flags.StringVar(format, "format", forms[0].name, "form of the output: "+strings.Join(formNames(forms), ", "))
}

// formOf returns the form that --format names; with --json it is json.
func formOf[T any](p *program, forms []printForm[T], name string) (printForm[T], error) {
	if err := oneOf("--format", name, formNames(forms)...); err != nil {
		return printForm[T]{}, err
	}
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
