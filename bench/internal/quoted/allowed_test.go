// This file reads the list of figures that results do not hold.

package quoted

import (
	"fmt"
	"slices"
	"strings"
)

// Allowed are figures that need not be in results.
type Allowed []*allowance

type allowance struct {
	section string   // FILE#HEADING
	figures []string // "*" for all
	line    int
	used    bool
}

// ParseAllowed reads a list: lines of FILE#HEADING, the figures, and why, with tabs between them. The heading may be *
// for all of the document. The figures are as Figure.Text has them, with semicolons between them, or * for all. Empty
// lines and those that begin with # are left out.
func ParseAllowed(text string) (a Allowed, err error) {
	for at, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 3 || strings.TrimSpace(fields[2]) == "" || !strings.Contains(fields[0], "#") {
			return nil, fmt.Errorf("line %d is not FILE#HEADING, figures and why, with tabs between them: %s", at+1, line)
		}
		a = append(a, &allowance{section: fields[0], figures: strings.Split(fields[1], ";"), line: at + 1})
	}
	return a, nil
}

// Has says whether a figure of a section is on the list.
func (a Allowed) Has(s *Section, f Figure) (found bool) {
	for _, entry := range a {
		if entry.section != s.File+"#"+s.Heading && entry.section != s.File+"#*" {
			continue
		}
		if slices.Contains(entry.figures, "*") || slices.Contains(entry.figures, f.Text) {
			entry.used, found = true, true
		}
	}
	return found
}

// Unused returns the lines of the list that no figure needed.
func (a Allowed) Unused() (lines []int) {
	for _, entry := range a {
		if !entry.used {
			lines = append(lines, entry.line)
		}
	}
	return lines
}
