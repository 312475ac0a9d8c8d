// This file makes JSON lines of an array of objects, which may be spread over lines.

package text

import (
	"bufio"
	"io"
)

// jsonArray passes the elements of an array on, each in a line; what does not begin with a bracket it passes on as it
// is.
type jsonArray struct {
	source *bufio.Reader
	begun  bool
	array  bool // the text is an array, or was
	depth  int  // of brackets and braces, 1 between elements
	quoted bool // within a string
	escape bool // behind a backslash
}

// Read implements io.Reader.
func (a *jsonArray) Read(p []byte) (n int, err error) {
	if !a.begun {
		a.begun = true
		head, err := a.source.Peek(lineBlock)
		for _, b := range head {
			if a.array = b == '['; b > ' ' {
				break
			}
		}
		if len(head) == 0 {
			return 0, err
		}
	}
	if !a.array {
		return a.source.Read(p)
	}
	for n == 0 && err == nil {
		var got int
		got, err = a.source.Read(p)
		for _, b := range p[:got] {
			if b = a.next(b); b != 0 {
				p[n] = b
				n++
			}
		}
	}
	if err == io.EOF && a.depth > 0 { // the array has no end, so the last element may lack some of its own
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// next returns what is passed on for a byte; 0 for nothing.
func (a *jsonArray) next(b byte) byte {
	switch {
	case a.quoted:
		a.quoted, a.escape = a.escape || b != '"', !a.escape && b == '\\'
	case b == '"':
		a.quoted = true
	case b == '[' || b == '{':
		if a.depth++; a.depth == 1 {
			return 0
		}
	case b == ']' || b == '}':
		if a.depth--; a.depth == 0 {
			return '\n'
		}
	case b == ',' && a.depth == 1:
		return '\n'
	case b == '\n' || b == '\r':
		return ' '
	}
	return b
}
