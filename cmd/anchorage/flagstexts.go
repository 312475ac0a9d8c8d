// This file holds the flags about cutting texts into words and lines into items, and those whose default depends on the documents.

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"anchorage/corpus"
	"anchorage/shard"
	"anchorage/stream"
)

// addTexts adds the flags about words and items.
func (f *sourceFlags) addTexts(flags *pflag.FlagSet) {
	flags.BoolVar(&f.shard.Tokenize, "tokenize", false, "cut lines of text, and text fields of jsonl, into words in lower case, at the word boundaries of Unicode; these leave Chinese, Japanese, Thai, Lao, Khmer and Burmese in single signs or syllables: cut such texts beforehand, and give them as baskets; Korean is cut at blanks, with particles left at words")
	flags.IntVar(&f.shard.MinWordLength, "min-word-length", 1, "leave out words with fewer characters, where text is cut into words")
	flags.StringVar(&f.separator, "separator", "", `what separates the items of baskets, or those in a cell of csv or a string of jsonl: a sign such as "," or ";", or tab, or blank for any white space; found from the first lines if not given`)
	f.textFlags = flags
}

// texts checks the flags about words and items, and sets the options of reading.
func (f *sourceFlags) texts() error {
	if f.textFlags == nil {
		return nil
	}
	applies := func(flag, to string, have func(shard.FormatInfo) bool) error {
		for _, known := range shard.Formats() {
			if known.Format == f.shard.Format && !have(known) {
				return &usageError{fmt.Errorf("--%s %s, not to %s", flag, to, known.Name)}
			}
		}
		return nil
	}
	if f.textFlags.Changed("separator") {
		if err := applies("separator", "applies to baskets, csv and jsonl", func(i shard.FormatInfo) bool { return i.Separator }); err != nil {
			return err
		}
		switch f.separator {
		case "":
			return &usageError{errors.New("--separator is empty: give a sign, tab or blank")}
		case "blank", " ":
			f.shard.Separator = shard.Blanks
		case "tab", `\t`:
			f.shard.Separator = "\t"
		default:
			f.shard.Separator = f.separator
		}
	}
	if f.shard.MinWordLength < 0 {
		return &usageError{errors.New("--min-word-length cannot be negative")}
	}
	if f.textFlags.Changed("min-word-length") && !f.tokenizes() {
		return &usageError{errors.New("--min-word-length is about words: give --tokenize, --format text or --format files too")}
	}
	return nil
}

// tokenizes reports whether text is cut into words.
func (f *sourceFlags) tokenizes() bool {
	return f.shard.Tokenize || f.format == shard.Text.String() || f.format == shard.Files.String()
}

// kind returns what the documents are like, as far as the flags tell.
func (f *sourceFlags) kind() corpus.Kind {
	if f.tokenizes() {
		return corpus.Texts
	}
	return corpus.AnyKind
}

// stopwordsUsage says what --stopwords takes.
func stopwordsUsage() string {
	var codes []string
	for _, l := range stream.StopwordLanguages() {
		codes = append(codes, l.Code)
	}
	return "items to leave out: a file with one per line, or a language, or several such as en,de; languages are called by their English names or codes: " + strings.Join(codes, ", ")
}

// stopWords returns the items of --stopwords, in lower case where text is cut into words; nil without the flag.
func (f *sourceFlags) stopWords(ctx context.Context) (map[string]struct{}, error) {
	if f.stopwords == "" {
		return nil, nil
	}
	if words, known := stopwordsOf(f.stopwords); known {
		return words, nil
	}
	words, err := stream.ReadStopwords(ctx, f.stopwords)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; it is not a language with a list of stop words either", err)
	}
	if err != nil || !f.tokenizes() {
		return words, err
	}
	lower := make(map[string]struct{}, len(words))
	for word := range words {
		lower[strings.ToLower(word)] = struct{}{}
	}
	return lower, nil
}

// stopwordsOf returns the stop words of languages between commas. known is false if one of them is none, or if a file of that name
// exists.
func stopwordsOf(languages string) (all map[string]struct{}, known bool) {
	if _, err := os.Stat(languages); err == nil {
		return nil, false
	}
	all = make(map[string]struct{})
	for language := range strings.SplitSeq(languages, ",") {
		words, known := stream.Stopwords(strings.TrimSpace(language))
		if !known {
			return nil, false
		}
		for word := range words {
			all[word] = struct{}{}
		}
	}
	return all, true
}

// byKind is the value of a flag whose default depends on the documents.
type byKind struct{ value *int64 }

// byKindVar adds such a flag.
func byKindVar(flags *pflag.FlagSet, value *int64, name, usage string) {
	*value = corpus.ByKind
	flags.Var(byKind{value}, name, usage)
}

// Set implements pflag.Value.
func (b byKind) Set(text string) error {
	if text == "auto" {
		*b.value = corpus.ByKind
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return fmt.Errorf("%q is neither a whole number nor auto", text)
	case n < 0:
		return errors.New("it cannot be negative")
	}
	*b.value = n
	return nil
}

// String implements pflag.Value.
func (b byKind) String() string {
	if b.value == nil || *b.value == corpus.ByKind {
		return "auto"
	}
	return strconv.FormatInt(*b.value, 10)
}

// Type implements pflag.Value.
func (b byKind) Type() string { return "autoNumber" }
