// This file reads tables in which a row is a document: its texts are in some cells, or its items take a column each.
// The latter are wide tables, "Item 1", "Item 2" and so on, and one-hot tables, whose columns are the items and
// whose cells say whether they are there, or how often.

package text

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
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

// leastWide is the least number of columns of items.
const leastWide = 3

// newWide returns a reader of a wide or one-hot table.
func newWide(w *access.Watch, in reading.Shard, b *bag.Builder, source *csvCells, l csvLayout) reading.Reader {
	r := &cellsReader{watch: w, path: in.Path, source: source, builder: b}
	r.take = func(cells [][]byte) error {
		for i, cell := range cells {
			item, count := bytes.TrimSpace(cell), int32(1)
			if l.hot {
				var err error
				if count, err = hotCount(&b.Counter, item); err != nil {
					r.row.Place.Column = l.names[l.wide[i]]
					return err
				}
				item = []byte(l.names[l.wide[i]])
			} else if isMissing(item) {
				count = 0
			}
			if err := b.AddBytes(item, count); err != nil {
				return err
			}
		}
		return nil
	}
	return r
}

// isMissing reports whether a cell says that there is no value.
func isMissing(cell []byte) bool {
	switch string(bytes.ToLower(cell)) {
	case "", "na", "nan", "null", "none":
		return true
	}
	return false
}

// hotCount returns the count of an item that a cell of a one-hot table gives. Excel writes truth in its own language.
func hotCount(counter *bag.Counter, cell []byte) (int32, error) {
	switch strings.ToLower(string(cell)) {
	case "true", "t", "yes", "y", "x", "wahr", "vrai", "vero", "verdadero", "verdadeiro", "waar":
		return 1, nil
	case "false", "f", "no", "n", "", "0", "0.0", "falsch", "faux", "falso", "onwaar":
		return 0, nil
	}
	return counter.Text(cell)
}

// findWide looks for a wide or one-hot table in some rows.
func (l *csvLayout) findWide(rows [][]string, wanted roles.Names) bool {
	if len(rows) == 0 || wanted.Items != "" {
		return false
	}
	columns := make(map[string][]int) // by the name without its number
	best := ""
	var hot []int
	for i, name := range l.names {
		stem := strings.TrimRight(name, "0123456789")
		if stem != name {
			columns[stem] = append(columns[stem], i)
			if len(columns[stem]) > len(columns[best]) {
				best = stem
			}
		}
		if l.isHot(rows, i) && !roles.IsIDName(name) && name != wanted.Document {
			hot = append(hot, i)
		}
	}
	switch {
	case len(hot) >= leastWide && 2*len(hot) > len(l.names):
		l.wide, l.hot = hot, true
	case len(columns[best]) >= leastWide && (best == "" && l.noHeader && endEmpty(rows) || roles.IsItemName(best)):
		l.wide = columns[best]
	default:
		return false
	}
	l.columns = roles.Choice{Document: -1, Items: -1, Counts: -1}
	if at, err := l.chooser(wanted).ChooseName(); err == nil {
		l.columns.Document = at
	}
	return true
}

// endEmpty reports whether rows end with empty cells, and have none elsewhere, as those of documents of all lengths do.
// Rows of a long table without a header do not.
func endEmpty(rows [][]string) bool {
	some := false
	for _, row := range rows {
		end := len(row)
		for end > 0 && row[end-1] == "" {
			end--
		}
		if slices.Contains(row[:end], "") {
			return false
		}
		some = some || end < len(row)
	}
	return some
}

// isHot reports whether the cells of a column say whether an item is there, in words, or how often it is, and of
// numbers that a third are 0.
func (l *csvLayout) isHot(rows [][]string, column int) bool {
	absent, words := 0, 0
	for _, row := range rows {
		cell := bytes.TrimSpace([]byte(row[column]))
		count, err := hotCount(new(bag.Counter), cell)
		if err != nil || count > 100 {
			return false
		}
		if count == 0 {
			absent++
		}
		if len(cell) > 0 && bytes.IndexByte([]byte("0123456789"), cell[0]) < 0 {
			words++
		}
	}
	return words == len(rows) || 3*absent >= len(rows)
}

// wideNames describes the columns of items.
func (l *csvLayout) wideNames() string {
	first, last := l.names[l.wide[0]], l.names[l.wide[len(l.wide)-1]]
	text := fmt.Sprintf("%d columns from %s to %s", len(l.wide), first, last)
	if l.hot {
		text = "the names of " + text
	}
	return text
}

// LooksRagged looks for lines of items, with commas or other signs between them, whose numbers differ: no table.
func LooksRagged(s *Sample) string {
	separator := s.Separator()
	if separator == "" || separator == Blanks || len(s.lines) < 2 {
		return ""
	}
	widths := make(map[int]int)
	for _, line := range s.lines {
		n := 0
		for rest := line; ; n++ {
			var done bool
			if _, rest, done = cutItem(rest, separator); done {
				break
			}
		}
		widths[n]++
	}
	most := slices.Max(slices.Collect(maps.Values(widths))) // lines with the same number of fields, as in a table
	if len(widths) > 2 && 4*most <= 3*len(s.lines) {
		return fmt.Sprintf("lines of items between %q, whose numbers differ", separator)
	}
	return ""
}
