// This file puts tables together from row groups that were encoded elsewhere, so that the file has the bytes of a
// Writer.

package tablefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/metadata"
)

// zstdColumns are the properties that the metadata of columns depend on.
var zstdColumns = parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd))

// Encode returns a row group in a form that Assembler.Append takes: the checksums of its columns, and a Parquet file of
// it only. Columns are those of Writer.Write; there must be rows.
func Encode(fields []Field, columns ...any) ([]byte, error) {
	var out bytes.Buffer
	writer, err := NewWriter(&out, fields)
	if err != nil {
		return nil, err
	}
	if err := writer.Write(columns...); err != nil {
		return nil, err
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	encoded := make([]byte, 0, 12*len(fields)+out.Len())
	for i := range writer.sums {
		encoded = binary.LittleEndian.AppendUint32(encoded, writer.sums[i].sum)
		encoded = binary.LittleEndian.AppendUint64(encoded, uint64(writer.sums[i].size))
	}
	return append(encoded, out.Bytes()...), nil
}

// Assembler writes a table of row groups that Encode has made, elsewhere perhaps. The file has the bytes of a Writer
// that was given the same columns.
//
// Pages do not depend on where in a file they are. The metadata of a column do, and are behind its pages too; Assembler
// writes them again.
type Assembler struct {
	fields []Field
	sums   []checksum
	sink   *sink
	at     int64
	footer *metadata.FileMetaData // nil before the first row group
	closed bool
}

// NewAssembler returns an assembler of a table with the given columns to w, which it does not close.
func NewAssembler(w io.Writer, fields []Field) (*Assembler, error) {
	a := &Assembler{fields: append([]Field(nil), fields...), sums: make([]checksum, len(fields)), sink: &sink{writer: w}}
	_, err := a.Write([]byte(parquetMagic))
	return a, err
}

// Write implements io.Writer, and counts.
func (a *Assembler) Write(p []byte) (int, error) {
	n, err := a.sink.Write(p)
	a.at += int64(n)
	return n, err
}

// Append writes a row group. It panics if the table is closed. What Encode has not made is an error.
func (a *Assembler) Append(encoded []byte) error {
	if a.closed {
		panic("shard: write to a closed table")
	}
	if len(encoded) < 12*len(a.fields)+tailBytes {
		return errShortGroup
	}
	for i := range a.sums {
		sum, size := binary.LittleEndian.Uint32(encoded), int64(binary.LittleEndian.Uint64(encoded[4:]))
		a.sums[i].sum = combined(a.sums[i].sum, sum, size)
		encoded = encoded[12:]
	}
	return a.sink.guard(func() error { return a.appendGroup(encoded) })
}

// appendGroup writes the row group of a file.
func (a *Assembler) appendGroup(encoded []byte) error {
	footer, _, err := footerOf(encoded)
	if err != nil {
		return err
	}
	if len(footer.RowGroups) != 1 || len(footer.RowGroups[0].Columns) != len(a.fields) {
		return errShortGroup
	}
	group := footer.RowGroups[0]
	begin := int64(0)
	for i, chunk := range group.Columns {
		column := chunk.MetaData
		start := column.DataPageOffset
		if column.DictionaryPageOffset != nil {
			start = min(start, *column.DictionaryPageOffset)
		}
		end := start + column.TotalCompressedSize
		if start < 0 || end < start || end > int64(len(encoded)) {
			return errShortGroup
		}
		shift := a.at - start
		column.DataPageOffset += shift
		if column.DictionaryPageOffset != nil {
			*column.DictionaryPageOffset += shift
		}
		chunk.FileOffset += shift
		if i == 0 {
			begin = a.at
		}
		if _, err := a.Write(encoded[start:end]); err != nil {
			return err
		}
		if _, err := metadata.NewColumnChunkMetaDataBuilderWithContents(zstdColumns, footer.Schema.Column(i),
			chunk).WriteTo(a); err != nil {
			return err
		}
	}
	group.FileOffset = &begin
	if a.footer == nil {
		a.footer = footer
		return nil
	}
	ordinal := int16(len(a.footer.RowGroups))
	group.Ordinal = &ordinal
	a.footer.RowGroups = append(a.footer.RowGroups, group)
	a.footer.NumRows += group.NumRows
	return nil
}

// Close writes the footer, with the checksums of the columns. It does not close the writer beneath.
func (a *Assembler) Close() error {
	if a.closed {
		return errors.New("shard: the table is closed already")
	}
	a.closed = true
	if a.footer == nil {
		return a.closeEmpty()
	}
	sums := listOf(a.fields, a.sums)
	for _, pair := range a.footer.FileMetaData.KeyValueMetadata {
		if pair.Key == checksumKey {
			pair.Value = &sums
		}
	}
	return a.sink.guard(func() error { return writeFooter(a, a.footer) })
}

// closeEmpty ends a table without rows.
func (a *Assembler) closeEmpty() error {
	var empty bytes.Buffer
	writer, err := NewWriter(&empty, a.fields)
	if err != nil {
		return err
	}
	if err := writer.Close(); err != nil {
		return err
	}
	_, err = a.Write(empty.Bytes()[len(parquetMagic):])
	return err
}

// combined returns the CRC-32C of two runs of bytes, one after the other, from those of both and the length of the
// second: each byte of zero after a checksum multiplies it by x⁸ modulo the polynomial.
func combined(first, second uint32, length int64) uint32 {
	for power := uint32(1 << (31 - 8)); length > 0; length >>= 1 {
		if length&1 != 0 {
			first = product(first, power)
		}
		power = product(power, power)
	}
	return first ^ second
}

// product multiplies two polynomials modulo that of the checksum. Their highest bits are the coefficients of x⁰.
func product(a, b uint32) (p uint32) {
	for ; a != 0; a <<= 1 {
		p ^= b * (a >> 31)
		b = b>>1 ^ crc32.Castagnoli*(b&1)
	}
	return p
}
