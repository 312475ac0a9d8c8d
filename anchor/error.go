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
	Rank   int    // topics that there could be at most
	bound  string // what Rank counts, to follow "but "
}

func (e *RankError) Error() string {
	return fmt.Sprintf("anchor: %d topics asked for, but %s: ask for fewer topics", e.Topics, e.bound)
}

// ItemError says that the values of some items cannot be worked with.
type ItemError struct {
	Items []int // the items' indices, in the order in which the text names them
	text  string
}

func (e *ItemError) Error() string { return "anchor: " + e.text }

// tooSmall is what is wrong with an item whose row, divided by its sum, is not finite.
const tooSmall = "its row sum is too small to divide its row by: prune the vocabulary harder"

// itemError returns an ItemError about one or several items: what they are called, then the reason.
func (o *Options) itemError(items []int, reason string, args ...any) *ItemError {
	names := make([]string, len(items))
	for j, i := range items {
		names[j] = o.name(i)
	}
	noun := "item "
	if len(items) > 1 {
		noun = "items "
	}
	return &ItemError{Items: items, text: noun + strings.Join(names, ", ") + ": " + fmt.Sprintf(reason, args...)}
}

// name returns what item i is called in an error's text.
func (o *Options) name(i int) string {
	if o.Name == nil {
		return strconv.Itoa(i)
	}
	return strconv.Quote(o.Name(i))
}
