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

// The limits of scripts, and of the lists of items that they refer to.
const (
	longestLine = 16 << 20
	mostSteps   = 100_000
	mostItems   = 10_000_000
)

var errUsage = errors.New("usage")

// word is a word of a line.
type word struct {
	text   string
	quoted bool
	file   bool // it is from a file
}

func texts(words []word) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = w.text
	}
	return list
}

// Parse reads a script: a step per line, as Usages says. Spaces separate words; a word in double quotes is a Go string.
// What follows a word that begins with # is a comment. An item @FILE means the items of a file, one per line, which
// open opens; with a nil open there are no files. The error is an *Error with the line, or that of r.
func Parse(r io.Reader, open func(name string) (io.ReadCloser, error)) (Script, error) {
	var script Script
	items := 0
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 1<<16), longestLine)
	for number := 1; lines.Scan(); number++ {
		line := lines.Text()
		if number == 1 {
			line = strings.TrimPrefix(line, "\ufeff") // some editors begin files of UTF-8 with this mark
		}
		step, found, err := parseLine(line, number, open)
		if err != nil {
			return nil, err
		}
		if !found {
			continue
		}
		script = append(script, step)
		if items += len(step.Items) + len(step.Stop); len(script) > mostSteps || items > mostItems {
			return nil, &Error{Line: number, Step: lines.Text(),
				Reason: fmt.Sprintf("a script has at most %d steps and %d items", mostSteps, mostItems)}
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, &Error{Line: len(script) + 1, Reason: fmt.Sprintf("a line has at most %d bytes", longestLine)}
	}
	return script, lines.Err()
}

// ParseStep reads one step, without files.
func ParseStep(line string) (Step, error) {
	step, found, err := parseLine(line, 0, nil)
	if err == nil && !found {
		err = &Error{Step: line, Reason: "there is no step"}
	}
	return step, err
}

// parseLine reads a line; found is false for one without a step.
func parseLine(line string, number int, open func(name string) (io.ReadCloser,
	error)) (step Step, found bool, err error) {
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
	k := kindOf(Kind(words[0].text))
	if k == nil {
		return fail("there is no step %q: there are %s", words[0].text, kindNames())
	}
	if words = words[1:]; len(words) == 0 {
		return fail("write it as: %s", k.usage)
	}
	if words, err = expand(words, k, open); err != nil {
		return Step{}, false, &Error{Line: number, Step: strings.TrimSpace(line), Reason: err.Error(), Err: err}
	}
	step = Step{Line: number, Kind: k.name}
	if len(words) == 0 {
		return fail("the file has no items")
	}
	switch err := k.read(&step, words); {
	case errors.Is(err, errUsage):
		return fail("write it as: %s", k.usage)
	case err != nil:
		return fail("%v", err)
	}
	return step, true, nil
}

// kindNames lists the kinds.
func kindNames() string {
	var names []string
	for _, k := range kinds {
		names = append(names, string(k.name))
	}
	return strings.Join(names, ", ")
}

// split returns the words of a line.
func split(line string) (words []word, err error) {
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
			words = append(words, word{text: text, quoted: true})
		default:
			end := strings.IndexFunc(line, unicode.IsSpace)
			if end < 0 {
				end = len(line)
			}
			words = append(words, word{text: line[:end]})
			line = line[end:]
		}
	}
}

// expand puts the items of files in the place of the words that name them. Only removals name files.
func expand(words []word, k *kind, open func(name string) (io.ReadCloser, error)) ([]word, error) {
	if k.name != Remove {
		return words, nil
	}
	var all []word
	for _, w := range words {
		if w.quoted || !strings.HasPrefix(w.text, "@") {
			all = append(all, w)
			continue
		}
		name := w.text[1:]
		if open == nil {
			return nil, fmt.Errorf("%q names a file, and none can be read here: put an item of that name in quotes", w.text)
		}
		items, err := readItems(name, open)
		if err != nil {
			return nil, err
		}
		all = append(all, items...)
	}
	return all, nil
}

// readItems reads the items of a file, one per line. Empty lines do not count.
func readItems(name string, open func(name string) (io.ReadCloser, error)) (items []word, err error) {
	file, err := open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() // it was only read
	lines := bufio.NewScanner(file)
	lines.Buffer(make([]byte, 0, 1<<16), longestLine)
	for lines.Scan() {
		if item := strings.TrimRight(lines.Text(), "\r"); strings.TrimSpace(item) != "" {
			items = append(items, word{text: item, quoted: true, file: true})
		}
		if len(items) > mostItems {
			return nil, fmt.Errorf("%s has more than %d items", name, mostItems)
		}
	}
	return items, lines.Err()
}
