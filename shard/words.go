// This file reads the word list of a docword shard.

package shard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// docwordVocab returns the path of the shard's word list, or "" where there is none: the one of the options, else
// vocab.NAME.txt beside docword.NAME.txt.
func docwordVocab(shard Shard) string {
	if shard.options.DocwordVocab != "" {
		return shard.options.DocwordVocab
	}
	dir, base := filepath.Split(shard.Path)
	name, found := strings.CutPrefix(uncompressedName(base), "docword.")
	if !found {
		return ""
	}
	for _, suffix := range []string{"", ".gz", ".zst"} {
		path := filepath.Join(dir, "vocab."+name+suffix)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// uncompressedName returns the name of a file without .gz or .zst.
func uncompressedName(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
}

// readWords reads a word list: one word per line, none empty and none twice.
func readWords(path string) (*Dictionary, error) {
	stream, err := openText(path)
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
