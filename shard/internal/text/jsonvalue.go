// This file walks JSON text that is known to be valid, and decodes only what is asked for. It also makes JSON lines of
// an array of objects, which may be spread over lines.

package text

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"

	"anchorage/shard/fault"
	"anchorage/shard/internal/roles"
)

// jsonValue is the text of a valid JSON value, without white space around it.
type jsonValue []byte

// kind returns the first byte: one of { [ " t f n - and digits.
func (v jsonValue) kind() byte { return v[0] }

// text returns the content of a string. It aliases v if the string has no escapes.
func (v jsonValue) text() []byte {
	if bytes.IndexByte(v, '\\') < 0 {
		return v[1 : len(v)-1]
	}
	var text string
	fault.Throw(json.Unmarshal(v, &text))
	return []byte(text)
}

// id returns the content of a string, and the text of any other value.
func (v jsonValue) id() []byte {
	if v.kind() == '"' {
		return v.text()
	}
	return v
}

// idKind returns what a value is as an id.
func (v jsonValue) idKind() roles.Kind {
	switch kind := v.kind(); {
	case kind == '"':
		return roles.Bytes
	case kind == '-' || kind >= '0' && kind <= '9':
		if bytes.ContainsAny(v, ".eE") {
			return roles.Float
		}
		return roles.Int
	}
	return roles.Other
}

// first returns the first element of an array, nil without one.
func (v jsonValue) first() jsonValue {
	at := skipSpace(v, 1)
	if v[at] == ']' {
		return nil
	}
	return v[at:skipValue(v, at)]
}

// walk calls fn with the members of an object, or with the elements of an array, which have no names. The name is valid
// until fn returns.
func (v jsonValue) walk(fn func(name []byte, value jsonValue)) {
	for at := skipSpace(v, 1); at < len(v)-1; {
		var name []byte
		if v.kind() == '{' {
			end := skipValue(v, at)
			name = v[at:end].text()
			at = skipSpace(v, skipSpace(v, end)+1) // the colon
		}
		end := skipValue(v, at)
		fn(name, v[at:end])
		if at = skipSpace(v, end); v[at] == ',' {
			at = skipSpace(v, at+1)
		}
	}
}

func skipSpace(v []byte, at int) int {
	for v[at] == ' ' || v[at] == '\t' || v[at] == '\r' || v[at] == '\n' {
		at++
	}
	return at
}

// skipValue returns where the value at the given place ends.
func skipValue(v []byte, at int) int {
	depth := 0
	for {
		switch v[at] {
		case '"':
			for at++; v[at] != '"'; at++ {
				if v[at] == '\\' {
					at++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ' ', '\t', '\r', '\n', ',', ':':
		default: // a number or a word
			for at+1 < len(v) && v[at+1] != ',' && v[at+1] != '}' && v[at+1] != ']' && v[at+1] > ' ' {
				at++
			}
		}
		at++
		if depth == 0 {
			return at
		}
	}
}

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
