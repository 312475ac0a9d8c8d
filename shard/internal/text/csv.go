// This file reads long tables from delimited text: a header, then one line per document and item, and perhaps a row of
// totals that people put below.

package text

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/longtable"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/roles"
)

// MaxRecord is the length of the longest record of a CSV file, in bytes. A quoted field may hold line ends, so that one
// missing quote would otherwise make the rest of the file one field.
const MaxRecord = 1 << 20

// delimiters are the bytes that may be between fields.
var delimiters = []rune{',', '\t', ';', '|'}

// csvRows is the longtable.Source of CSV.
type csvRows struct {
	stream  *access.Text
	limit   recordLimit
	records *csv.Reader
	layout  csvLayout
	columns roles.Choice
	counts  string // name of the column of counts
	counter *bag.Counter
	line    int      // of the record read last
	kept    []string // a record that was read before its turn, or the error of reading it
	keptErr error
	buffers [2][]byte // bytes of document and item

	row  longtable.Row // whose cell of several items is cut
	rest []byte        // of the cell
	rows int64         // cut; the number is the id where there is no column of documents
}

// recordLimit passes at most a given number of bytes on for a record.
type recordLimit struct {
	source io.Reader
	left   int
}

var errRecord = fmt.Errorf("the record is longer than %d bytes: is a quote missing?", MaxRecord)

func (l *recordLimit) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errRecord
	}
	n, err := l.source.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

// OpenCSV opens a table of delimited text.
func OpenCSV(w *access.Watch, in reading.Shard) (reading.Reader, error) {
	stream, err := w.OpenText(in.Object)
	if err != nil {
		return nil, err
	}
	builder := in.Builder()
	rows := &csvRows{stream: stream, counter: &builder.Counter}
	if err = rows.start(in); err != nil {
		stream.Close()
		if place, is := errors.AsType[*fault.Error](err); is {
			place.Path = in.Path
		}
		return nil, fault.InFile(in.Path, err)
	}
	switch layout := rows.layout; {
	case layout.texts != nil:
		return NewTexts(w, in, builder, &csvCells{rows, layout.texts}), nil
	case layout.wide != nil:
		return newWide(w, in, builder, &csvCells{rows, layout.wide}, layout), nil
	}
	return longtable.New(w, in, builder, rows), nil
}

// start reads the header.
func (c *csvRows) start(in reading.Shard) error {
	text := bufio.NewReaderSize(c.stream, SampleBytes)
	head, err := text.Peek(SampleBytes)
	if err != nil && err != io.EOF {
		return &fault.Error{Row: 1, Err: err}
	}
	if len(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))) == 0 {
		return errEmpty
	}
	layout, err := layoutOf(head, in.Options)
	if err != nil {
		place := layout.unclear(head, err)
		if err != errHeader {
			place.Row = 0 // the choice of columns is about all rows
		}
		return place
	}
	if _, err := text.Discard(layout.skip); err != nil {
		return err
	}
	c.layout, c.columns = layout, layout.columns
	if c.columns.Counts >= 0 {
		c.counts = layout.names[c.columns.Counts]
	}
	c.limit = recordLimit{source: text, left: MaxRecord}
	c.records = csv.NewReader(&c.limit)
	c.records.Comma = layout.delimiter
	c.records.ReuseRecord = true
	if layout.noHeader {
		return nil
	}
	if _, err := c.records.Read(); err != nil {
		return c.fail(err)
	}
	c.line, _ = c.records.FieldPos(0)
	return nil
}

// errEmpty says that a file has nothing but blank lines.
var errEmpty = errors.New("the file is empty")

// errHeader says that a table has no header.
var errHeader = errors.New("the header does not name two columns or more, separated by one of , ; | and tabs")

// csvHeader returns the delimiter that a header, the first record of a text, is separated by, named or found if that is
// 0, and the names of its columns: a single one only if it is a usual name of texts. The header may span lines only if
// its first line has an open quote.
func csvHeader(text []byte, named rune) (delimiter rune, names []string, ok bool) {
	candidates := delimiters
	if named != 0 {
		candidates = []rune{named}
	}
	if line, n := cutLine(text); n < len(text) {
		if delimiter, names, ok = csvHeader(line, named); ok || bytes.Count(line, []byte{'"'})%2 == 0 {
			return delimiter, names, ok
		}
	}
	for _, candidate := range candidates {
		records := csv.NewReader(bytes.NewReader(text))
		records.Comma = candidate
		fields, err := records.Read()
		if err == nil && (len(fields) > max(1, len(names)) || names == nil && textNames[roles.FoldName(fields[0])]) {
			delimiter, names = candidate, fields
		}
	}
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
	}
	return delimiter, names, len(names) > 0
}

// record reads a record, which is valid until the next.
func (c *csvRows) record() ([]string, error) {
	c.limit.left = MaxRecord
	record, err := c.kept, c.keptErr
	if c.kept, c.keptErr = nil, nil; record == nil && err == nil {
		record, err = c.records.Read()
	}
	if err != nil {
		return nil, c.fail(err)
	}
	if c.line, _ = c.records.FieldPos(0); !c.isTotal(record) {
		return record, nil
	}
	record = slices.Clone(record)
	return record, c.leaveTotal()
}

// next reads a row of a long table.
func (c *csvRows) next(row *longtable.Row) error {
	record, err := c.record()
	for err == nil && isEmpty(record) {
		record, err = c.record()
	}
	if err != nil {
		return err
	}
	row.Place = fault.Error{Row: int64(c.line)}
	row.Count = 1
	if c.columns.Counts >= 0 {
		if row.Count, err = c.counter.Text([]byte(strings.TrimSpace(record[c.columns.Counts]))); err != nil {
			return &fault.Error{Row: int64(c.line), Column: c.counts, Err: err}
		}
	}
	if c.columns.Document >= 0 {
		c.buffers[0] = append(c.buffers[0][:0], record[c.columns.Document]...)
	}
	c.buffers[1] = append(c.buffers[1][:0], record[c.columns.Items]...)
	row.Document, row.Item = c.buffers[0], c.buffers[1]
	if row.Document == nil || row.Item == nil { // an empty field of the first record
		row.Document, row.Item = slices.Grow(row.Document, 1), slices.Grow(row.Item, 1)
	}
	return nil
}

// csvProblems are what errors of the csv package say in plain words.
var csvProblems = map[error]string{
	csv.ErrFieldCount: "the record and the header have different numbers of fields",
	csv.ErrBareQuote:  "a field that contains a quote must be in quotes, with the quotes inside it doubled",
	csv.ErrQuote:      "a quote within a quoted field is not doubled, or the field has no end",
}

// fail says in plain words what the csv package found.
func (c *csvRows) fail(err error) error {
	parse, is := errors.AsType[*csv.ParseError](err)
	if !is {
		if err == io.EOF {
			return err
		}
		return &fault.Error{Row: int64(c.line + 1), Err: err}
	}
	if err = parse.Err; csvProblems[err] != "" {
		err = errors.New(csvProblems[err])
	}
	if err != errRecord { // after which the next record cannot be found
		err = fault.InRow(err)
	}
	c.line = max(parse.StartLine, 1)
	return &fault.Error{Row: int64(c.line), Err: err}
}

// csvCells is the CellSource of CSV.
type csvCells struct {
	*csvRows
	read []int // columns
}

func (c *csvCells) Next(row *Cells) error {
	record, err := c.record()
	if err != nil {
		return err
	}
	row.Place.Row = int64(c.line)
	row.Name, row.Values = row.Name[:0], row.Values[:0]
	if at := c.columns.Document; at >= 0 {
		row.Name = append(row.Name, record[at]...)
	}
	for _, at := range c.read {
		row.Values = append(row.Values, []byte(record[at]))
	}
	return nil
}

func (c *csvRows) Close() error { return c.stream.Close() }

// totals are words for a total, folded as names of columns are.
var totals = map[string]bool{"total": true, "totals": true, "grandtotal": true, "sum": true, "summe": true,
	"gesamt": true, "gesamtsumme": true, "gesamtergebnis": true, "insgesamt": true, "totale": true, "totalgeneral": true,
	"somme": true, "suma": true, "soma": true, "somma": true, "totaal": true, "итого": true, "всего": true, "合计": true,
	"总计": true, "合計": true, "합계": true}

// isTotal reports whether a record may be a row of totals: the word for it in the column of documents, or in the first
// where no column has documents, and otherwise only numbers and empty cells. The cell of the items of a long table is
// empty.
func (c *csvRows) isTotal(record []string) bool {
	items := c.columns.Items // what most rows have
	if len(c.layout.texts) > 0 {
		items = c.layout.texts[0]
	}
	if items >= 0 && record[items] != "" {
		return false
	}
	at := max(c.columns.Document, 0)
	if len(record) < 2 || !totals[roles.FoldName(record[at])] {
		return false
	}
	for i, cell := range record {
		cell = strings.TrimSpace(cell)
		_, wrong := strconv.ParseFloat(strings.NewReplacer(",", "", ".", "", " ", "", "\u00a0", "").Replace(cell), 64)
		if i != at && cell != "" && wrong != nil {
			return false
		}
	}
	return true
}

// leaveTotal counts a record and returns io.EOF if it is a row of totals at the end of the table; otherwise it keeps
// the record that comes after it.
func (c *csvRows) leaveTotal() error {
	c.limit.left = MaxRecord
	after, err := c.records.Read()
	for err == nil && isEmpty(after) {
		after, err = c.records.Read()
	}
	if err == io.EOF {
		c.counter.Left.Totals++
		return err
	}
	c.kept, c.keptErr = after, err
	return nil
}

// isEmpty reports whether all cells are empty, as in rows that spreadsheets write.
func isEmpty(record []string) bool {
	return !slices.ContainsFunc(record, func(cell string) bool { return strings.TrimSpace(cell) != "" })
}
