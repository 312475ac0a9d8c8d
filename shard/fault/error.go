// Package fault holds the errors of bad input: where it is, what is wrong with it, which choice would help against it,
// and the panics of decoders.
package fault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	var place *Error
	if err == nil || errors.As(err, &place) {
		return err
	}
	var system *fs.PathError
	if errors.As(err, &system) {
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
