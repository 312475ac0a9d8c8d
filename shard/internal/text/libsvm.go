// This file reads two layouts of "index:count" pairs, one document per line. libsvm, or SVMlight: a label, perhaps
// qid:n, then pairs, then perhaps a comment after "#". LDA-C, the layout of David Blei's lda-c: the number of pairs,
// then the pairs. Items are numbers unless a word list names them; libsvm counts them from 1, LDA-C from 0.

package text

import (
	"bytes"
	"fmt"

	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/reading"
)

type libsvmLines struct{ builder *bag.Builder }

// OpenLibSVM opens SVMlight lines.
func OpenLibSVM(w *access.Watch, in reading.Shard) (reading.Reader, error) {
	return openLines(w, in, maxDocumentLine, func(b *bag.Builder) (lineParser, error) {
		return &libsvmLines{b}, NameNumbers(w, b, in, 1)
	})
}

// NameNumbers gives the numbers from base the names of the word list, if the options name one.
func NameNumbers(w *access.Watch, b *bag.Builder, in reading.Shard, base int64) error {
	if in.WordList == "" {
		return nil
	}
	list, err := access.LookUp(w.Context(), in.WordList, in.Warn)
	if err != nil {
		return err
	}
	words, err := readWords(w, list)
	b.SetWords(words, base)
	return err
}

// line implements lineParser.
func (p *libsvmLines) line(block []byte) (int, bool, error) {
	line, n := cutLine(block)
	if comment := bytes.IndexByte(line, '#'); comment >= 0 {
		line = line[:comment]
	}
	label, rest := cutField(line)
	if len(label) == 0 {
		return n, false, nil
	}
	if bytes.IndexByte(label, ':') >= 0 { // unlabelled, as some writers leave it
		rest = line
	}
	if field, after := cutField(rest); bytes.HasPrefix(field, []byte("qid:")) {
		rest = after
	}
	_, err := addPairs(p.builder, rest)
	return n, true, err
}

// addPairs adds the "index:count" pairs of a line and returns their number.
func addPairs(b *bag.Builder, line []byte) (pairs int64, err error) {
	for {
		var pair []byte
		if pair, line = cutField(line); len(pair) == 0 {
			return pairs, nil
		}
		index, count, found := bytes.Cut(pair, []byte(":"))
		if !found {
			return 0, fmt.Errorf("%.40q is not of the form \"index:count\"", pair)
		}
		number, err := bag.ParseIndex(index)
		if err != nil {
			return 0, err
		}
		value, err := b.Text(count)
		if err != nil {
			return 0, fmt.Errorf("item %d: %w", number, err)
		}
		pairs++
		if value == 0 {
			continue
		}
		code, err := b.CodeOfNumber(number)
		if err == nil {
			err = b.Add(code, value)
		}
		if err != nil {
			return 0, err
		}
	}
}

type ldacLines struct{ builder *bag.Builder }

// OpenLDAC opens LDA-C lines.
func OpenLDAC(w *access.Watch, in reading.Shard) (reading.Reader, error) {
	return openLines(w, in, maxDocumentLine, func(b *bag.Builder) (lineParser, error) {
		return &ldacLines{b}, NameNumbers(w, b, in, 0)
	})
}

// line implements lineParser.
func (p *ldacLines) line(block []byte) (int, bool, error) {
	line, n := cutLine(block)
	first, rest := cutField(line)
	if len(first) == 0 {
		return n, false, nil
	}
	promised, ok := bag.WholeNumber(first)
	if !ok {
		return 0, false, fmt.Errorf("a line begins with the number of its pairs, not with %.40q", first)
	}
	pairs, err := addPairs(p.builder, rest)
	if err == nil && pairs != promised {
		err = fmt.Errorf("the line says %d pairs and has %d", promised, pairs)
	}
	return n, true, err
}
