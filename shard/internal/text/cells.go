// This file reads tables in which a row is a document: its texts are in some cells, or its items in many.

package text

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"unicode"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/roles"
)

// Cells are what is read of a row.
type Cells struct {
	Name   []byte   // id of the document; empty without one
	Values [][]byte // nil where a value is missing
	Place  fault.Error
}

// CellSource yields the rows of a table.
type CellSource interface {
	// Next overwrites row, which is valid until the call after it, and returns io.EOF after the last one. After an error
	// of a single row Next can continue.
	Next(row *Cells) error
	Close() error
}

// cellsReader makes a document of every row.
type cellsReader struct {
	watch   *access.Watch
	path    string
	source  CellSource
	builder *bag.Builder
	take    func(cells [][]byte) error // adds the items of a row
	row     Cells
	done    int64 // rows
}

// NewTexts returns a reader of rows whose values are texts, which it cuts into words.
func NewTexts(w *access.Watch, in reading.Shard, b *bag.Builder, source CellSource) reading.Reader {
	words := newTokenizer(b, in.Options)
	return &cellsReader{watch: w, path: in.Path, source: source, builder: b, take: func(texts [][]byte) error {
		for _, text := range texts {
			if err := words.add(text); err != nil {
				return fault.InRow(err)
			}
		}
		return nil
	}}
}

func (r *cellsReader) Next(batch *documents.Batch) error {
	return r.builder.Fill(batch, r.done, r.fill)
}

// fill reads rows until the batch is complete or the table has ended.
func (r *cellsReader) fill() {
	for rows := 0; ; rows++ {
		if rows&0xff == 0 {
			fault.Throw(r.watch.Check())
		}
		r.row.Place = fault.Error{}
		err := r.source.Next(&r.row)
		if err == io.EOF {
			return
		}
		if err == nil {
			err = r.builder.SetName(r.row.Name)
		}
		if err == nil {
			err = r.take(r.row.Values)
		}
		if err != nil {
			fault.Throw(r.builder.Leave(r.watch.At(r.row.Place, r.path, err)))
		}
		r.done++
		if r.builder.EndDocument() {
			return
		}
	}
}

func (r *cellsReader) Close() error { return r.source.Close() }

const (
	// textWords is the mean number of words from which values are texts, and namedWords the same of a column with a usual
	// name of texts.
	textWords, namedWords = 8, 3
	// TextRows is how many rows are looked at for texts.
	TextRows = 100
)

// textNames are the usual names of columns of texts.
var textNames = map[string]bool{"text": true, "body": true, "content": true, "contents": true, "abstract": true,
	"article": true, "document": true, "review": true, "reviewtext": true, "comment": true, "comments": true,
	"message": true, "post": true, "tweet": true, "sentence": true, "paragraph": true, "summary": true,
	"transcript": true, "description": true, "texte": true, "texto": true, "testo": true, "tekst": true, "inhalt": true}

// FindTexts returns which columns hold texts, the likeliest first: those with a usual name before others, and of these
// the ones with more words. values are some values of each column.
func FindTexts(names []string, values [][][]byte) (found []int) {
	means, usual := make([]float64, len(names)), make([]int, len(names)) // usual is 1 for a usual name
	for i, column := range values {
		words, filled := 0, 0
		for _, value := range column {
			if n := countWords(value); n > 0 {
				words, filled = words+n, filled+1
			}
		}
		if filled == 0 {
			continue
		}
		means[i] = float64(words) / float64(filled)
		least := textWords
		if textNames[roles.FoldName(names[i])] {
			usual[i], least = 1, namedWords
		}
		if means[i] >= float64(least) {
			found = append(found, i)
		}
	}
	slices.SortStableFunc(found, func(a, b int) int {
		return cmp.Or(cmp.Compare(usual[b], usual[a]), cmp.Compare(means[b], means[a]))
	})
	return found
}

// countWords returns about how many words a text has: its fields between blanks, and its ideographs. Fields without a
// letter are none.
func countWords(text []byte) (words int) {
	for field := range bytes.FieldsSeq(text) {
		if bytes.ContainsFunc(field, unicode.IsLetter) {
			words++
		}
		for _, r := range string(field) {
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
				words++
			}
		}
	}
	return words
}
