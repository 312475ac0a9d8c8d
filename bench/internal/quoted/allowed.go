// This file reads the list of figures that results do not hold.

package quoted

import (
	"fmt"
	"slices"
	"strings"
)

// Allowed are figures that need not be in results: those of a section, by the document and its heading.
type Allowed struct {
	entries map[string][]*allowance
}

type allowance struct {
	figures []string // nil for all
	why     string   // the command that makes them, or what they are
	line    int
	used    bool
}

// ParseAllowed reads a list: a line of FILE#HEADING, the figures, and why, with tabs between them. The heading may be * for all
// of the document. The figures are as Figure.Text has them, with semicolons between them, or * for all. Empty lines and those that begin with # are left out.
func ParseAllowed(text string) (*Allowed, error) {
	a := &Allowed{make(map[string][]*allowance)}
	for at, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 3 || strings.TrimSpace(fields[2]) == "" || !strings.Contains(fields[0], "#") {
			return nil, fmt.Errorf("line %d is not FILE#HEADING, figures and why, with tabs between them: %s", at+1, line)
		}
		entry := &allowance{why: fields[2], line: at + 1}
		if fields[1] != "*" {
			for figure := range strings.SplitSeq(fields[1], ";") {
				entry.figures = append(entry.figures, strings.TrimSpace(figure))
			}
		}
		a.entries[fields[0]] = append(a.entries[fields[0]], entry)
	}
	return a, nil
}

// Has says whether a figure of a section is on the list.
func (a *Allowed) Has(s *Section, f Figure) bool {
	found := false
	for _, entry := range slices.Concat(a.entries[s.File+"#"+s.Heading], a.entries[s.File+"#*"]) {
		match := entry.figures == nil
		for _, text := range entry.figures {
			match = match || text == f.Text
		}
		if match {
			entry.used, found = true, true
		}
	}
	return found
}

// Unused returns the lines of the list that no figure needed.
func (a *Allowed) Unused() (lines []int) {
	for _, entries := range a.entries {
		for _, entry := range entries {
			if !entry.used {
				lines = append(lines, entry.line)
			}
		}
	}
	return lines
}
