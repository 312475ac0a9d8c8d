// This file defines the steps of a script: the table of their kinds, how each is written, and how scripts are read, a
// step per line, words between spaces.

package steer

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what a step does.
type Kind string

// The kinds of steps.
const (
	Name   Kind = "name"   // gives a topic a name
	Seed   Kind = "seed"   // makes the mean row of some items the corner of a topic, or of a new one
	Ban    Kind = "ban"    // keeps items from being anchors, or out of all lists
	Merge  Kind = "merge"  // makes one topic of several
	Split  Kind = "split"  // makes two topics of one
	Pin    Kind = "pin"    // lets topics survive when the model is learned again
	Remove Kind = "remove" // takes items out of the model
)

// NewTopic is written in place of a topic where a seed makes a new one.
const NewTopic = "new"

// The scopes of a ban.
const (
	AsAnchor = "anchor" // the item is no topic's anchor
	InLists  = "item"   // no list of a topic shows the item
)

// Step is a line of a script.
type Step struct {
	Line int // in the script, from 1; 0 for a step that is not from a script. It names the step in errors
	Kind Kind
	// Topics are the topics that the step is about, by id or name: one for Name, Seed and Split, two or more for Merge,
	// one or more for Pin.
	Topics []string
	Items  []string // of Seed, Ban and Remove
	Name   string   // of Name
	Scope  string   // of Ban: AsAnchor or InLists
}

// Script is what is wanted of a model, step by step.
type Script []Step

// kind is what a script says of a kind of step.
type kind struct {
	name        Kind
	usage       string
	least, most int // words after the kind
	// read sets the fields of a step from the words after its kind, if they are as many.
	read func(s *Step, words []string) error
	// words are those of a step after its kind.
	words func(s *Step) []string
}

// anyNumber is the most words of a kind that takes any number.
const anyNumber = math.MaxInt

// kinds is the table of all.
var kinds = []kind{
	{Name, "name TOPIC NAME", 2, anyNumber, func(s *Step, words []string) error {
		s.Topics, s.Name = words[:1], strings.Join(words[1:], " ")
		return checkName(s.Name)
	}, func(s *Step) []string { return append(slices.Clone(s.Topics), s.Name) }},
	{Seed, "seed TOPIC|new ITEM...", 2, anyNumber, func(s *Step, words []string) error {
		s.Topics, s.Items = words[:1], words[1:]
		return nil
	}, func(s *Step) []string { return append(slices.Clone(s.Topics), s.Items...) }},
	{Ban, "ban anchor|item ITEM...", 2, anyNumber, func(s *Step, words []string) error {
		if s.Scope, s.Items = words[0], words[1:]; s.Scope != AsAnchor && s.Scope != InLists {
			return errUsage
		}
		return nil
	}, func(s *Step) []string { return append([]string{s.Scope}, s.Items...) }},
	{Merge, "merge TOPIC TOPIC...", 2, anyNumber, readTopics, topicWords},
	{Split, "split TOPIC", 1, 1, readTopics, topicWords},
	{Pin, "pin TOPIC...", 1, anyNumber, readTopics, topicWords},
	{Remove, "remove ITEM...", 1, anyNumber, func(s *Step, words []string) error { s.Items = words; return nil },
		func(s *Step) []string { return s.Items }},
}

func readTopics(s *Step, words []string) error { s.Topics = words; return nil }
func topicWords(s *Step) []string              { return s.Topics }

// fill sets the fields of a step from the words after its kind.
func (k *kind) fill(s *Step, words []string) error {
	if len(words) < k.least || len(words) > k.most {
		return errUsage
	}
	return k.read(s, words)
}

// kindOf returns a kind of step, nil if none has that name.
func kindOf(name Kind) *kind {
	if at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name }); at >= 0 {
		return &kinds[at]
	}
	return nil
}

// Usages returns how a step of each kind is written, for help texts.
func Usages() []string {
	var list []string
	for _, k := range kinds {
		list = append(list, k.usage)
	}
	return list
}

// String returns the step as a line of a script.
func (s Step) String() string {
	k := kindOf(s.Kind)
	if k == nil {
		return string(s.Kind)
	}
	line := string(s.Kind)
	for _, w := range k.words(&s) {
		line += " " + quoted(w)
	}
	return line
}

// check returns an *Error unless the step is one that a script could have.
func (s *Step) check() error {
	k := kindOf(s.Kind)
	if k == nil {
		return s.fail("there is no step %q", s.Kind)
	}
	if k.fill(&Step{Kind: s.Kind, Line: s.Line}, k.words(s)) != nil {
		return s.fail("is not of the form: %s", k.usage)
	}
	return nil
}

// String returns the canonical text of the script, which Parse reads back.
func (s Script) String() string {
	var text strings.Builder
	for _, step := range s {
		text.WriteString(step.String())
		text.WriteByte('\n')
	}
	return text.String()
}

// quoted returns a word as scripts hold it.
func quoted(text string) string {
	hidden := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }
	if text == "" || strings.ContainsAny(text[:1], `#"`) || !utf8.ValidString(text) || strings.ContainsFunc(text, hidden) {
		return strconv.Quote(text)
	}
	return text
}

// longestName is the most characters of a name.
const longestName = 200

// checkName returns an error for a name that a topic cannot have. The empty name takes a topic's name away.
func checkName(name string) error {
	if name == NewTopic {
		return fmt.Errorf("%q is the word for a new topic and cannot be a name", name)
	}
	if name != "" && strings.Trim(name, "0123456789") == "" {
		return fmt.Errorf("%q is a number, and numbers are ids of topics", name)
	}
	if !utf8.ValidString(name) || utf8.RuneCountInString(name) > longestName {
		return fmt.Errorf("a name has at most %d characters of UTF-8", longestName)
	}
	if strings.ContainsFunc(name, unicode.IsControl) {
		return fmt.Errorf("%q has a control character", name)
	}
	return nil
}

// Error says which step is impossible, and why.
type Error struct {
	Line   int    // of the step in its script, 0 if it is from none
	Step   string // the step, or the line that is not one
	Reason string
	Err    error // what Reason is made of, such as a *model.UnknownItemError; may be nil
}

// Error names the line, the step and the reason.
func (e *Error) Error() string {
	where := "step"
	if e.Line > 0 {
		where = fmt.Sprintf("line %d of the script", e.Line)
	}
	return fmt.Sprintf("%s, %.120q: %s", where, e.Step, e.Reason)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

func (s *Step) fail(reason string, args ...any) *Error {
	return &Error{Line: s.Line, Step: s.String(), Reason: fmt.Sprintf(reason, args...)}
}

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
