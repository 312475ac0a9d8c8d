// This file holds the errors that callers tell apart.

package anchor

import (
	"fmt"
	"strconv"
	"strings"
)

// RankError says that more topics were asked for than the input can carry.
type RankError struct {
	Topics int    // topics asked for
	Rank   int    // topics that there can be at most
	bound  string // what Rank counts, to follow "but "
}

func (e *RankError) Error() string {
	return fmt.Sprintf("anchor: %d topics asked for, but %s", e.Topics, e.bound)
}

// NegativeRowsError says that too many rows of the factor have a negative sum to correct them all: every one is
// corrected against all items, which takes Rows·Items products of rows.
type NegativeRowsError struct {
	Rows  int // rows with a negative sum
	Most  int // that there can be
	Items int // N
}

func (e *NegativeRowsError) Error() string {
	return fmt.Sprintf("anchor: %d of %d items have a negative row sum in the factor, %.1f%%, and only %d can be "+
		"corrected, %.1f%%: the factor says little of rare items",
		e.Rows, e.Items, 100*float64(e.Rows)/float64(e.Items), e.Most, 100*float64(e.Most)/float64(e.Items))
}

// Fault says what is wrong with an item.
type Fault int

const (
	// BadValue is a number that the input must not hold: NaN, an infinity, a negative co-occurrence.
	BadValue Fault = iota
	// TinyRowSum is a row sum so small that the row divided by it overflows.
	TinyRowSum
	// NoCorner is an anchor whose row cannot be a corner of the simplex: it has no weight or length, or is that of another
	// anchor.
	NoCorner
	// EmptyTopic is an anchor whose topic has no weight.
	EmptyTopic
	// NoMixture is a mixture that the solver did not find.
	NoMixture
)

// ItemError says that some items cannot be worked with.
type ItemError struct {
	Items []int // the items' indices, in the order in which the text names them
	Fault Fault
	text  string
}

func (e *ItemError) Error() string { return "anchor: " + e.text }

// tooSmall is the text of TinyRowSum.
const tooSmall = "its row sum is too small to divide its row by"

// itemError returns an ItemError about one or several items: what they are called, then the reason.
func (o *Options) itemError(fault Fault, items []int, reason string, args ...any) *ItemError {
	names := make([]string, len(items))
	for j, i := range items {
		names[j] = o.name(i)
	}
	noun := "item "
	if len(items) > 1 {
		noun = "items "
	}
	return &ItemError{Items: items, Fault: fault, text: noun + strings.Join(names, ", ") + ": " +
		fmt.Sprintf(reason, args...)}
}

// name returns what item i is called in an error's text.
func (o *Options) name(i int) string {
	if o.Name != nil {
		if name := o.Name(i); name != "" {
			return strconv.Quote(name)
		}
	}
	return strconv.Itoa(i)
}
