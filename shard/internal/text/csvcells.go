// This file reads CSV with a row per document, whose items are in one cell: 7,"milk,rolls". It makes them rows of a
// long table, one for each item.

package text

import (
	"bytes"
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"anchorage/shard/fault"
	"anchorage/shard/internal/longtable"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/roles"
)

// csvLayout is how a table is read.
type csvLayout struct {
	skip      int // bytes in front of the header: a byte order mark, and a line that names the delimiter
	delimiter rune
	noHeader  bool
	names     []string
	columns   roles.Choice // Document is -1 if the documents have no ids
	separator string       // of items in a cell; empty if a row holds one
	texts     []int        // columns of texts; nil without them
	wide      []int        // columns of items where a row has many; nil without them
	hot       bool         // the items of wide are the names of the columns, and their cells say whether they are there
}

// layoutOf finds out the layout of a table by its beginning, whose complete lines are looked at.
func layoutOf(head []byte, opts reading.Options) (l csvLayout, err error) {
	if head, err = l.readHeader(head, opts.NoHeader); err != nil {
		return l, err
	}
	if texts := opts.TextColumns(); len(texts) > 0 {
		return l, l.chooseTexts(texts, opts.Columns)
	}
	rows := l.sample(head)
	err = l.chooseItems(rows, opts)
	found := err == nil && (l.columns.Document >= 0 || l.separator != "")
	asked := opts.Columns.Items != "" || opts.Columns.Counts != ""
	if asked || found && !opts.Tokenize && !l.noHeader && !roles.IsNameOfItem(l.names[l.columns.Items]) {
		return l, err
	}
	if texts := l.likelyTexts(rows); len(texts) > 0 && (l.noHeader || !found || !l.repeats(rows)) {
		if l.namedByValues(rows, texts[0]) {
			return l, l.noNames()
		}
		l.separator = ""
		return l, l.chooseTexts(texts[:1], opts.Columns)
	}
	if opts.Tokenize {
		return l, l.chooser(opts.Columns).NoTexts()
	}
	if err == nil || l.findWide(rows, opts.Columns) {
		return l, nil
	}
	if !l.noHeader && slices.ContainsFunc(l.names, isNumber) {
		return l, l.noNames()
	}
	return l, err
}

// noNames returns the error of a table without a header.
func (l *csvLayout) noNames() error {
	var shown []string
	for _, name := range l.names {
		shown = append(shown, roles.Shown(name))
	}
	return fault.Because(fault.NoHeader, "the first line, %s, looks like values, not like names of columns",
		roles.Listing(shown))
}

// headerWords is the number of words from which a name of a column is a text.
const headerWords = 25

// namedByValues reports whether the name of a column of texts is a text itself. If it is short, another name must be a
// number, or come again in its column: a question of a survey is a name.
func (l *csvLayout) namedByValues(rows [][]string, text string) bool {
	words := countWords([]byte(text))
	if l.noHeader || words < textWords {
		return false
	}
	for i, name := range l.names {
		comesAgain := func(row []string) bool { return name != text && name != "" && row[i] == name }
		if isNumber(name) || slices.ContainsFunc(rows, comesAgain) {
			return true
		}
	}
	return words >= headerWords
}

func isNumber(name string) bool {
	_, err := strconv.ParseFloat(name, 64)
	return err == nil
}

// unclear returns err, that of layoutOf, as one in the header, with the first rows.
func (l *csvLayout) unclear(head []byte, err error) *fault.Error {
	for _, name := range l.names {
		if !utf8.ValidString(name) {
			return &fault.Error{Row: 1, Err: fault.NotUTF8("the header", []byte(name))}
		}
	}
	place := &fault.Error{Row: 1, Err: err, Columns: l.names}
	if err != errHeader {
		rows := l.sample(head[min(l.skip, len(head)):])
		for _, row := range rows[:min(len(rows), roles.FirstRows)] {
			for i, cell := range row {
				row[i] = roles.Shown(cell)
			}
			place.First = append(place.First, row)
		}
	}
	return place
}

// readHeader finds the delimiter and the names of the columns, and returns the table from the header on.
func (l *csvLayout) readHeader(head []byte, none bool) ([]byte, error) {
	l.columns = roles.Choice{Document: -1, Items: -1, Counts: -1}
	rest := bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	line, n := cutLine(rest)
	named := rune(0)
	if sign, is := bytes.CutPrefix(bytes.ToLower(line), []byte("sep=")); is && len(sign) == 1 { // Excel writes it
		named = rune(sign[0])
		rest = rest[n:]
	}
	l.skip = len(head) - len(rest)
	rest = bytes.TrimLeft(rest, "\r\n")
	var ok bool
	if l.delimiter, l.names, ok = csvHeader(rest, named); !ok {
		return rest, errHeader
	}
	if l.noHeader = none; none {
		for i := range l.names {
			l.names[i] = strconv.Itoa(i + 1)
		}
	}
	return rest, nil
}

// chooser returns what chooses among the columns, every one of which may hold anything.
func (l *csvLayout) chooser(wanted roles.Names) *roles.Chooser {
	fields := make([]roles.Field, len(l.names))
	for i, name := range l.names {
		fields[i] = roles.Field{Name: name, Shape: roles.Value, Kind: roles.Bytes, Text: true}
	}
	return roles.NewChooser(fields, wanted)
}

// chooseTexts takes columns for texts.
func (l *csvLayout) chooseTexts(names []string, wanted roles.Names) (err error) {
	l.columns.Items, l.columns.Counts = -1, -1
	l.texts, l.columns.Document, err = l.chooser(wanted).ChooseTexts(names)
	return err
}

// likelyTexts returns the names of columns with many words, the likeliest first.
func (l *csvLayout) likelyTexts(rows [][]string) (names []string) {
	values := make([][][]byte, len(l.names))
	for _, row := range rows {
		for i, cell := range row {
			values[i] = append(values[i], []byte(cell))
		}
	}
	for _, i := range FindTexts(l.names, values) {
		names = append(names, l.names[i])
	}
	return names
}

// repeats reports whether a document takes two rows.
func (l *csvLayout) repeats(rows [][]string) bool {
	seen := make(map[string]bool)
	for _, row := range rows {
		if l.columns.Document >= 0 {
			seen[row[l.columns.Document]] = true
		}
	}
	return l.columns.Document >= 0 && len(seen) < len(rows)
}

// chooseItems chooses the columns of a long table, or of one whose cells hold several items.
func (l *csvLayout) chooseItems(rows [][]string, opts reading.Options) (err error) {
	c := l.chooser(opts.Columns)
	l.columns, err = c.ChooseLong()
	unknown := fault.ReasonOf(err) == fault.DocumentsUnclear
	if unknown && l.noHeader && opts.Columns.Document == "" && l.numbered(rows, opts.Columns) {
		return nil
	}
	if err != nil && !unknown {
		return err
	}
	if unknown { // perhaps a row is a document without an id
		var choosing error
		if l.columns, choosing = c.ChooseCell(); choosing != nil {
			return err
		}
	}
	if l.separator = opts.Separator; l.separator == "" {
		l.separator = l.findSeparator(rows)
	}
	if l.separator == "" {
		if err == nil && opts.Columns.Counts == "" && l.columns.Counts < 0 {
			err = l.likelyCounts(rows)
		}
		return err
	}
	if at := l.columns.Counts; at >= 0 && opts.Columns.Counts == "" {
		return fault.Because(fault.CountsUnclear,
			"%q may count every item of a cell, or all of them together", l.names[at])
	}
	return nil
}

// numbered chooses the columns of a table without a header: document and item and, if it holds numbers, the count.
func (l *csvLayout) numbered(rows [][]string, wanted roles.Names) bool {
	if wanted.Items != "" || len(l.names) > 3 {
		return false
	}
	l.columns = roles.Choice{Long: true, Document: 0, Items: 1, Counts: -1}
	if len(l.names) == 3 {
		if wanted.Counts == roles.NoCounts || l.likelyCounts(rows) == nil {
			return wanted.Counts == roles.NoCounts
		}
		l.columns.Counts = 2
	}
	return true
}

// findSeparator returns what separates the items in cells; "" if every row seems to hold one item. A row holds several
// if most cells have a sign that could separate them, and no document takes two rows.
func (l *csvLayout) findSeparator(rows [][]string) string {
	var lists [][]byte
	for _, record := range rows {
		lists = append(lists, []byte(record[l.columns.Items]))
	}
	if len(lists) < 2 || l.repeats(rows) { // a single row shows nothing
		return ""
	}
	sign := findSeparator(lists)
	with := 0
	for _, list := range lists {
		if bytes.Contains(list, []byte(sign)) {
			with++
		}
	}
	if sign == "" || sign == Blanks || 2*with <= len(lists) {
		return ""
	}
	return sign
}

// sample returns the first rows of values, as far as they are complete; of a first row that is longer than head, what
// is known.
func (l *csvLayout) sample(head []byte) (rows [][]string) {
	head = head[:bytes.LastIndexByte(head, '\n')+1]
	header := 1
	if l.noHeader {
		header = 0
	}
	records := l.records(head)
	for range sampleLines + header {
		start := records.InputOffset()
		record, err := records.Read()
		if err != nil {
			if record = l.cutRecord(head[start:]); record == nil || len(rows) > header {
				break
			}
			record = append(record, make([]string, len(l.names)-len(record))...)
		}
		rows = append(rows, record)
	}
	return rows[min(header, len(rows)):]
}

// records returns a reader of the table.
func (l *csvLayout) records(table []byte) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(table))
	r.Comma = l.delimiter
	return r
}

// cutRecord returns the fields of a record that ends within quotes, where its text was cut off; nil if it does not.
func (l *csvLayout) cutRecord(rest []byte) []string {
	r := l.records(append(slices.Clone(rest), '"'))
	record, err := r.Read()
	if err != nil || len(record) > len(l.names) || int(r.InputOffset()) <= len(rest) {
		return nil
	}
	return record
}

// wholeRecords is how many records show a table although one after them is damaged.
const wholeRecords = 10

// spansLines reports whether a table has records that span lines: quoted fields hold line ends, as RFC 4180 allows. A
// lone quote in lines of items, or in fields between tabs, also opens what a later one seems to close; but then records
// differ in their numbers of fields, or the lines within have as many delimiters as a record.
func (l *csvLayout) spansLines(table []byte, whole bool) bool {
	records := l.records(table)
	within, alike := 0, 0
	look := func(record []byte) {
		first := true
		for line := range bytes.Lines(bytes.TrimLeft(record, "\r\n")) {
			if !first {
				within++
				line, _, _ = bytes.Cut(line, []byte{'"'}) // which ends the field
				if n := len(l.names) - 1; n > 0 && bytes.Count(line, []byte(string(l.delimiter))) == n {
					alike++
				}
			}
			first = false
		}
	}
	for n := range sampleLines {
		start := records.InputOffset()
		_, err := records.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			switch {
			case !whole && l.cutRecord(table[start:]) != nil:
				look(table[start:])
			case n < wholeRecords:
				return false
			}
			break
		}
		look(table[start:records.InputOffset()])
	}
	return 2*alike < within
}

// likelyCounts returns an error if the third of three columns has nothing but numbers: they may be counts under another
// name.
func (l *csvLayout) likelyCounts(rows [][]string) error {
	if len(l.names) != 3 || len(rows) == 0 {
		return nil
	}
	other := 3 - l.columns.Document - l.columns.Items
	if roles.IsTimeName(l.names[other]) {
		return nil
	}
	for _, row := range rows {
		if _, err := strconv.ParseFloat(row[other], 64); err != nil {
			return nil
		}
	}
	return fault.Because(fault.CountsUnclear, "%q may be counts or not", l.names[other])
}

func (c *csvRows) Next(row *longtable.Row) error {
	if c.layout.separator == "" {
		return c.next(row)
	}
	for {
		item, rest, done := cutItem(c.rest, c.layout.separator)
		if c.rest = rest; len(item) > 0 {
			*row = c.row
			row.Item = item
			return nil
		}
		if !done {
			continue
		}
		if err := c.next(&c.row); err != nil {
			return err
		}
		c.rest = c.row.Item
		if c.rows++; c.columns.Document < 0 {
			c.row.Document, c.row.DocumentNumber = nil, c.rows
		}
	}
}
