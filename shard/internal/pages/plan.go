// This file finds the bytes of column chunks.

package pages

import (
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/metadata"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"anchorage/shard/fault"
)

// Magic is at both ends of a file.
var Magic = []byte("PAR1")

// Chunk is a column of a row group.
type Chunk struct {
	Start, End int64 // bytes of the file
	Values     int64 // number of levels
	codec      compress.Compression
}

// PlanChunk finds a column's bytes in a row group of a file of the given size.
func PlanChunk(group *metadata.RowGroupMetaData, index int, leaf *schema.Column, size int64) (plan Chunk, err error) {
	var chunk *metadata.ColumnChunkMetaData
	err = fault.Guard(func() (err error) {
		chunk, err = group.ColumnChunk(index)
		if err != nil {
			return err
		}
		start := chunk.DataPageOffset()
		if chunk.HasDictionaryPage() && chunk.DictionaryPageOffset() > 0 && chunk.DictionaryPageOffset() < start {
			start = chunk.DictionaryPageOffset()
		}
		plan = Chunk{Start: start, Values: chunk.NumValues(), codec: chunk.Compression()}
		length := chunk.TotalCompressedSize()
		if start < int64(len(Magic)) || length < 0 || start > size || length > size-start {
			return fmt.Errorf("its %d bytes at offset %d are not within the file of %d bytes", length, start, size)
		}
		plan.End = start + length
		return nil
	})
	switch {
	case err != nil:
		return plan, err
	case chunk.CryptoMetadata() != nil:
		return plan, errors.New("the column is encrypted, which is not supported")
	case chunk.FilePath() != "":
		return plan, errors.New("the column is in another file, which is not supported")
	case chunk.Type() != leaf.PhysicalType():
		return plan, fmt.Errorf("the row group says %v, the schema %v", chunk.Type(), leaf.PhysicalType())
	case plan.Values < 0:
		return plan, fmt.Errorf("the number of values %d is impossible", plan.Values)
	}
	return plan, checkCodec(plan.codec)
}
