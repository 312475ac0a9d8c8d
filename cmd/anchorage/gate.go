// This file holds the quality gate: a run whose certificate falls short of what was required ends with a code of its own.

package main

import (
	"fmt"
	"strings"

	"anchorage/model"
)

// gateFlags say what the certificate of a model must reach.
type gateFlags struct{ requirements []model.Requirement }

// row is the flag.
func (f *gateFlags) row() row {
	set := func(text string) (err error) {
		f.requirements, err = model.ParseRequirements(text)
		return err
	}
	return row{name: "require", group: outputGroup, effect: none, to: set, values: anyText.named("NAME[=N],..."), help: "figures that the certificate must reach; else the run ends with code 16"}
}

// judge returns a *shortError if the certificate falls short of the model that is complete at a path, or that no store will have if the
// path is empty.
func (f *gateFlags) judge(c *model.Certificate, output string) error {
	if short := c.Falls(f.requirements); len(short) > 0 {
		return &shortError{output, short}
	}
	return nil
}

// shortError reports that a model falls short of what was required.
type shortError struct {
	output string // where the model is complete; empty if it was not written
	short  []model.Shortfall
}

// Error lists the figures that fall short.
func (e *shortError) Error() string {
	lines := make([]string, len(e.short))
	for i, s := range e.short {
		lines[i] = s.String()
	}
	if e.output == "" {
		return "the new model falls short, so the store keeps the one that it has: " + strings.Join(lines, "; ")
	}
	return fmt.Sprintf("the model in %s is complete, but falls short: %s", e.output, strings.Join(lines, "; "))
}
