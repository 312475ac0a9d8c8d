// Package tablefile writes and reads the tables in which results are kept, and writes shards of documents, all as
// Parquet files. The same calls give the same bytes.
package tablefile

import (
	"context"
	"io"

	"anchorage/shard"
	"anchorage/shard/internal/table"
)

// Type is the type of a table's column.
type Type int

// The types. A column of a list type is passed as one flat slice, row after row.
const (
	Int32       = Type(table.Int32)       // []int32
	Int64       = Type(table.Int64)       // []int64
	Float32     = Type(table.Float32)     // []float32
	Float64     = Type(table.Float64)     // []float64
	String      = Type(table.String)      // []string, valid UTF-8
	Float32List = Type(table.Float32List) // []float32 of rows×Width values
	Float64List = Type(table.Float64List) // []float64 of rows×Width values
	StringList  = Type(table.StringList)  // []string of rows×Width values, valid UTF-8
)

// Field is a column of a table: of plain values, or of lists of one length. No value of a table is null.
type Field struct {
	Name  string
	Type  Type
	Width int // length of every list, at least 1; 0 for other types
}

// fieldsOf returns fields as the package below knows them.
func fieldsOf(fields []Field) []table.Field {
	all := make([]table.Field, len(fields))
	for i, f := range fields {
		all[i] = table.Field{Name: f.Name, Type: table.Type(f.Type), Width: f.Width}
	}
	return all
}

// Writer writes a table as a Parquet file: zstd, no nulls, lists in the standard layout. The same calls give the
// same bytes.
type Writer struct{ writer *table.Writer }

// NewWriter returns a writer of a table with the given columns to w, which it does not close. It panics if a field
// is malformed.
func NewWriter(w io.Writer, fields []Field) (*Writer, error) {
	writer, err := table.NewWriter(w, fieldsOf(fields))
	if err != nil {
		return nil, err
	}
	return &Writer{writer}, nil
}

// Write writes a row group: one slice per column, of the type that Type says, all of the same number of rows. It panics
// if they are not. Without rows it writes nothing.
func (t *Writer) Write(columns ...any) error { return t.writer.Write(columns...) }

// Close writes the footer. It does not close the writer beneath.
func (t *Writer) Close() error { return t.writer.Close() }

// Encode returns a row group of a table in a form that Assembler.Append takes, perhaps on another machine. Columns are
// those of Writer.Write; there must be rows.
func Encode(fields []Field, columns ...any) ([]byte, error) {
	return table.Encode(fieldsOf(fields), columns...)
}

// Assembler writes a table of row groups that Encode has made. The file has the bytes that a Writer writes of the same
// columns.
type Assembler struct{ assembler *table.Assembler }

// NewAssembler returns an assembler of a table with the given columns to w, which it does not close.
func NewAssembler(w io.Writer, fields []Field) (*Assembler, error) {
	assembler, err := table.NewAssembler(w, fieldsOf(fields))
	if err != nil {
		return nil, err
	}
	return &Assembler{assembler}, nil
}

// Append writes a row group.
func (t *Assembler) Append(encoded []byte) error { return t.assembler.Append(encoded) }

// Close writes the footer. It does not close the writer beneath.
func (t *Assembler) Close() error { return t.assembler.Close() }

// Read reads the given columns of a table, which must be there under these names, with exactly these types and, in
// lists, widths. Other columns are passed over. fn is called for successive runs of rows, from row 0; columns holds one
// slice per field, of the type that Type says, valid until fn returns (strings remain valid). An error of fn ends the
// reading and is returned as it is; any other is a *shard.Error, after all rows perhaps that a column does not fit the
// checksum that NewWriter put into the footer. Read panics if a field is malformed.
func Read(ctx context.Context, path string, fields []Field, fn func(firstRow int64, columns []any) error) error {
	var stopped error
	err := table.Read(ctx, path, fieldsOf(fields), func(firstRow int64, columns []any) error {
		stopped = fn(firstRow, columns)
		return stopped
	})
	switch {
	case stopped != nil:
		return stopped
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	}
	return shard.AsError(err)
}

// DocumentWriter writes documents as a Parquet shard with the columns doc_id (string), items (list of strings) and
// counts (list of int32), which the readers of package shard take without being told. The same calls give the same
// bytes.
type DocumentWriter struct{ writer *table.DocumentWriter }

// NewDocumentWriter returns a writer of documents to w, which it does not close.
func NewDocumentWriter(w io.Writer) (*DocumentWriter, error) {
	writer, err := table.NewDocumentWriter(w)
	if err != nil {
		return nil, err
	}
	return &DocumentWriter{writer}, nil
}

// Write adds a document: distinct items, each with its count of 1 to shard.MaxCount. It keeps no reference to the
// slices.
func (d *DocumentWriter) Write(docID string, items []string, counts []int32) error {
	return d.writer.Write(docID, items, counts)
}

// Close writes what is left and the footer. It does not close the writer beneath.
func (d *DocumentWriter) Close() error { return d.writer.Close() }

// Verify reads all columns of a Parquet file that NewWriter's tables are made of, and compares them with the checksums
// in its footer. It reports the number of columns that have one: 0 for files of other programs, of which it reads only
// the footer. The error is that of ctx, or a *shard.Error.
func Verify(ctx context.Context, path string) (columns int, err error) {
	columns, err = table.Verify(ctx, path)
	if err != nil && ctx.Err() != nil {
		return columns, ctx.Err()
	}
	return columns, shard.AsError(err)
}
