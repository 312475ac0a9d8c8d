// This file reads the word list of a docword shard.

package shard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// docwordVocab finds the shard's word list, if there is one: that of the options, else vocab.NAME.txt beside
// docword.NAME.txt.
func docwordVocab(ctx context.Context, in input) (list object, found bool, err error) {
	if in.WordList != "" {
		list, err := lookUp(ctx, in.WordList, in.Warn)
		return list, true, err
	}
	name, named := strings.CutPrefix(uncompressedName(in.name()), "docword.")
	if !named {
		return object{}, false, nil
	}
	for _, suffix := range []string{"", ".gz", ".zst"} {
		list, err := lookUp(ctx, in.beside("vocab."+name+suffix), in.Warn)
		if err == nil && !list.irregular {
			return list, true, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return object{}, false, err
		}
	}
	return object{}, false, nil
}

// readWords reads a word list: one word per line, none empty and none twice.
func readWords(w *watch, list object) (*Dictionary, error) {
	path := list.path
	stream, err := w.openText(list)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	words, index := new(Dictionary), new(bytesIndex)
	lines := newLineBlocks(stream, maxItemBytes)
	for number := int64(1); ; {
		block, err := lines.next()
		if err == io.EOF {
			return words, nil
		}
		if err != nil {
			return nil, &Error{Path: path, Row: number, Err: err}
		}
		for len(block) > 0 {
			line, rest, _ := bytes.Cut(block, []byte("\n"))
			if err := enterWord(words, index, bytes.TrimSuffix(line, []byte("\r"))); err != nil {
				return nil, &Error{Path: path, Row: number, Err: err}
			}
			block = rest
			number++
		}
	}
}

func enterWord(words *Dictionary, index *bytesIndex, word []byte) error {
	if len(bytes.TrimSpace(word)) == 0 {
		return errors.New("the word is empty")
	}
	if err := checkItem(word); err != nil {
		return err
	}
	if len(words.bytes)+len(word) > maxDictionaryBytes {
		return fmt.Errorf("the list has more than %d bytes", maxDictionaryBytes)
	}
	place, code := index.find(word, words)
	if code >= 0 {
		return fmt.Errorf("the word %.40q stands on line %d already", word, code+1)
	}
	index.insert(place, int32(words.Len()))
	words.Append(word)
	return nil
}
