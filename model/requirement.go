// This file holds requirements: what the figures of a certificate must reach before a run counts as good enough.

package model

import (
	"fmt"
	"strings"
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
