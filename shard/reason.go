// This file says which choice of the caller helps against an error.

package shard

import "anchorage/shard/internal/fault"

// Reason says which choice of the caller would help against an Error. Programs advise by it; most errors have none,
// since only other data would help.
type Reason int

// The reasons, and the fields of Options that they are about.
const (
	// Unspecified means that no option would help.
	Unspecified = Reason(fault.Unspecified)
	// ItemsUnclear: several columns, or none, may hold the items; ItemsColumn chooses.
	ItemsUnclear = Reason(fault.ItemsUnclear)
	// ItemsUnfit: the ItemsColumn does not exist or does not hold items.
	ItemsUnfit = Reason(fault.ItemsUnfit)
	// ItemsMissing: no column holds the items of a document; a long table needs DocumentColumn and ItemsColumn.
	ItemsMissing = Reason(fault.ItemsMissing)
	// CountsUnclear: a column may hold counts or not; CountsColumn decides, NoCounts for none.
	CountsUnclear = Reason(fault.CountsUnclear)
	// CountsUnfit: the CountsColumn does not exist or does not hold counts.
	CountsUnfit = Reason(fault.CountsUnfit)
	// CountsWithin: the counts are in the column of the items; CountsColumn must be empty or NoCounts.
	CountsWithin = Reason(fault.CountsWithin)
	// CountsMissing: a document has no counts although the first one had; CountsColumn may be NoCounts.
	CountsMissing = Reason(fault.CountsMissing)
	// DocumentsUnclear: several columns, or none, may hold the documents; DocumentColumn chooses.
	DocumentsUnclear = Reason(fault.DocumentsUnclear)
	// DocumentsUnfit: the DocumentColumn does not exist or does not hold ids.
	DocumentsUnfit = Reason(fault.DocumentsUnfit)
	// Scattered: the rows of a document are not adjacent; Group collects them.
	Scattered = Reason(fault.Scattered)
	// StringItems: a string is in the place of a list of items; Tokenize cuts it into words.
	StringItems = Reason(fault.StringItems)
	// SortMemory: MemoryLimit is less than MinSortMemory.
	SortMemory = Reason(fault.SortMemory)
	// SortSpace: SpillDir has no room for sorted rows.
	SortSpace = Reason(fault.SortSpace)
	// CountNegative: a count is below 0; Counts.DropNegative leaves such items out.
	CountNegative = Reason(fault.CountNegative)
	// CountZero: a count is 0; Counts.DropZero leaves such items out.
	CountZero = Reason(fault.CountZero)
	// CountFraction: a count is not a whole number; Counts.Fractions makes it one.
	CountFraction = Reason(fault.CountFraction)
	// CountEmpty: a count is missing; Counts.DropEmpty leaves such items out.
	CountEmpty = Reason(fault.CountEmpty)
	// BadRows: more rows are bad than MaxBadRows.
	BadRows = Reason(fault.BadRows)
	// Drift: a shard is not read like the first; see Uniform.
	Drift = Reason(fault.Drift)
	// NotDocuments: a file given by name looks like one that accompanies data; Format says how to read it nevertheless.
	NotDocuments = Reason(fault.NotDocuments)
	// DecoderFailed: a decoder panicked, which was recovered: the data are malformed.
	DecoderFailed = Reason(fault.DecoderFailed)
)

// InRow reports whether the error is about a single row, which Options.MaxBadRows can leave out.
func (e *Error) InRow() bool { return fault.IsRow(e.Err) }

// Reason returns which choice of the caller would help.
func (e *Error) Reason() Reason { return Reason(fault.ReasonOf(e.Err)) }
