// This file holds the quality gate: a run whose certificate falls short of what was required ends with a code of its own.

package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"anchorage/model"
)

// gateFlags say what the certificate of a model must reach.
type gateFlags struct {
	text         string
	requirements []model.Requirement
}

// add adds the flag.
func (f *gateFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.text, "require", "", "figures of the certificate that the model must reach, with commas between them: NAME for a good one, or NAME=NUMBER with the worst value that is enough; if it falls short, the run ends with code 16, and fit writes the model all the same, but no store takes it; names are "+strings.Join(model.CertifiedFigures(), ", "))
}

// check reads the flag, before any work.
func (f *gateFlags) check() (err error) {
	f.requirements, err = model.ParseRequirements(f.text)
	return err
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
