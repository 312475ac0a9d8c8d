// This file reads two layouts of "index:count" pairs, one document per line. libsvm, or SVMlight: a label, perhaps
// qid:n, then pairs, then perhaps a comment after "#". LDA-C, the layout of David Blei's lda-c: the number of pairs,
// then the pairs. Items are numbers unless a word list names them, which this file reads as well; libsvm counts them
// from 1, LDA-C from 0.

package text

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strconv"
	"strings"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
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

// docwordVocab finds the shard's word list, if there is one: that of the options, else vocab.NAME.txt beside
// docword.NAME.txt.
func docwordVocab(ctx context.Context, in reading.Shard) (list access.Object, found bool, err error) {
	if in.WordList != "" {
		list, err := access.LookUp(ctx, in.WordList, in.Warn)
		return list, true, err
	}
	name, named := strings.CutPrefix(access.UncompressedName(in.Name()), "docword.")
	if !named {
		return access.Object{}, false, nil
	}
	for _, suffix := range []string{"", ".gz", ".zst"} {
		list, err := access.LookUp(ctx, in.Beside("vocab."+name+suffix), in.Warn)
		if err == nil && !list.Irregular {
			if !in.FollowLinks && list.Linked() {
				err = &fault.Error{Path: list.Path, Err: errors.New("the word list is a link, and is not followed")}
			}
			return list, true, err
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return access.Object{}, false, err
		}
	}
	return access.Object{}, false, nil
}

// readWords reads the word list in a file.
func readWords(w *access.Watch, list access.Object) (*documents.Dictionary, error) {
	stream, err := w.OpenText(list)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	return ReadWords(list.Path, stream)
}

// ReadWords reads a word list: one word per line, none empty and none twice; or what gensim writes. An error is a
// *fault.Error about path.
func ReadWords(path string, from io.Reader) (*documents.Dictionary, error) {
	words, index := new(documents.Dictionary), new(bag.Index)
	lines := newLineBlocks(from, bag.MaxItemBytes, 0)
	for number := int64(1); ; {
		block, err := lines.next()
		if err == io.EOF {
			return ofGensim(words, path)
		}
		if err != nil {
			return nil, &fault.Error{Path: path, Row: number, Err: err}
		}
		for len(block) > 0 {
			line, rest, _ := bytes.Cut(block, []byte("\n"))
			if err := enterWord(words, index, bytes.TrimSuffix(line, []byte("\r"))); err != nil {
				return nil, &fault.Error{Path: path, Row: number, Err: err}
			}
			block = rest
			number++
		}
	}
}

func enterWord(words *documents.Dictionary, index *bag.Index, word []byte) error {
	if len(bytes.TrimSpace(word)) == 0 {
		return errors.New("the word is empty")
	}
	// UTF-16, compressed files and other binary files all have a byte 0 early on.
	if bytes.IndexByte(word, 0) >= 0 {
		return errors.New("not plain text: expected words in lines of UTF-8")
	}
	if err := bag.CheckItem(word); err != nil {
		return err
	}
	if len(words.Bytes)+len(word) > bag.MaxDictionaryBytes {
		return fmt.Errorf("the list has more than %d bytes", bag.MaxDictionaryBytes)
	}
	place, code := index.Find(word, words)
	if code >= 0 {
		return fmt.Errorf("the word %.40q is on line %d already", word, code+1)
	}
	index.Insert(place, int32(words.Len()))
	words.Append(word)
	return nil
}

// gensimLine matches a line that Dictionary.save_as_text of gensim writes: the number of a word, the word, and in how
// many documents it is.
var gensimLine = regexp.MustCompile("^([0-9]+)\t(.+)\t[0-9]+$")

// ofGensim returns the words of a list that gensim wrote, in the order of their numbers: its first line is a number of
// documents, and all others match gensimLine. Another list is returned as it is.
func ofGensim(lines *documents.Dictionary, path string) (*documents.Dictionary, error) {
	last := lines.Len() - 1
	if last < 1 || !gensimLine.Match(lines.ID(1)) {
		return lines, nil
	}
	if _, err := strconv.ParseUint(string(lines.ID(0)), 10, 64); err != nil {
		return lines, nil
	}
	byNumber := make([][]byte, last)
	for row := 1; row <= last; row++ {
		found := gensimLine.FindSubmatch(lines.ID(row))
		if found == nil {
			return nil, &fault.Error{Path: path, Row: int64(row + 1),
				Err: errors.New("the line does not have a number, a word and a number, with tabs between them")}
		}
		number, err := strconv.ParseUint(string(found[1]), 10, 31)
		if err != nil || number >= uint64(last) || byNumber[number] != nil {
			return nil, &fault.Error{Path: path, Row: int64(row + 1),
				Err: fmt.Errorf("the %d words need the numbers from 0 to %d, each once; %s is not such a number, or comes twice",
					last, last-1, found[1])}
		}
		byNumber[number] = found[2]
	}
	words := new(documents.Dictionary)
	for _, word := range byNumber {
		words.Append(word)
	}
	return words, nil
}
