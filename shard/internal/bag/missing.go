// This file says what readers of several formats find missing in a document.

package bag

import (
	"errors"

	"anchorage/shard/fault"
)

// The errors, all of a single row.
var (
	ErrTwoLists     = fault.InRow(errors.New("the lists of items and of counts differ in length"))
	ErrNullItem     = fault.InRow(errors.New("an item is null"))
	ErrNullDocument = fault.InRow(errors.New("the document is null"))
)
