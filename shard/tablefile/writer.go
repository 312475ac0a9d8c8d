// This file writes tables: as Parquet, or as comma-separated values for spreadsheets.

package tablefile

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/metadata"
	"github.com/apache/arrow/go/v17/parquet/schema"
	"github.com/klauspost/compress/zstd"

	"anchorage/internal/safetext"
	"anchorage/shard/fault"
	"anchorage/shard/internal/pages"
)

const (
	// createdBy is the same for all versions, so that equal tables are equal files.
	createdBy = "anchorage"
	// writeRun is the number of list elements or strings passed on at a time.
	writeRun = 8 << 10
)

// Writer writes a table as a Parquet file: zstd, no nulls, lists in the standard layout. The same calls give the
// same bytes.
type Writer struct {
	parquetWriter
	fields []Field
	sums   []checksum

	levels  listLevels
	strings []parquet.ByteArray
	lines   *csv.Writer // of CSV; nil for Parquet
	closed  bool
}

// sink passes bytes on to a writer and keeps the first error, which Arrow's writer loses in places.
type sink struct {
	writer io.Writer
	err    error
}

func (s *sink) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.writer.Write(p)
	s.err = err
	return n, err
}

// guard calls f. An error of the writer beneath counts before what Arrow makes of it, which may be a panic.
func (s *sink) guard(f func() error) error {
	err := fault.Guard(f)
	if s.err != nil {
		return s.err
	}
	return err
}

// parquetWriter writes a Parquet file.
type parquetWriter struct {
	sink *sink
	file *file.Writer
}

// newParquetWriter returns a writer to w. Columns in dictionaries are dictionary-encoded while that pays.
func newParquetWriter(w io.Writer, nodes schema.FieldList, fields []arrow.Field, dictionaries []string, batch int64) (
	p parquetWriter, err error) {
	p.sink = &sink{writer: w}
	described, err := schemaKey(fields)
	if err != nil {
		return p, err
	}
	keys := metadata.NewKeyValueMetadata()
	if err := keys.Append("ARROW:schema", described); err != nil {
		return p, err
	}
	options := []parquet.WriterProperty{parquet.WithCompression(compress.Codecs.Zstd), parquet.WithCreatedBy(createdBy),
		parquet.WithVersion(parquet.V2_LATEST), parquet.WithDataPageVersion(parquet.DataPageV1),
		parquet.WithBatchSize(batch), parquet.WithDictionaryDefault(false)}
	for _, path := range dictionaries {
		options = append(options, parquet.WithDictionaryFor(path, true))
	}
	return p, p.sink.guard(func() error {
		root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)
		if err != nil {
			return err
		}
		p.file = file.NewParquetWriter(p.sink, root, file.WithWriterProps(parquet.NewWriterProperties(options...)),
			file.WithWriteMetadata(keys))
		return nil
	})
}

// writeGroup writes a row group of the given number of columns, each by write.
func (p *parquetWriter) writeGroup(columns int, write func(i int, column file.ColumnChunkWriter) error) error {
	return p.sink.guard(func() error {
		group := p.file.AppendRowGroup()
		for i := range columns {
			column, err := group.NextColumn()
			if err != nil {
				return err
			}
			if err := write(i, column); err != nil {
				return err
			}
			if err := column.Close(); err != nil {
				return err
			}
		}
		return group.Close()
	})
}

// NewWriter returns a writer of a table with the given columns to w, which it does not close; see CSV. It panics if a
// field is malformed.
func NewWriter(w io.Writer, fields []Field) (*Writer, error) {
	if len(fields) == 0 {
		panic("shard: table without columns")
	}
	t := &Writer{fields: append([]Field(nil), fields...), sums: make([]checksum, len(fields))}
	var nodes schema.FieldList
	var described []arrow.Field
	var dictionaries []string
	run := writeRun
	for _, field := range fields {
		field.check()
		nodes = append(nodes, field.node())
		described = append(described, field.arrowField())
		run = max(run, field.width())
		switch field.Type {
		case String, Int32:
			dictionaries = append(dictionaries, field.Name)
		case StringList:
			dictionaries = append(dictionaries, field.Name+".list.element")
		}
	}
	if to, is := w.(CSV); is {
		return t, t.beginCSV(to)
	}
	var err error
	t.parquetWriter, err = newParquetWriter(w, nodes, described, dictionaries, int64(run))
	return t, err
}

// Write writes a row group: one slice per column, of the type that Type says, all of the same number of rows. It panics
// if they are not. No rows, no row group.
func (t *Writer) Write(columns ...any) error {
	rows := t.checkColumns(columns)
	if t.closed {
		panic("shard: write to a closed table")
	}
	if rows == 0 {
		return nil
	}
	if t.lines != nil {
		return t.writeLines(columns, rows)
	}
	for i, column := range columns {
		t.sums[i].add(column)
	}
	return t.writeGroup(len(columns), func(i int, writer file.ColumnChunkWriter) error {
		if err := t.writeColumn(writer, t.fields[i], columns[i], rows); err != nil {
			return fmt.Errorf("column %q: %w", t.fields[i].Name, err)
		}
		return nil
	})
}

// WriteTable writes a table of n rows, in row groups of step rows: columns returns rows first to last−1 as Write takes
// them.
func WriteTable(w io.Writer, fields []Field, n, step int, columns func(first, last int) ([]any, error)) error {
	t, err := NewWriter(w, fields)
	if err != nil {
		return err
	}
	for first := 0; first < n; first += step {
		values, err := columns(first, min(first+step, n))
		if err != nil {
			return err
		}
		if err := t.Write(values...); err != nil {
			return err
		}
	}
	return t.Close()
}

// checkColumns returns the number of rows.
func (t *Writer) checkColumns(columns []any) int {
	if len(columns) != len(t.fields) {
		panic("shard: wrong number of table columns")
	}
	rows := -1
	for i, column := range columns {
		field := t.fields[i]
		if reflect.TypeOf(column) != reflect.TypeOf(emptyColumns[field.Type]) {
			panic("shard: wrong type of table column")
		}
		length := reflect.ValueOf(column).Len()
		if length%field.width() != 0 || rows >= 0 && length/field.width() != rows {
			panic("shard: wrong length of table column")
		}
		rows = length / field.width()
	}
	return rows
}

// writeColumn writes a column of rows. The writer ends pages between the runs passed to it, so that no list is spread
// over two pages.
func (t *Writer) writeColumn(writer file.ColumnChunkWriter, field Field, column any, rows int) error {
	run := rows
	if field.isList() || field.Type.isText() {
		run = max(1, writeRun/field.width())
	}
	var def, rep []int16
	if field.isList() {
		def, rep = t.levels.fixed(min(run, rows), field.Width)
	}
	for row := 0; row < rows; row += run {
		n := min(run, rows-row) * field.width()
		values := reflect.ValueOf(column).Slice(row*field.width(), row*field.width()+n).Interface()
		if err := t.writeValues(writer, values, def[:min(n, len(def))], rep[:min(n, len(rep))]); err != nil {
			return err
		}
	}
	return nil
}

// writeValues writes some values of a column.
func (t *Writer) writeValues(writer file.ColumnChunkWriter, values any, def, rep []int16) (err error) {
	switch writer := writer.(type) {
	case *file.Int32ColumnChunkWriter:
		_, err = writer.WriteBatch(values.([]int32), def, rep)
	case *file.Int64ColumnChunkWriter:
		_, err = writer.WriteBatch(values.([]int64), def, rep)
	case *file.Float32ColumnChunkWriter:
		_, err = writer.WriteBatch(values.([]float32), def, rep)
	case *file.Float64ColumnChunkWriter:
		_, err = writer.WriteBatch(values.([]float64), def, rep)
	case *file.ByteArrayColumnChunkWriter:
		t.strings = t.strings[:0]
		for _, value := range values.([]string) {
			if !utf8.ValidString(value) {
				return fmt.Errorf("%.40q is not valid UTF-8", value)
			}
			t.strings = append(t.strings, parquet.ByteArray(value))
		}
		_, err = writer.WriteBatch(t.strings, def, rep)
	}
	return err
}

// Close writes the footer, with the checksums of the columns. It does not close the writer beneath.
func (t *Writer) Close() error {
	if t.closed {
		return errors.New("shard: the table is closed already")
	}
	t.closed = true
	if t.lines != nil {
		t.lines.Flush()
		return t.lines.Error()
	}
	var sums []string
	for i, field := range t.fields {
		sums = append(sums, t.sums[i].entry(field.Name))
	}
	err := t.sink.guard(func() error { return t.file.AppendKeyValueMetadata(checksumKey, strings.Join(sums, " ")) })
	if err != nil {
		return err
	}
	return t.finish()
}

// finish writes the footer. Arrow lists how the pages of a column are encoded in the order of a map, which
// differs from run to run; the footer that is written has them in order.
func (p *parquetWriter) finish() error {
	var tail bytes.Buffer
	s := p.sink
	beneath := s.writer
	s.writer = &tail
	err := s.guard(p.file.Close)
	s.writer = beneath
	if err != nil {
		return err
	}
	return s.guard(func() error {
		footer, size, err := footerOf(tail.Bytes())
		if err != nil {
			return err
		}
		if _, err := s.Write(tail.Bytes()[:tail.Len()-size]); err != nil { // the last row group, if it was not closed
			return err
		}
		return writeFooter(s, footer)
	})
}

// listLevels makes the definition and repetition levels of required lists of required values.
type listLevels struct {
	def, rep []int16
}

// fixed returns the levels of rows lists of the given length, at least 1.
func (l *listLevels) fixed(rows, width int) (def, rep []int16) {
	l.def, l.rep = l.def[:0], l.rep[:0]
	for range rows {
		l.add(width)
	}
	return l.def, l.rep
}

// add appends the levels of a list of n values.
func (l *listLevels) add(n int) {
	if n == 0 {
		l.def, l.rep = append(l.def, 0), append(l.rep, 0)
	}
	for i := range n {
		l.def, l.rep = append(l.def, 1), append(l.rep, int16(min(i, 1)))
	}
}

// ByteOrderMark is what Excel needs before UTF-8, without which it takes another encoding.
const ByteOrderMark = "\ufeff"

// CSV is an output to which a Writer writes comma-separated values with a line of names, and not Parquet: UTF-8 after a
// byte order mark, with texts that a spreadsheet takes for texts; see safetext.Cell. There are no lists.
type CSV struct{ io.Writer }

// beginCSV begins a table.
func (t *Writer) beginCSV(to CSV) error {
	t.lines = csv.NewWriter(to.Writer)
	names := make([]string, len(t.fields))
	for i, field := range t.fields {
		if names[i] = field.Name; field.isList() {
			return errors.New("a table with lists in it cannot be CSV: write it as Parquet")
		}
	}
	names[0] = ByteOrderMark + names[0]
	return t.lines.Write(names)
}

// writeLines writes rows.
func (t *Writer) writeLines(columns []any, rows int) error {
	line := make([]string, len(columns))
	for r := range rows {
		for i, column := range columns {
			switch values := column.(type) {
			case []int32:
				line[i] = strconv.FormatInt(int64(values[r]), 10)
			case []int64:
				line[i] = strconv.FormatInt(values[r], 10)
			case []float32:
				line[i] = strconv.FormatFloat(float64(values[r]), 'g', -1, 32)
			case []float64:
				line[i] = strconv.FormatFloat(values[r], 'g', -1, 64)
			case []string:
				line[i] = safetext.Cell(values[r])
			}
		}
		if err := t.lines.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// tailBytes are the length of the footer and the magic after it.
const tailBytes = 8

var errShortFooter = errors.New("shard: a footer is cut short")

// footerOf returns the footer at the end of some bytes, and how many of them it and what comes after it take.
func footerOf(end []byte) (footer *metadata.FileMetaData, size int, err error) {
	if len(end) < tailBytes {
		return nil, 0, errShortFooter
	}
	end, tail := end[:len(end)-tailBytes], end[len(end)-tailBytes:]
	length := int(binary.LittleEndian.Uint32(tail))
	if length > len(end) {
		return nil, 0, errShortFooter
	}
	footer, err = metadata.NewFileMetaData(end[len(end)-length:], nil)
	return footer, length + tailBytes, err
}

// writeFooter writes a footer and what comes after it, with the encodings of pages in order.
func writeFooter(to io.Writer, footer *metadata.FileMetaData) error {
	for _, group := range footer.RowGroups {
		for _, chunk := range group.Columns {
			stats := chunk.MetaData.EncodingStats
			sort.SliceStable(stats, func(i, j int) bool {
				a, b := stats[i], stats[j]
				return a.PageType < b.PageType || a.PageType == b.PageType && a.Encoding < b.Encoding
			})
		}
	}
	n, err := footer.WriteTo(to, nil)
	if err != nil {
		return err
	}
	_, err = to.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(n)), pages.Magic...))
	return err
}

// pageEncoder is the one zstd encoder for all pages. Arrow's writer by itself makes one per page, which costs several
// megabytes each time. It is safe for use by several goroutines. What it writes does not depend on their number.
var pageEncoder = sync.OnceValue(func() *zstd.Encoder {
	encoder, err := zstd.NewWriter(nil, zstd.WithZeroFrames(true), zstd.WithEncoderLevel(zstd.SpeedDefault))
	if err != nil {
		panic(err) // the options are constant
	}
	return encoder
})

// sharedZstd is Arrow's codec with a separate encoder for the default level.
type sharedZstd struct{ compress.Codec }

func (c sharedZstd) EncodeLevel(dst, src []byte, level int) []byte {
	if level != compress.DefaultCompressionLevel {
		return c.Codec.EncodeLevel(dst, src, level)
	}
	return pageEncoder().EncodeAll(src, dst[:0])
}

func init() {
	codec, err := compress.GetCodec(compress.Codecs.Zstd)
	if err != nil {
		panic(err) // Arrow always has it
	}
	compress.RegisterCodec(compress.Codecs.Zstd, sharedZstd{codec})
}
