// This file holds what Matrix Market and docword do not have in common, and the sorting that both may ask for. Matrix
// Market's coordinate layout has a banner, comments, a line "rows columns entries", and lines "row column value", both
// numbered from 1. Rows are documents unless the options say that columns are.

package text

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"anchorage/shard/fault"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/longtable"
	"anchorage/shard/internal/sorter"
)

const matrixBanner = "%%MatrixMarket"

// matrixLayout says how a matrix is written: with the zero value, as docword.
type matrixLayout struct {
	banner     bool // the header is that of Matrix Market
	pattern    bool // there are no values: every entry counts 1
	transposed bool // the columns are the documents
}

// form describes a line.
func (m *matrixLayout) form() string {
	switch {
	case !m.banner:
		return "document word count"
	case m.pattern:
		return "row column"
	}
	return "row column value"
}

// readMatrixHeader reads the banner, the comments and the sizes.
func (r *docwordReader) readMatrixHeader() {
	line := r.nextLine("the file is empty; it should begin with " + matrixBanner)
	pattern, err := parseBanner(string(line))
	if err != nil {
		fault.Throw(r.fail(err))
	}
	r.matrix.pattern = pattern
	for line = []byte("%"); line[0] == '%'; {
		line = r.nextLine("the file ends before the numbers of rows, columns and entries")
	}
	sizes, n := parseEntry(line)
	if n == 0 || sizes.document < 0 || sizes.word < 0 || sizes.count < 0 {
		r.throw("the numbers of rows, columns and entries should be here, not %.40q", line)
	}
	r.documents, r.words, r.entries = sizes.document, sizes.word, sizes.count
	if r.matrix.transposed {
		r.documents, r.words = r.words, r.documents
	}
}

// parseBanner reads the first line of a Matrix Market file. pattern says that the entries have no values.
func parseBanner(line string) (pattern bool, err error) {
	fields := strings.Fields(strings.ToLower(line))
	if len(fields) != 5 || fields[0] != strings.ToLower(matrixBanner) || fields[1] != "matrix" {
		return false, fmt.Errorf("the file should begin with \"%s matrix coordinate integer general\", not %.60q",
			matrixBanner, line)
	}
	switch {
	case fields[2] != "coordinate":
		return false, fmt.Errorf("the matrix layout %q is not supported: write it as coordinate", fields[2])
	case fields[4] != "general":
		return false, fmt.Errorf("a %s matrix is not supported: write it as general", fields[4])
	}
	switch fields[3] {
	case "integer", "real", "double", "unsigned-integer":
	case "pattern":
		return true, nil
	default:
		return false, fmt.Errorf("a matrix of %s values is not supported: counts are integers", fields[3])
	}
	return false, nil
}

// turn makes an entry of a row and a column.
func (m *matrixLayout) turn(entry *docwordEntry) {
	if m.transposed {
		entry.document, entry.word = entry.word, entry.document
	}
}

// parse parses a line that is not made of three integers. The count is 0 where the rule leaves the entry out.
func (m *matrixLayout) parse(counter *bag.Counter, line []byte) (entry docwordEntry, err error) {
	fields := bytes.Fields(line)
	var ok [2]bool
	if form := m.form(); len(fields) == len(strings.Fields(form)) {
		entry.document, ok[0] = bag.WholeNumber(fields[0])
		entry.word, ok[1] = bag.WholeNumber(fields[1])
	}
	if !ok[0] || !ok[1] {
		return entry, fmt.Errorf("%.60q is not of the form %q", bytes.TrimSpace(line), m.form())
	}
	entry.count = 1
	if !m.pattern {
		count, err := counter.Text(fields[2])
		if err != nil {
			return entry, err
		}
		entry.count = int64(count)
	}
	m.turn(&entry)
	return entry, nil
}

// sort reads all entries and makes the sorter yield them.
func (r *docwordReader) sort(limits sorter.Options) {
	var err error
	r.sorter, err = sorter.New(limits)
	fault.Throw(err)
	r.group = true
	var key, payload []byte
	for r.nextEntry() {
		key = longtable.Key(key[:0], nil, r.entry.document)
		row := longtable.Row{ItemNumber: r.entry.word, Count: int32(r.entry.count), Place: fault.Error{Row: r.line}}
		payload = longtable.AppendRow(payload[:0], &row)
		fault.Throw(r.sorter.Add(key, payload))
	}
	r.group, r.ended, r.read, r.entry = false, false, 0, docwordEntry{}
	fault.Throw(r.sorter.Sort(r.watch.Check))
}

// nextSorted takes the next entry from the sorter. At the end it returns false.
func (r *docwordReader) nextSorted() bool {
	key, payload, err := r.sorter.Next()
	if err == io.EOF {
		return r.end()
	}
	var row longtable.Row
	if err == nil {
		err = longtable.TakeRow(&row, key, payload)
	}
	fault.Throw(err)
	r.line = row.Place.Row
	r.entry = docwordEntry{row.DocumentNumber, row.ItemNumber, int64(row.Count)}
	r.read++
	fault.Throw(r.checkGap(r.entry.document))
	return true
}
