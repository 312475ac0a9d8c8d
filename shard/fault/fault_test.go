package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestErrorText(t *testing.T) {
	cause := errors.New("it is wrong")
	for want, e := range map[string]Error{
		"f: it is wrong":                                   {Path: "f"},
		"f, row 3: it is wrong":                            {Path: "f", Row: 3},
		"f, row group 2: it is wrong":                      {Path: "f", Group: 2},
		`f, column "a b": it is wrong`:                     {Path: "f", Column: "a b"},
		`f, row group 2, column "c", row 3: it is wrong`:   {Path: "f", Group: 2, Column: "c", Row: 3},
		`s3://b/k, row 9223372036854775807: it is wrong`:   {Path: "s3://b/k", Row: 1<<63 - 1},
		`f, column "\n\x00", row 1: it is wrong`:           {Path: "f", Column: "\n\x00", Row: 1},
		`f, row group 1, column "日本語", row 1: it is wrong`: {Path: "f", Group: 1, Column: "日本語", Row: 1},
	} {
		e.Err = cause
		if got := e.Error(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if !errors.Is(&e, cause) {
			t.Errorf("%s does not unwrap to its cause", want)
		}
	}
}

// TestInFile checks that a place is added once, and that the path of the operating system's error is dropped.
func TestInFile(t *testing.T) {
	if err := InFile("f", nil); err != nil {
		t.Errorf("nil became %v", err)
	}
	missing := filepath.Join(t.TempDir(), "nowhere")
	_, err := os.Open(missing)
	err = InFile("given name", err)
	if !errors.Is(err, fs.ErrNotExist) && !strings.Contains(err.Error(), "no such file") || strings.Count(err.Error(),
		"nowhere") > 0 {
		t.Errorf("got %v", err)
	}
	inner := &Error{Path: "inner", Row: 7, Err: errors.New("x")}
	if got := InFile("outer", inner); got != error(inner) {
		t.Errorf("an error with a place became %v", got)
	}
	wrapped := fmt.Errorf("while reading: %w", inner)
	if got := InFile("outer", wrapped); got != wrapped {
		t.Errorf("a wrapped error with a place became %v", got)
	}
}

func TestReasons(t *testing.T) {
	inner := errors.New("inner")
	err := Because(Scattered, "row %d: %w", 3, inner)
	if err.Error() != "row 3: inner" || !errors.Is(err, inner) || ReasonOf(err) != Scattered {
		t.Errorf("%v, reason %d", err, ReasonOf(err))
	}
	place := &Error{Path: "f", Err: fmt.Errorf("deeper: %w", err)}
	if ReasonOf(place) != Scattered {
		t.Errorf("the reason is lost on the way: %d", ReasonOf(place))
	}
	outer := Because(SortSpace, "outer: %w", err)
	if ReasonOf(outer) != SortSpace {
		t.Errorf("of two reasons, the outer one should count, not %d", ReasonOf(outer))
	}
	for _, none := range []error{nil, inner, &Error{Path: "f", Err: inner}} {
		if got := ReasonOf(none); got != Unspecified {
			t.Errorf("%v has reason %d", none, got)
		}
	}
}

// TestGuard checks that a panic becomes an error that can be told from others, and that nothing else is changed.
func TestGuard(t *testing.T) {
	if err := Guard(func() error { return nil }); err != nil {
		t.Error(err)
	}
	want := errors.New("x")
	if err := Guard(func() error { return want }); err != want {
		t.Errorf("got %v", err)
	}
	err := Guard(func() error {
		var decoder []int
		_ = decoder[len(os.Args)]
		return nil
	})
	if ReasonOf(err) != DecoderFailed || !strings.Contains(err.Error(), "index out of range") {
		t.Errorf("got %v", err)
	}
	err = Guard(func() error { panic("boom") })
	if got := err.Error(); got != "the decoder gave up on malformed data (boom)" || ReasonOf(err) != DecoderFailed {
		t.Errorf("%s, reason %d", got, ReasonOf(err))
	}
}
