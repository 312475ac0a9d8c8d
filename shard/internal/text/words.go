// This file reads text whose words, in lower case, are the items: a line or a file is a document. It cuts text at the
// word boundaries of Unicode Standard Annex #29.

package text

import (
	"bytes"
	"errors"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/transform"

	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/reading"
)

// notText returns the error of a text that is not UTF-8, with the first bytes that are not.
func notText(text []byte) error {
	valid, _, _ := bytes.Cut(bytes.ToValidUTF8(text, []byte{0xff}), []byte{0xff})
	at := len(valid)
	first := max(bytes.LastIndexAny(text[:at], basketBlanks)+1, at-20)
	return fault.NotUTF8("the text", text[first:min(len(text), at+20)])
}

// tokenizer cuts text into words. A word is a segment between two word boundaries that holds a letter; numbers,
// punctuation and emoji are none. It is put in lower case as a whole, by the full case mapping of Unicode, and ’
// becomes '. Words with fewer than minLength characters are left out.
//
// A segment is one ideograph, one Hiragana, or one Thai letter with its marks, because boundaries between words of
// Chinese, Japanese and Thai need a dictionary. Korean is cut at blanks, with particles left at their nouns.
type tokenizer struct {
	builder   *bag.Builder
	minLength int
	lower     cases.Caser
	word      []byte
}

// newTokenizer returns a tokenizer that adds words to the open document of a builder.
func newTokenizer(b *bag.Builder, opts reading.Options) tokenizer {
	return tokenizer{builder: b, minLength: opts.MinWord, lower: cases.Lower(language.Und)}
}

// OpenWords opens lines of text, which it cuts into words.
func OpenWords(w *access.Watch, in reading.Shard) (reading.Reader, error) {
	return openLines(w, in, maxDocumentLine, func(b *bag.Builder) (lineParser, error) {
		words := newTokenizer(b, in.Options)
		return lineByLine(func(line []byte) (bool, error) { return true, words.add(line) }), nil
	})
}

// asciiClass sorts ASCII by what it means for a word that consists of ASCII letters so far.
var asciiClass = func() (class [utf8.RuneSelf]uint8) {
	for b := range class {
		switch {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z':
			class[b] = asciiLetter
		case b >= '0' && b <= '9', b == '_':
			class[b] = asciiPart
		case b == '\'', b == '.', b == ':':
			class[b] = asciiMiddle
		}
	}
	return class
}()

const (
	asciiBreak  = iota // a boundary on both sides, unless a mark follows
	asciiLetter        // continues with the word
	asciiPart          // continues with the word too, in which other rules hold from there on
	asciiMiddle        // continues with the word if a letter follows
)

// add adds the words of text to the open document.
func (t *tokenizer) add(text []byte) error {
	if !utf8.Valid(text) {
		return notText(text)
	}
	t.builder.AddText(text)
	for at := 0; at < len(text); {
		if b := text[at]; b < utf8.RuneSelf && (asciiClass[b] == asciiBreak || asciiClass[b] == asciiMiddle) {
			at++
			continue
		}
		n, plain := asciiWord(text[at:])
		if plain {
			t.lowerASCII(text[at : at+n])
		} else if n, _, _ = words.SplitFunc(text[at:], true); !t.lowerWord(text[at : at+n]) {
			at += n
			continue
		}
		at += n
		if err := t.end(); err != nil {
			return err
		}
	}
	return nil
}

// asciiWord returns the length of the word at the beginning of text, if it and what follows are ASCII and so simple
// that a look at single bytes finds the boundary. This covers most words of most languages in Latin script, and is
// several times as fast as the tables of all of Unicode.
func asciiWord(text []byte) (n int, plain bool) {
	for n < len(text) {
		b := text[n]
		if b >= utf8.RuneSelf {
			return 0, false
		}
		switch asciiClass[b] {
		case asciiBreak:
			return n, n > 0
		case asciiPart:
			return 0, false
		case asciiMiddle:
			if n+1 == len(text) {
				return n, true
			}
			next := text[n+1]
			if next >= utf8.RuneSelf {
				return 0, false
			}
			if asciiClass[next] != asciiLetter {
				return n, true
			}
		}
		n++
	}
	return n, true
}

// lowerASCII makes an ASCII word in lower case the word under construction.
func (t *tokenizer) lowerASCII(word []byte) {
	t.word = t.word[:0]
	for _, b := range word {
		if b >= 'A' && b <= 'Z' {
			b += 'a' - 'A'
		}
		t.word = append(t.word, b)
	}
}

// lowerWord makes a segment in lower case the word under construction. It reports false if the segment has no letter.
func (t *tokenizer) lowerWord(segment []byte) bool {
	if !bytes.ContainsFunc(segment, unicode.IsLetter) {
		return false
	}
	if most := 3 * len(segment); cap(t.word) < most {
		t.word = make([]byte, 2*most)
	}
	t.word = t.word[:cap(t.word)]
	t.lower.Reset()
	n, _, err := t.lower.Transform(t.word, segment, true)
	if err == transform.ErrShortDst { // no character grows that much
		panic("text: a word in lower case is more than three times as long")
	}
	t.word = t.word[:n]
	if bytes.Contains(t.word, []byte("’")) {
		t.word = append(t.word[:0], bytes.ReplaceAll(t.word, []byte("’"), []byte("'"))...)
	}
	return true
}

// end adds the word under construction, if it is long enough.
func (t *tokenizer) end() error {
	if len(t.word) < t.minLength || t.minLength > 1 && utf8.RuneCount(t.word) < t.minLength {
		return nil
	}
	return t.builder.AddBytes(t.word, 1)
}

var errNotText = errors.New("the text is not valid UTF-8")

// OpenFile opens a file that is a document. No word continues in the next line.
func OpenFile(w *access.Watch, in reading.Shard) (reading.Reader, error) {
	return openLines(w, in, maxDocumentLine, func(b *bag.Builder) (lineParser, error) {
		words := newTokenizer(b, in.Options)
		return lineByLine(func(line []byte) (bool, error) {
			err := words.add(line)
			if bytes.IndexByte(line, 0) >= 0 {
				err = errNotText
			}
			if err != nil { // the line is not left out without the rest of the file
				return false, &fault.Error{Err: fault.Whole(err)}
			}
			return false, nil
		}), nil
	})
}
