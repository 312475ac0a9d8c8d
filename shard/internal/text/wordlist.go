// This file reads the word list of a docword shard.

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
