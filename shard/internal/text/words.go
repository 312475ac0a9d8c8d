// This file reads text, one document per line: its words, in lower case, are the items.

package text

import (
	"bytes"
	"errors"
	"unicode"
	"unicode/utf8"

	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/reading"
)

var errNotText = errors.New("the text is not valid UTF-8")

// tokenizer cuts text into words. A word begins with a letter and goes on with letters, combining marks, digits, "_",
// "'" and "-"; apostrophes and hyphens at its end do not belong to it. In a regular expression:
// \p{L}[\p{L}\p{M}\p{N}_'-]*, cut at the right. Words are in lower case, letter by letter, by Unicode.
type tokenizer struct {
	builder *bag.Builder
	word    []byte
}

type textLines struct{ words tokenizer }

// OpenWords opens lines of text, which it cuts into words.
func OpenWords(w *access.Watch, in reading.Shard) (reading.Reader, error) {
	return openLines(w, in, maxDocumentLine, func(b *bag.Builder) (lineParser, error) {
		return &textLines{tokenizer{builder: b}}, nil
	})
}

// line implements lineParser.
func (p *textLines) line(block []byte) (int, bool, error) {
	line, n := cutLine(block)
	return n, true, p.words.add(line)
}

// asciiClass sorts ASCII into letters, other bytes of words, and separators (0).
var asciiClass = func() (class [utf8.RuneSelf]uint8) {
	for b := range class {
		switch {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z':
			class[b] = wordStart
		case b >= '0' && b <= '9', b == '_', b == '\'', b == '-':
			class[b] = wordPart
		}
	}
	return class
}()

const (
	wordStart = iota + 1
	wordPart
)

// add adds the words of text to the open document.
func (t *tokenizer) add(text []byte) error {
	t.word = t.word[:0]
	for at := 0; at < len(text); {
		b := text[at]
		if b < utf8.RuneSelf {
			at++
			switch class := asciiClass[b]; {
			case class == wordStart:
				if b < 'a' {
					b += 'a' - 'A'
				}
				t.word = append(t.word, b)
			case class == wordPart && len(t.word) > 0:
				t.word = append(t.word, b)
			default:
				if err := t.end(); err != nil {
					return err
				}
			}
			continue
		}
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			return errNotText
		}
		at += size
		switch {
		case unicode.IsLetter(r), len(t.word) > 0 && (unicode.IsNumber(r) || unicode.IsMark(r)):
			t.word = utf8.AppendRune(t.word, unicode.ToLower(r))
		default:
			if err := t.end(); err != nil {
				return err
			}
		}
	}
	return t.end()
}

// end adds the word under construction, if there is one.
func (t *tokenizer) end() error {
	if len(t.word) == 0 {
		return nil
	}
	code, err := t.builder.CodeOfBytes(bytes.TrimRight(t.word, "'-"))
	if err == nil {
		err = t.builder.Add(code, 1)
	}
	t.word = t.word[:0]
	return err
}
