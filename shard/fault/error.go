// Package fault holds the errors of bad input: where it is, what is wrong with it, which choice would help against it,
// and the panics of decoders.
package fault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Error is bad input: a shard that cannot be read, or holds what no document may hold. It says where, and Err says
// what.
type Error struct {
	Path   string
	Row    int64  // row or line within the shard, from 1; 0 where it is not known
	Group  int    // Parquet row group, from 1; 0 without one
	Column string // column name; empty without one
	Err    error

	// Columns and First are a table's columns and first rows as they were understood, where a choice among the columns is
	// missing; nil otherwise.
	Columns []string
	First   [][]string
}

// Error returns one line: the place, then what is wrong with it.
func (e *Error) Error() string {
	var where strings.Builder
	where.WriteString(e.Path)
	if e.Group > 0 {
		fmt.Fprintf(&where, ", row group %d", e.Group)
	}
	if e.Column != "" {
		fmt.Fprintf(&where, ", column %q", e.Column)
	}
	if e.Row > 0 {
		fmt.Fprintf(&where, ", row %d", e.Row)
	}
	return where.String() + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// InFile returns err as an *Error about the file at path. The path that the operating system repeats in its own
// errors is dropped.
func InFile(path string, err error) error {
	if _, placed := errors.AsType[*Error](err); err == nil || placed {
		return err
	}
	if system, is := errors.AsType[*fs.PathError](err); is {
		err = system.Err
	}
	return &Error{Path: path, Err: err}
}

// In is InFile, unless err comes from ctx and so says nothing about the file.
func In(ctx context.Context, path string, err error) error {
	if err == nil || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return err
	}
	return InFile(path, err)
}

// Guard calls f and returns what it returns, or what Catch makes of a panic in f.
func Guard(f func() error) (err error) {
	defer Catch(&err)
	return f()
}

// Throw panics with an error, for Catch; nil is no error. Decoders use it within their package, where every number that
// they read may be the one that is wrong.
func Throw(err error) {
	if err != nil {
		panic(thrown{err})
	}
}

// thrown is an error on its way from Throw to Catch.
type thrown struct{ error }

// Catch, deferred, sets err to an error that was thrown. Another panic becomes an error with the reason DecoderFailed.
func Catch(err *error) {
	switch value := recover().(type) {
	case nil:
	case thrown:
		*err = value.error
	default:
		*err = Because(DecoderFailed, "the decoder gave up on malformed data (%v)", value)
	}
}

// NotUTF8 returns the error of a text that is not UTF-8; what says what it is.
func NotUTF8(what string, text []byte) error {
	return Because(Encoding, "%s %.40q is not valid UTF-8; its bytes look like %s", what, text, LikelyEncoding(text))
}

// LikelyEncoding returns the likeliest encoding of a text that is not UTF-8: UTF-16 by its zeros, that of Cyrillic if
// most letters are above those of ASCII, otherwise Western European of Windows.
func LikelyEncoding(text []byte) string {
	var zeros, ascii, high int
	for _, b := range text {
		switch {
		case b == 0:
			zeros++
		case b >= 0xc0:
			high++
		case b|0x20 >= 'a' && b|0x20 <= 'z':
			ascii++
		}
	}
	switch {
	case zeros > 0:
		return "utf-16le"
	case high > 2*ascii && high > 3:
		return "windows-1251"
	}
	return "windows-1252"
}

// Reason says which choice of the caller would help against an Error. Programs advise by it; most errors have none,
// since only other data would help.
type Reason int

// The reasons, and the fields of shard.Options that would help.
const (
	// Unspecified means that no option would help.
	Unspecified Reason = iota
	// ItemsUnclear: several columns, or none, may hold the items; ItemsColumn chooses.
	ItemsUnclear
	// ItemsUnfit: the ItemsColumn does not exist or does not hold items.
	ItemsUnfit
	// ItemsMissing: no column holds the items of a document; a long table needs DocumentColumn and ItemsColumn.
	ItemsMissing
	// CountsUnclear: a column may hold counts or not; CountsColumn decides, NoCounts for none.
	CountsUnclear
	// CountsUnfit: the CountsColumn does not exist or does not hold counts.
	CountsUnfit
	// CountsWithin: the counts are in the column of the items; CountsColumn must be empty or NoCounts.
	CountsWithin
	// CountsMissing: a document has no counts although the first one had; CountsColumn may be NoCounts.
	CountsMissing
	// DocumentsUnclear: several columns, or none, may hold the documents; DocumentColumn chooses.
	DocumentsUnclear
	// DocumentsUnfit: the DocumentColumn does not exist or does not hold ids.
	DocumentsUnfit
	// TextsUnfit: one of the TextColumns does not exist or does not hold strings.
	TextsUnfit
	// Encoding: bytes are not UTF-8; Encoding says what they are.
	Encoding
	// CountComma: a number has a comma; Counts.Decimal says what it means.
	CountComma
	// NoHeader: the first line of a table looks like values; NoHeader says so.
	NoHeader
	// Scattered: the rows of a document are not adjacent; Group collects them.
	Scattered
	// StringItems: a string is in the place of a list of items; Tokenize cuts it into words.
	StringItems
	// SortMemory: MemoryLimit is less than MinSortMemory.
	SortMemory
	// SortSpace: SpillDir has no room for sorted rows.
	SortSpace
	// CountNegative: a count is below 0; Counts.DropNegative leaves such items out.
	CountNegative
	// CountZero: a count is 0; Counts.DropZero leaves such items out.
	CountZero
	// CountFraction: a count is not a whole number; Counts.Fractions makes it one.
	CountFraction
	// CountEmpty: a count is missing; Counts.DropEmpty leaves such items out.
	CountEmpty
	// BadRows: more rows are bad than MaxBadRows.
	BadRows
	// Drift: a shard is not read like the first; see shard.Uniform.
	Drift
	// NotDocuments: a file given by name looks like one that accompanies data; Format says how to read it nevertheless.
	NotDocuments
	// NamesMissing: the column of names of items that was asked for is not there, or holds something else.
	NamesMissing
	// DecoderFailed: a decoder panicked, which was recovered: the data are malformed.
	DecoderFailed
)

// Cause is an error with its reason.
type Cause struct {
	Reason Reason
	Err    error
	Also   []Reason // further choices that are missing
}

func (c *Cause) Error() string { return c.Err.Error() }

func (c *Cause) Unwrap() error { return c.Err }

// Because returns an error with a reason. The rest is as in fmt.Errorf.
func Because(reason Reason, format string, args ...any) error {
	return &Cause{Reason: reason, Err: fmt.Errorf(format, args...)}
}

// BadRow is an error of a single row, after which reading can continue.
type BadRow struct{ Err error }

func (b *BadRow) Error() string { return b.Err.Error() }

func (b *BadRow) Unwrap() error { return b.Err }

// InRow returns an error of a single row.
func InRow(err error) error { return &BadRow{err} }

// Whole returns err as an error after which reading cannot continue.
func Whole(err error) error {
	if IsRow(err) {
		return errors.New(err.Error())
	}
	return err
}

// IsRow reports whether an error is one of a single row.
func IsRow(err error) bool {
	_, is := errors.AsType[*BadRow](err)
	return is
}

// ReasonOf returns the reason of an error; Unspecified if it has none.
func ReasonOf(err error) Reason {
	if cause, is := errors.AsType[*Cause](err); is {
		return cause.Reason
	}
	return Unspecified
}

// InRow reports whether the error is about a single row, which shard.Options.MaxBadRows can leave out.
func (e *Error) InRow() bool { return IsRow(e.Err) }

// Reason returns which choice of the caller would help, the first of several.
func (e *Error) Reason() Reason { return ReasonOf(e.Err) }

// Reasons returns all choices that are missing.
func (e *Error) Reasons() []Reason {
	reasons := []Reason{e.Reason()}
	if cause, is := errors.AsType[*Cause](e.Err); is {
		reasons = append(reasons, cause.Also...)
	}
	return reasons
}

// Together returns errors of choices as one, the reasons of which are those of all.
func Together(errs ...error) error {
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if len(errs) < 2 {
		return errors.Join(errs...)
	}
	all := &Cause{Reason: ReasonOf(errs[0])}
	var texts []string
	for i, err := range errs {
		texts = append(texts, err.Error())
		if i > 0 {
			all.Also = append(all.Also, ReasonOf(err))
		}
	}
	all.Err = errors.New(strings.Join(texts, "; "))
	return all
}
