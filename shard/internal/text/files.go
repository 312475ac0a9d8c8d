// This file reads a file as one document, whose words are its items.

package text

import (
	"bytes"

	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/reading"
)

// fileLines is the lineParser of a file that is a document. No word continues in the next line.
type fileLines struct{ words tokenizer }

// OpenFile opens a file that is a document.
func OpenFile(w *access.Watch, in reading.Shard) (reading.Reader, error) {
	r, err := openLines(w, in, maxDocumentLine, func(b *bag.Builder) (lineParser, error) {
		return &fileLines{newTokenizer(b, in.Options)}, nil
	})
	if err == nil {
		r.(*linesReader).single = &in.Document
	}
	return r, err
}

// line implements lineParser.
func (p *fileLines) line(block []byte) (int, bool, error) {
	line, n := cutLine(block)
	err := p.words.add(line)
	if bytes.IndexByte(line, 0) >= 0 {
		err = errNotText
	}
	if err != nil { // the line is not left out without the rest of the file
		err = &choiceError{error: fault.Whole(err)}
	}
	return n, false, err
}
