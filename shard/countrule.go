// This file says which counts follow from amounts, and what is left out.

package shard

import (
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/fault"
)

// Fractions says which count is taken for an amount that is not a whole number.
type Fractions int

// The ways. A positive amount never becomes 0.
const (
	ExactFractions = Fractions(bag.Exact) // none: such an amount is an error
	RoundFractions = Fractions(bag.Round) // the nearest whole number, a half upward, at least 1
	CeilFractions  = Fractions(bag.Ceil)  // the next greater whole number
)

// CountRule says which counts follow from the amounts in shards: quantities that are fractions, negative or missing.
// With the zero value, everything but a whole number from 1 to MaxCount is an error.
type CountRule struct {
	Fractions Fractions
	// DropNegative, DropZero and DropEmpty leave out items whose amounts are below 0, 0, or missing: null, NaN or an empty
	// cell.
	DropNegative, DropZero, DropEmpty bool
}

// ParseCountRule returns the rule of a list of words, which commas separate: "round,drop-negative" for example.
func ParseCountRule(text string) (CountRule, error) {
	rule, err := bag.ParseRule(text)
	return CountRule{Fractions(rule.Fractions), rule.DropNegative, rule.DropZero, rule.DropEmpty}, err
}

// CountRuleWords lists the words that ParseCountRule takes, for help and messages.
func CountRuleWords() string { return bag.RuleWords() }

// rule returns the rule as readers take it.
func (r CountRule) rule() bag.Rule {
	return bag.Rule{Fractions: bag.Fractions(r.Fractions), DropNegative: r.DropNegative, DropZero: r.DropZero,
		DropEmpty: r.DropEmpty}
}

// String returns the words of the rule, as ParseCountRule takes them.
func (r CountRule) String() string { return r.rule().String() }

// MarshalText returns the words of the rule.
func (r CountRule) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// CheckLeftOut returns an *Error if more bad rows have been left out of all shards, up to this one, than
// Options.MaxBadRows.
func (s Shard) CheckLeftOut(left LeftOut) error {
	if left.Bad <= s.options.MaxBadRows {
		return nil
	}
	return &Error{Path: s.Path, Err: fault.Because(fault.BadRows, "more than %d bad rows would be left out; the first "+
		"is %s", s.options.MaxBadRows, left.First)}
}

// Add adds what was left out later.
func (l *LeftOut) Add(later LeftOut) {
	sum := bag.LeftOut(*l)
	sum.Add(bag.LeftOut(later))
	*l = LeftOut(sum)
}

// UnmarshalText sets the rule to that of words that ParseCountRule takes.
func (r *CountRule) UnmarshalText(words []byte) (err error) {
	*r, err = ParseCountRule(string(words))
	return err
}

// LeftOut counts what readers left out of documents.
type LeftOut struct {
	Negative, Zero, Empty int64  // items that Options.Counts leaves out: with amounts below 0, 0, or missing
	Bad                   int64  // rows that cannot be read; see Options.MaxBadRows
	First                 string // where the first of them is, and what is wrong with it
}
