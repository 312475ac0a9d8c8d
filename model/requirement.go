// This file holds requirements: what the figures of a certificate must reach before a run counts as good enough.

package model

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"anchorage/metric"
)

// Requirement is what a figure of a certificate, or of new shards, must reach.
type Requirement struct {
	Figure    string  // the name of the figure
	Threshold float64 // the worst value that is enough
	Most      bool    // Threshold is the greatest value that is enough; otherwise it is the least
}

// String says what is required.
func (r Requirement) String() string {
	if r.Most {
		return fmt.Sprintf("%s must be at most %g", r.Figure, r.Threshold)
	}
	return fmt.Sprintf("%s must be at least %g", r.Figure, r.Threshold)
}

// ParseRequirements reads requirements with commas between them: "settled,found_again=0.5". The name of a figure of
// some scopes without a number requires that the figure is good; a name with a number gives the worst value that is
// enough. Shares lie from 0 to 1, and what should be small is at least 0. An empty text has no requirements. The error
// is an *OptionError for the option "Require".
func ParseRequirements(text string, scopes ...metric.Scope) ([]Requirement, error) {
	if text == "" {
		return nil, nil
	}
	var list []Requirement
	for word := range strings.SplitSeq(text, ",") {
		r, err := parseRequirement(strings.TrimSpace(word), scopes)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(other Requirement) bool { return other.Figure == r.Figure }) {
			return nil, badOption("Require", "%s is required twice", r.Figure)
		}
		list = append(list, r)
	}
	return list, nil
}

// parseRequirement reads one requirement.
func parseRequirement(word string, scopes []metric.Scope) (Requirement, error) {
	name, value, given := strings.Cut(word, "=")
	var of *metric.Definition
	var names []string
	for _, scope := range scopes {
		for _, d := range metric.Defined(scope) {
			if names = append(names, d.Name); d.Name == name {
				of = d
			}
		}
	}
	if of == nil {
		return Requirement{}, badOption("Require", "there is no figure %q: use %s", name, strings.Join(names, ", "))
	}
	r := Requirement{Figure: name, Threshold: of.Good, Most: of.Better == metric.Low}
	if !given {
		return r, nil
	}
	threshold, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil || math.IsNaN(threshold) || math.IsInf(threshold, 0):
		return r, badOption("Require", "%s=%s: give a number", name, value)
	case threshold < 0 || of.Better == metric.High && threshold > 1:
		return r, badOption("Require", "%s=%s: give a number from 0%s", name, value,
			map[bool]string{false: " to 1"}[of.Better == metric.Low])
	}
	r.Threshold = threshold
	return r, nil
}

// ShortError says in a sentence each which requirements a certificate does not meet.
type ShortError struct{ Short []string }

// Error joins the sentences.
func (e *ShortError) Error() string { return strings.Join(e.Short, "; ") }

// Require returns a *ShortError unless the certificate meets all requirements. A figure that was not measured falls
// short, and so does every figure of a nil certificate, which models of variational inference have.
func (c *Certificate) Require(requirements []Requirement) error {
	var short []string
	for _, r := range requirements {
		figure := c.figure(r.Figure)
		switch {
		case figure == nil || figure.Verdict == Unknown:
			short = append(short, r.String()+", and was not measured")
		case r.Most && !(figure.Value <= r.Threshold) || !r.Most && !(figure.Value >= r.Threshold):
			short = append(short, fmt.Sprintf("%s, and is %g", r, figure.Value))
		}
	}
	if short == nil {
		return nil
	}
	return &ShortError{short}
}

// figure returns the figure of a name; nil if the certificate does not have it.
func (c *Certificate) figure(name string) *Figure {
	if c != nil {
		for i := range c.Figures {
			if c.Figures[i].Name == name {
				return &c.Figures[i]
			}
		}
	}
	return nil
}
