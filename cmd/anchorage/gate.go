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
	flags.StringVar(&f.text, "require", "", "figures of the certificate that the model must reach, with commas between them: NAME for a good one, or NAME=NUMBER with the worst value that is enough; a model that falls short is written all the same, and the run ends with code 16; names are "+strings.Join(model.CertifiedFigures(), ", "))
}

// check reads the flag, before any work.
func (f *gateFlags) check() (err error) {
	f.requirements, err = model.ParseRequirements(f.text)
	return err
}

// judge returns a *shortError if the certificate of the model at a path falls short.
func (f *gateFlags) judge(c *model.Certificate, output string) error {
	if short := c.Falls(f.requirements); len(short) > 0 {
		return &shortError{output, short}
	}
	return nil
}

// shortError reports that a complete model falls short of what was required.
type shortError struct {
	output string
	short  []model.Shortfall
}

// Error lists the figures that fall short.
func (e *shortError) Error() string {
	lines := make([]string, len(e.short))
	for i, s := range e.short {
		lines[i] = s.String()
	}
	return fmt.Sprintf("the model in %s is complete, but falls short: %s", e.output, strings.Join(lines, "; "))
}
