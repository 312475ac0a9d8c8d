// This file says what readers of several formats find missing in a document.

package bag

import "errors"

var (
	ErrTwoLists     = errors.New("the lists of items and of counts differ in length")
	ErrNullItem     = errors.New("an item is null")
	ErrNullCount    = errors.New("a count is null")
	ErrNullDocument = errors.New("the document is null")
)
