// This file reads a file as one document, whose words are its items.

package text

import (
	"bytes"
	"errors"

	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/reading"
)

var errNotText = errors.New("the text is not valid UTF-8")

// OpenFile opens a file that is a document. No word continues in the next line.
func OpenFile(w *access.Watch, in reading.Shard) (reading.Reader, error) {
	r, err := openLines(w, in, maxDocumentLine, func(b *bag.Builder) (lineParser, error) {
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
	if err == nil {
		r.(*linesReader).single = &in.Document
	}
	return r, err
}
