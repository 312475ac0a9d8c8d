// This file says which counts follow from amounts: whole numbers, fractions, returns and missing ones.

package documents

import (
	"fmt"
	"slices"
	"strings"

	"anchorage/internal/safetext"
)

// Fractions says which count is taken for an amount that is not a whole number.
type Fractions int

// The ways. A positive amount never becomes 0.
const (
	Exact Fractions = iota // none: such an amount is an error
	Round                  // the nearest whole number, a half upward, at least 1
	Ceil                   // the next greater whole number
	Once                   // 1 for every positive amount, whole or not: what is in a document, however much
)

// CountRule says which counts follow from the amounts in shards: quantities that are fractions, negative or missing.
// With the zero value, everything but a whole number from 1 to MaxCount is an error.
type CountRule struct {
	Fractions Fractions
	// DropNegative, DropZero and DropEmpty leave out items whose amounts are below 0, 0, or missing: null, NaN or an empty
	// cell.
	DropNegative, DropZero, DropEmpty bool
	// Decimal is the sign in front of decimals in texts. With the zero value it is a point, and commas are an error.
	Decimal Decimal
}

// Decimal is the sign in front of decimals.
type Decimal int

// The signs. With DecimalPoint and DecimalComma, the other one, blanks and apostrophes may be between thousands.
const (
	PlainPoint Decimal = iota
	DecimalPoint
	DecimalComma
)

type ruleWord struct {
	word string
	set  func(*CountRule)
}

// ruleWords are the words of rules and what they set, in the order in which String lists them.
var ruleWords = []ruleWord{
	{"exact", func(r *CountRule) { r.Fractions = Exact }},
	{"round", func(r *CountRule) { r.Fractions = Round }},
	{"ceil", func(r *CountRule) { r.Fractions = Ceil }},
	{"once", func(r *CountRule) { r.Fractions = Once }},
	{"drop-negative", func(r *CountRule) { r.DropNegative = true }},
	{"drop-zero", func(r *CountRule) { r.DropZero = true }},
	{"decimal-point", func(r *CountRule) { r.Decimal = DecimalPoint }},
	{"decimal-comma", func(r *CountRule) { r.Decimal = DecimalComma }},
	{"drop-empty", func(r *CountRule) { r.DropEmpty = true }},
}

// ParseCountRule returns the rule of a list of words, which commas separate: "round,drop-negative" for example.
func ParseCountRule(text string) (r CountRule, err error) {
	fractions := ""
	for word := range strings.SplitSeq(text, ",") {
		i := slices.IndexFunc(ruleWords, func(w ruleWord) bool { return w.word == word })
		switch {
		case i < 0:
			return r, fmt.Errorf("unknown word %q: use %s", word, CountRuleWords())
		case i <= int(Once) && fractions != "" && fractions != word:
			return r, fmt.Errorf("%q and %q contradict each other", fractions, word)
		case i <= int(Once):
			fractions = word
		}
		ruleWords[i].set(&r)
	}
	return r, nil
}

// CountRuleWords lists the words that ParseCountRule takes, for help and messages, without those of Decimal.
func CountRuleWords() string {
	var words []string
	for _, w := range ruleWords {
		if !strings.HasPrefix(w.word, "decimal-") {
			words = append(words, w.word)
		}
	}
	return safetext.List(words, "or")
}

// String returns the words of the rule, as ParseCountRule takes them.
func (r CountRule) String() string {
	if r == (CountRule{}) {
		return ruleWords[Exact].word
	}
	var words []string
	for _, w := range ruleWords[Round:] {
		with := r
		if w.set(&with); with == r {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, ",")
}

// MarshalText returns the words of the rule.
func (r CountRule) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText sets the rule to that of words that ParseCountRule takes.
func (r *CountRule) UnmarshalText(words []byte) (err error) {
	*r, err = ParseCountRule(string(words))
	return err
}
