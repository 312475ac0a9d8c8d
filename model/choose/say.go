// This file says a choice in sentences.

package choose

import (
	"fmt"
	"strings"
)

// Sentence says the recommendation, its interval and its reason.
func (c *Count) Sentence() string {
	var b strings.Builder
	if c.There > 0 {
		fmt.Fprintf(&b, "%d topics, because with more the certificate was not good. The documents show %d", c.Topics, c.There)
	} else {
		fmt.Fprintf(&b, "%d topics", c.Topics)
	}
	switch {
	case c.Open:
		fmt.Fprintf(&b, ", from %d up, where the range ends with %d", c.Low, c.To)
	case c.Low < c.High:
		fmt.Fprintf(&b, ", from %d to %d", c.Low, c.High)
	}
	fmt.Fprintf(&b, ": %s.", c.Reason)
	return b.String()
}

// Learned says what the candidates were measured on.
func (c *Choice) Learned() string {
	return fmt.Sprintf("The candidates were learned from %d documents; %d others were held out, of which %d tokens were "+
		"predicted. Their topics are not refined.",
		c.Documents, c.Held, c.HeldTokens)
}

// Table returns the figures for people: a header and a row per candidate, all as text.
func (c *Choice) Table() (header []string, rows [][]string) {
	header = []string{"topics"}
	for _, f := range figures {
		header = append(header, f.name)
	}
	for i := range c.Candidates {
		of := &c.Candidates[i]
		row := []string{fmt.Sprint(of.Topics)}
		for _, f := range figures {
			row = append(row, f.short(of))
		}
		rows = append(rows, row)
	}
	return header, rows
}
