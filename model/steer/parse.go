// This file reads scripts: a step per line, words between spaces.

package steer

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
)

const longestLine = 16 << 20

var errUsage = errors.New("usage")

// Parse reads a script: a step per line, as Usages says. Spaces separate words; a word in double quotes is a Go string.
// What follows a word that begins with # is a comment. The error is an *Error with the line, or that of r.
func Parse(r io.Reader) (Script, error) {
	var script Script
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 1<<16), longestLine)
	for number := 1; lines.Scan(); number++ {
		line := lines.Text()
		if number == 1 {
			line = strings.TrimPrefix(line, "\ufeff") // some editors begin files of UTF-8 with this mark
		}
		step, found, err := parseLine(line, number)
		if err != nil {
			return nil, err
		}
		if found {
			script = append(script, step)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, &Error{Line: len(script) + 1, Reason: fmt.Sprintf("a line has at most %d bytes", longestLine)}
	}
	return script, lines.Err()
}

// ParseStep reads one step.
func ParseStep(line string) (Step, error) {
	step, found, err := parseLine(line, 0)
	if err == nil && !found {
		err = &Error{Step: line, Reason: "there is no step"}
	}
	return step, err
}

// parseLine reads a line; found is false for one without a step.
func parseLine(line string, number int) (step Step, found bool, err error) {
	fail := func(reason string, args ...any) (Step, bool, error) {
		return Step{}, false, &Error{Line: number, Step: strings.TrimSpace(line), Reason: fmt.Sprintf(reason, args...)}
	}
	words, err := split(line)
	if err != nil {
		return fail("%v", err)
	}
	if len(words) == 0 {
		return Step{}, false, nil
	}
	k := kindOf(Kind(words[0]))
	if k == nil {
		var names []string
		for _, k := range kinds {
			names = append(names, string(k.name))
		}
		return fail("there is no step %q: there are %s", words[0], strings.Join(names, ", "))
	}
	step = Step{Line: number, Kind: k.name}
	switch err := k.fill(&step, words[1:]); {
	case errors.Is(err, errUsage):
		return fail("write it as: %s", k.usage)
	case err != nil:
		return fail("%v", err)
	}
	return step, true, nil
}

// split returns the words of a line.
func split(line string) (words []string, err error) {
	for {
		line = strings.TrimLeftFunc(line, unicode.IsSpace)
		switch {
		case line == "" || line[0] == '#':
			return words, nil
		case line[0] == '"':
			prefix, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, errors.New("a quotation does not end, or has an escape that Go strings do not have")
			}
			text, err := strconv.Unquote(prefix)
			if err != nil {
				return nil, errors.New("a quotation has an escape that Go strings do not have")
			}
			if line = line[len(prefix):]; line != "" && !unicode.IsSpace([]rune(line[:min(len(line), 4)])[0]) {
				return nil, errors.New("a space must follow a quotation")
			}
			words = append(words, text)
		default:
			end := strings.IndexFunc(line, unicode.IsSpace)
			if end < 0 {
				end = len(line)
			}
			words = append(words, line[:end])
			line = line[end:]
		}
	}
}
