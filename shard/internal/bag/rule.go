// This file says which counts follow from amounts: whole numbers, fractions, returns and missing ones.

package bag

import (
	"fmt"
	"strings"
)

// Fractions says which count is taken for an amount that is not a whole number.
type Fractions int

// The ways. A positive amount never becomes 0.
const (
	Exact Fractions = iota // none: such an amount is an error
	Round                  // the nearest whole number, a half upward, at least 1
	Ceil                   // the next greater whole number
)

// Rule says which counts follow from amounts. With the zero value, everything but a whole number from 1 to MaxCount is
// an error.
type Rule struct {
	Fractions Fractions
	// DropNegative, DropZero and DropEmpty leave out items whose amounts are below 0, 0, or missing: null, NaN or an empty
	// cell.
	DropNegative, DropZero, DropEmpty bool
}

// ruleWords are the words of rules, in the order in which String lists them.
var ruleWords = []struct {
	word string
	set  func(*Rule)
	is   func(Rule) bool
}{
	{"exact", func(r *Rule) { r.Fractions = Exact }, func(r Rule) bool { return r == Rule{} }},
	{"round", func(r *Rule) { r.Fractions = Round }, func(r Rule) bool { return r.Fractions == Round }},
	{"ceil", func(r *Rule) { r.Fractions = Ceil }, func(r Rule) bool { return r.Fractions == Ceil }},
	{"drop-negative", func(r *Rule) { r.DropNegative = true }, func(r Rule) bool { return r.DropNegative }},
	{"drop-zero", func(r *Rule) { r.DropZero = true }, func(r Rule) bool { return r.DropZero }},
	{"drop-empty", func(r *Rule) { r.DropEmpty = true }, func(r Rule) bool { return r.DropEmpty }},
}

// ParseRule returns the rule of a list of words, which commas separate.
func ParseRule(text string) (r Rule, err error) {
	fractions := ""
	for word := range strings.SplitSeq(text, ",") {
		known := false
		for i, w := range ruleWords {
			if w.word != word {
				continue
			}
			if i <= int(Ceil) {
				if fractions != "" && fractions != word {
					return r, fmt.Errorf("%q and %q contradict each other", fractions, word)
				}
				fractions = word
			}
			w.set(&r)
			known = true
		}
		if !known {
			return r, fmt.Errorf("unknown word %q: use %s", word, RuleWords())
		}
	}
	return r, nil
}

// RuleWords lists the words that ParseRule takes.
func RuleWords() string {
	var words []string
	for _, w := range ruleWords {
		words = append(words, w.word)
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// String returns the words of the rule, as ParseRule takes them.
func (r Rule) String() string {
	var words []string
	for _, w := range ruleWords {
		if w.is(r) {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, ",")
}

// LeftOut counts what was left out of documents.
type LeftOut struct {
	Negative, Zero, Empty int64  // items that a Rule leaves out
	Bad                   int64  // rows that cannot be read
	First                 string // where the first bad row is, and what is wrong with it
}

// Any reports whether anything was left out.
func (l LeftOut) Any() bool { return l.Negative+l.Zero+l.Empty+l.Bad > 0 }

// Add adds what was left out later.
func (l *LeftOut) Add(later LeftOut) {
	l.Negative += later.Negative
	l.Zero += later.Zero
	l.Empty += later.Empty
	l.Bad += later.Bad
	if l.First == "" {
		l.First = later.First
	}
}
