// This file reads and writes vocabulary files, and reads lists of items: stop words, of files and of languages, and
// topics.

package stream

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"anchorage/corpus"
	"anchorage/internal/objects"
	"anchorage/shard"
	"anchorage/shard/tablefile"
)

// VocabularyRows is the number of rows in a row group of a vocabulary.
const VocabularyRows = 1 << 16

// tableMagic begins every Parquet file.
const tableMagic = "PAR1"

// maxLine is the maximum length in bytes of a line of a word list.
const maxLine = 1 << 20

// byteOrderMark precedes the text in some UTF-8 files.
var byteOrderMark = []byte("\xef\xbb\xbf")

// ReadVocabulary reads a vocabulary that fixes the items and their order. The file is a word list, as shard.ReadWords
// takes it, or a Parquet table as WriteVocabulary writes it; its content decides, not its name. The vocabulary has no
// counts if the file is text or every df of the table is 0. The error is a *shard.Error. It names the line or row if an
// item is empty or occurs twice, or if an index of the table differs from the number of its row.
func ReadVocabulary(ctx context.Context, path string) (*corpus.Vocabulary, error) {
	file, err := objects.OpenStream(ctx, path)
	if err != nil {
		return nil, inputError(path, 0, err)
	}
	defer file.Close()
	var magic [4]byte
	n, err := io.ReadFull(file, magic[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, inputError(path, 0, err)
	}
	switch begins := string(magic[:n]); {
	case begins == tableMagic:
		return readVocabularyTable(ctx, path)
	case n > 0 && strings.HasPrefix(tableMagic, begins):
		return nil, inputError(path, 0, fmt.Errorf("the file ends after %q, as a table does that was cut off", begins))
	}
	words, err := shard.ReadWords(path, io.MultiReader(bytes.NewReader(magic[:n]), file))
	if err != nil {
		return nil, err
	}
	if words.Len() == 0 {
		return nil, inputError(path, 0, errors.New("the vocabulary is empty"))
	}
	v := corpus.NewVocabulary()
	for i := range words.Len() {
		v.Intern(words.ID(i))
	}
	return v, nil
}

// vocabularyFields are the columns of vocabulary.parquet.
func vocabularyFields(id tablefile.Type) []tablefile.Field {
	return []tablefile.Field{
		{Name: "item_id", Type: id},
		{Name: "index", Type: tablefile.Int32},
		{Name: "df", Type: tablefile.Int64},
		{Name: "tf", Type: tablefile.Int64},
	}
}

// readVocabularyTable reads vocabulary.parquet, whose item_id is string or int64.
func readVocabularyTable(ctx context.Context, path string) (*corpus.Vocabulary, error) {
	v := corpus.NewVocabulary()
	add := func(firstRow int64, columns []any) error { return addRows(v, path, firstRow, columns) }
	err := tablefile.Read(ctx, path, vocabularyFields(tablefile.String), add)
	if bad, is := errors.AsType[*shard.Error](err); is && bad.Column == "item_id" && v.Len() == 0 {
		err = tablefile.Read(ctx, path, vocabularyFields(tablefile.Int64), add)
	}
	if err != nil {
		return nil, err
	}
	if v.Len() == 0 {
		return nil, inputError(path, 0, errors.New("the vocabulary is empty"))
	}
	return v, nil
}

// addRows adds rows of vocabulary.parquet. firstRow is the number of the first, counted from 0.
func addRows(v *corpus.Vocabulary, path string, firstRow int64, columns []any) error {
	indices, df, tf := columns[1].([]int32), columns[2].([]int64), columns[3].([]int64)
	var id []byte
	for j, index := range indices {
		row := firstRow + int64(j)
		switch ids := columns[0].(type) {
		case []string:
			id = append(id[:0], ids[j]...)
		case []int64:
			id = strconv.AppendInt(id[:0], ids[j], 10)
		}
		switch {
		case int64(index) != row:
			return inputError(path, row+1, fmt.Errorf("index is %d, but must be %d, the number of rows before it", index, row))
		case df[j] < 0 || tf[j] < df[j]:
			return inputError(path, row+1, fmt.Errorf("df is %d and tf is %d, but 0 ≤ df ≤ tf must hold", df[j], tf[j]))
		case len(bytes.TrimSpace(id)) == 0:
			return inputError(path, row+1, errors.New("the item is empty"))
		case !utf8.Valid(id):
			return inputError(path, row+1, fmt.Errorf("the item %.40q is not valid UTF-8", id))
		}
		if known := v.Intern(id); known != index {
			return inputError(path, row+1, fmt.Errorf("the item %.40q is already in row %d", id, known+1))
		}
		v.DocumentFrequency[index], v.TermFrequency[index] = df[j], tf[j]
		v.Counted = v.Counted || df[j] > 0
	}
	return nil
}

// WriteVocabulary writes v as a Parquet table with the columns item_id (int64 if v.Integers, else string), index
// (int32, the number of the row from 0), df and tf (int64, both 0 if v has no counts).
func WriteVocabulary(w io.Writer, v *corpus.Vocabulary) error {
	id := tablefile.String
	if v.Integers() {
		id = tablefile.Int64
	}
	return tablefile.WriteTable(w, vocabularyFields(id), v.Len(), VocabularyRows, func(from, to int) ([]any, error) {
		indices, words, integers := make([]int32, to-from), make([]string, to-from), make([]int64, to-from)
		for j := range indices {
			indices[j], words[j] = int32(from+j), v.ID(from+j)
		}
		if !v.Integers() {
			return []any{words, indices, v.DocumentFrequency[from:to], v.TermFrequency[from:to]}, nil
		}
		for j, word := range words {
			var err error
			if integers[j], err = strconv.ParseInt(word, 10, 64); err != nil {
				return nil, err
			}
		}
		return []any{integers, indices, v.DocumentFrequency[from:to], v.TermFrequency[from:to]}, nil
	})
}

// ReadStopwords reads a text file with one item per line. It ignores empty lines and white space around an item.
func ReadStopwords(ctx context.Context, path string) (map[string]struct{}, error) {
	words := make(map[string]struct{})
	err := eachLine(ctx, path, func(_ int64, line []byte) error {
		if word := bytes.TrimSpace(line); len(word) > 0 {
			words[string(word)] = struct{}{}
		}
		return nil
	})
	return words, err
}

// ReadLists reads lists of items of a vocabulary, such as topics: one per line, with white space between the items.
// Empty lines are skipped. The error is a *shard.Error.
func ReadLists(ctx context.Context, path string, vocabulary *corpus.Vocabulary) ([][]int, error) {
	var lists [][]int
	err := eachLine(ctx, path, func(row int64, line []byte) error {
		var list []int
		seen := make(map[int32]bool)
		for _, id := range bytes.Fields(line) {
			index, known := vocabulary.Lookup(id)
			if !known {
				return inputError(path, row, fmt.Errorf("item %q is in no document, or not in the vocabulary: leave it out, or "+
					"give the documents that the topics were made from", id))
			}
			if seen[index] {
				return inputError(path, row, fmt.Errorf("item %q occurs twice in the topic", id))
			}
			seen[index], list = true, append(list, int(index))
		}
		if list != nil {
			lists = append(lists, list)
		}
		return nil
	})
	if err == nil && lists == nil {
		err = inputError(path, 0, errors.New("the file has no topics"))
	}
	return lists, err
}

// eachLine calls fn with every line of a file, numbered from 1, without its end (LF or CRLF) and without a byte-order
// mark at the start of the file. It refuses files that are not plain text. A line is valid until fn returns.
func eachLine(ctx context.Context, path string, fn func(row int64, line []byte) error) error {
	file, err := objects.OpenStream(ctx, path)
	if err != nil {
		return inputError(path, 0, err)
	}
	defer file.Close()
	lines, row := bufio.NewScanner(file), int64(0)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		line := lines.Bytes()
		if row++; row == 1 {
			line = bytes.TrimPrefix(line, byteOrderMark)
		}
		// UTF-16, compressed files and other binary files all have a byte 0 early on.
		if bytes.IndexByte(line, 0) >= 0 {
			return inputError(path, row, errors.New("not plain text: expected items in lines of UTF-8"))
		}
		if err := fn(row, line); err != nil {
			return err
		}
	}
	err = lines.Err()
	if err == bufio.ErrTooLong {
		err = fmt.Errorf("the line is longer than %d bytes", maxLine)
	}
	if err != nil {
		return inputError(path, row+1, err)
	}
	return nil
}

// inputError returns a *shard.Error for a line or row, counted from 1, or for the whole file if row is 0.
func inputError(path string, row int64, err error) error {
	// The shard.Error already has the path.
	if inner, is := errors.AsType[*fs.PathError](err); is {
		err = inner.Err
	}
	return &shard.Error{Path: path, Row: row, Err: err}
}

//go:embed stopwords/*.txt
var stopwordFiles embed.FS

// stopwordLanguage is a language with a list of stop words.
type stopwordLanguage struct {
	Code string // of two letters, as in ISO 639-1
	Name string // in English
	list string
}

// stopwordLists reads the lists, in the order of their codes. The first line of each has the language, then who made
// it.
var stopwordLists = sync.OnceValue(func() (languages []stopwordLanguage) {
	files, _ := stopwordFiles.ReadDir("stopwords") // which are in the program
	for _, file := range files {
		text, _ := stopwordFiles.ReadFile("stopwords/" + file.Name())
		head, list, _ := strings.Cut(string(text), "\n")
		name, _, _ := strings.Cut(strings.TrimPrefix(head, "# "), ";")
		languages = append(languages, stopwordLanguage{strings.TrimSuffix(file.Name(), ".txt"), name, list})
	}
	return languages
})

// IsStopword reports whether an item is a stop word of some language.
func IsStopword(id string) bool { _, known := allStopwords()[id]; return known }

var allStopwords = sync.OnceValue(func() map[string]struct{} {
	words, _ := Stopwords(stopwordCodes())
	return words
})

// stopwordCodes returns the codes of all languages.
func stopwordCodes() string {
	var codes []string
	for _, l := range stopwordLists() {
		codes = append(codes, l.Code)
	}
	return strings.Join(codes, ", ")
}

// FindStopwords returns the stop words of the file at a path or, if there is none, of the languages that text names.
// With lower they are in lower case, as words are that texts are cut into. The error is a *shard.Error.
func FindStopwords(ctx context.Context, text string, lower bool) (map[string]struct{}, error) {
	if _, err := os.Stat(text); err != nil {
		if words, known := Stopwords(text); known {
			return words, nil
		}
	}
	words, err := ReadStopwords(ctx, text)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; it is not a language with a list of stop words either: those are %s", err,
			stopwordCodes())
	}
	if err != nil || !lower {
		return words, err
	}
	small := make(map[string]struct{}, len(words))
	for word := range words {
		small[strings.ToLower(word)] = struct{}{}
	}
	return small, nil
}

// Stopwords returns the stop words of a language, or of several with commas between them, in lower case; known is false
// if there is no list of one of them. A language is called by its code or by its English name, in any case. Lists of
// languages that are written without blanks hold words that cutting text at Unicode's word boundaries never yields,
// beside some that it does.
func Stopwords(languages string) (words map[string]struct{}, known bool) {
	words = make(map[string]struct{})
	for language := range strings.SplitSeq(languages, ",") {
		language = strings.TrimSpace(language)
		at := slices.IndexFunc(stopwordLists(), func(l stopwordLanguage) bool {
			return strings.EqualFold(language, l.Code) || strings.EqualFold(language, l.Name)
		})
		if at < 0 {
			return nil, false
		}
		for word := range strings.Lines(stopwordLists()[at].list) {
			words[strings.TrimSuffix(word, "\n")] = struct{}{}
		}
	}
	return words, true
}
