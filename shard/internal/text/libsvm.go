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

// OpenLibSVM opens SVMlight lines.
func OpenLibSVM(w *access.Watch, in reading.Shard) (reading.Reader, error) {
	return openPairs(w, in, 1, addLibSVM)
}

// OpenLDAC opens LDA-C lines.
func OpenLDAC(w *access.Watch, in reading.Shard) (reading.Reader, error) {
	return openPairs(w, in, 0, addLDAC)
}

// openPairs opens lines of pairs, whose items are numbered from base.
func openPairs(w *access.Watch, in reading.Shard, base int64, add func(b *bag.Builder, line []byte) (document bool,
	err error)) (reading.Reader, error) {
	return openLines(w, in, maxDocumentLine, func(b *bag.Builder) (lineParser, error) {
		return lineByLine(func(line []byte) (bool, error) { return add(b, line) }), NameNumbers(w, b, in, base)
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

// cutLabel returns the label of an SVMlight line and the pairs after it; the label is empty where nothing but a comment
// is in the line.
func cutLabel(line []byte) (label, pairs []byte) {
	line, _, _ = bytes.Cut(line, []byte("#"))
	label, pairs = cutField(line)
	if bytes.IndexByte(label, ':') >= 0 { // unlabelled, as some writers leave it
		pairs = line
	}
	if field, after := cutField(pairs); bytes.HasPrefix(field, []byte("qid:")) {
		pairs = after
	}
	return label, pairs
}

// addLibSVM adds an SVMlight line.
func addLibSVM(b *bag.Builder, line []byte) (document bool, err error) {
	label, pairs := cutLabel(line)
	if len(label) == 0 {
		return false, nil
	}
	_, err = addPairs(b, pairs)
	return true, err
}

// addLDAC adds an LDA-C line.
func addLDAC(b *bag.Builder, line []byte) (document bool, err error) {
	first, rest := cutField(line)
	if len(first) == 0 {
		return false, nil
	}
	promised, ok := bag.WholeNumber(first)
	if !ok {
		return false, fmt.Errorf("a line begins with the number of its pairs, not with %.40q", first)
	}
	pairs, err := addPairs(b, rest)
	if err == nil && pairs != promised {
		err = fmt.Errorf("the line says %d pairs and has %d", promised, pairs)
	}
	return true, err
}

// addPairs adds the pairs of a line and returns their number.
func addPairs(b *bag.Builder, line []byte) (pairs int64, err error) {
	return eachPair(line, func(index int64, text []byte) error {
		count, err := b.Text(text)
		if err != nil {
			return fmt.Errorf("item %d: %w", index, err)
		}
		return b.AddNumber(index, count)
	})
}

// eachPair calls fn with the "index:count" pairs of a line and returns their number.
func eachPair(line []byte, fn func(index int64, count []byte) error) (pairs int64, err error) {
	for {
		var pair []byte
		if pair, line = cutField(line); len(pair) == 0 {
			return pairs, nil
		}
		index, count, found := bytes.Cut(pair, []byte(":"))
		if !found {
			return 0, fmt.Errorf("%.40q is not of the form \"index:count\"", pair)
		}
		number, ok := bag.WholeNumber(index)
		if !ok {
			return 0, fmt.Errorf("item number %.40q is not a whole number of at most 18 digits", index)
		}
		if err := fn(number, count); err != nil {
			return 0, err
		}
		pairs++
	}
}
