// This file writes shards of documents in Parquet.

package tablefile

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"anchorage/shard/internal/bag"
)

const (
	// A row group ends at this number of documents, items or bytes of item ids.
	groupDocuments = 32 << 10
	groupItems     = 1 << 20
	groupBytes     = 32 << 20
)

// DocumentWriter writes documents as a Parquet shard with the columns doc_id (string), items (list of strings) and
// counts (list of int32), which the reader of this package takes without being told. The same calls give the same
// bytes.
type DocumentWriter struct {
	parquetWriter
	closed bool

	ids    []parquet.ByteArray
	items  []parquet.ByteArray
	counts []int32
	levels listLevels
	bytes  int
}

// NewDocumentWriter returns a writer of documents to w, which it does not close.
func NewDocumentWriter(w io.Writer) (*DocumentWriter, error) {
	d := new(DocumentWriter)
	nodes := schema.FieldList{valueNode("doc_id", String), listNode("items", valueNode("element", String)),
		listNode("counts", valueNode("element", Int32))}
	fields := []arrow.Field{{Name: "doc_id", Type: arrow.BinaryTypes.String},
		{Name: "items", Type: arrow.ListOfNonNullable(arrow.BinaryTypes.String)},
		{Name: "counts", Type: arrow.ListOfNonNullable(arrow.PrimitiveTypes.Int32)}}
	dictionaries := []string{"items.list.element", "counts.list.element"}
	var err error
	d.parquetWriter, err = newParquetWriter(w, nodes, fields, dictionaries, writeRun)
	return d, err
}

// Write adds a document: distinct items, each with its count. It keeps no reference to the slices.
func (d *DocumentWriter) Write(docID string, items []string, counts []int32) error {
	if len(items) != len(counts) {
		panic("shard: items and counts of different lengths")
	}
	if d.closed {
		panic("shard: write to a closed shard")
	}
	for i, item := range items {
		err := bag.CheckItem([]byte(item))
		if err == nil {
			_, err = new(bag.Counter).Integer(int64(counts[i]))
		}
		if err != nil {
			return fmt.Errorf("document %q: %w", docID, err)
		}
		d.items = append(d.items, parquet.ByteArray(item))
		d.bytes += len(item)
	}
	d.ids = append(d.ids, parquet.ByteArray(docID))
	d.counts = append(d.counts, counts...)
	d.levels.add(len(items))
	if len(d.ids) >= groupDocuments || len(d.items) >= groupItems || d.bytes >= groupBytes {
		return d.flush()
	}
	return nil
}

// flush writes what has been collected as a row group.
func (d *DocumentWriter) flush() error {
	if len(d.ids) == 0 {
		return nil
	}
	err := d.writeGroup(3, func(i int, column file.ColumnChunkWriter) (err error) {
		switch i {
		case 0:
			_, err = column.(*file.ByteArrayColumnChunkWriter).WriteBatch(d.ids, nil, nil)
		case 1:
			_, err = column.(*file.ByteArrayColumnChunkWriter).WriteBatch(d.items, d.levels.def, d.levels.rep)
		default:
			_, err = column.(*file.Int32ColumnChunkWriter).WriteBatch(d.counts, d.levels.def, d.levels.rep)
		}
		return err
	})
	clear(d.ids)
	clear(d.items)
	d.ids, d.items, d.counts, d.bytes = d.ids[:0], d.items[:0], d.counts[:0], 0
	d.levels.def, d.levels.rep = d.levels.def[:0], d.levels.rep[:0]
	return err
}

// Close writes what is left and the footer. It does not close the writer beneath.
func (d *DocumentWriter) Close() error {
	if d.closed {
		return errors.New("shard: the shard is closed already")
	}
	d.closed = true
	if err := d.flush(); err != nil {
		return err
	}
	return d.finish()
}
