// This file decodes a column chunk: Arrow's column readers in runs of bounded length that never span two pages.

package shard

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

const (
	// runValues is the number of levels decoded at a time.
	runValues = 4 << 10
	// prefixedBytes bounds the memory of a run of prefix-encoded values, each of which may be as long as its page.
	prefixedBytes = 64 << 20
)

// chunkReader decodes the levels and values of a column, run by run.
type chunkReader struct {
	leaf   *schema.Column
	pages  pageReader
	column file.ColumnChunkReader
	left   int // levels of the current page that are not decoded yet

	// The run: n levels, of which those with the greatest definition level have a value in the slice of the
	// column's type. It is valid until the next call of fill.
	n, values int
	def, rep  []int16
	bytes     []parquet.ByteArray
	ints32    []int32
	ints64    []int64
	floats32  []float32
	floats64  []float64
}

// newChunkReader returns a reader of chunks of the column leaf. codec may be shared with other readers of one goroutine.
func newChunkReader(leaf *schema.Column, codec *decompressor) *chunkReader {
	c := &chunkReader{leaf: leaf, pages: pageReader{codec: codec}}
	if leaf.MaxDefinitionLevel() > 0 {
		c.def = make([]int16, runValues)
	}
	if leaf.MaxRepetitionLevel() > 0 {
		c.rep = make([]int16, runValues)
	}
	switch leaf.PhysicalType() {
	case parquet.Types.ByteArray:
		c.bytes = make([]parquet.ByteArray, runValues)
	case parquet.Types.Int32:
		c.ints32 = make([]int32, runValues)
	case parquet.Types.Int64:
		c.ints64 = make([]int64, runValues)
	case parquet.Types.Float:
		c.floats32 = make([]float32, runValues)
	case parquet.Types.Double:
		c.floats64 = make([]float64, runValues)
	default:
		panic("shard: column of a type that is not read")
	}
	return c
}

// open begins a chunk.
func (c *chunkReader) open(source io.ReaderAt, chunk chunkPlan) {
	c.pages.reset(source, c.leaf, chunk)
	c.column = file.NewColumnReader(c.leaf, &c.pages, memory.DefaultAllocator, nil)
	c.left, c.n, c.values = 0, 0, 0
}

// fill decodes the next run. At the end of the chunk the run is empty. It may panic on malformed data.
func (c *chunkReader) fill() error {
	c.n, c.values = 0, 0
	loads := c.pages.loads
	if !c.column.HasNext() {
		return c.column.Err()
	}
	if c.pages.loads != loads {
		loads, c.left = c.pages.loads, c.pages.values
	}
	size := min(c.left, runValues)
	if c.pages.prefixed {
		size = min(size, max(1, prefixedBytes/max(1, len(c.pages.data[c.pages.turn]))))
	}
	levels, values, err := c.read(int64(size))
	if err == nil {
		err = c.column.Err()
	}
	if err != nil {
		return err
	}
	if levels != int64(size) {
		return errLevels
	}
	// The column reader fetches the next page as soon as it has come to the end of one.
	if c.left -= size; c.pages.loads != loads {
		if c.left != 0 {
			return errLevels
		}
		c.left = c.pages.values
	}
	c.n, c.values = size, values
	return c.checkRun()
}

func (c *chunkReader) read(size int64) (levels int64, values int, err error) {
	switch column := c.column.(type) {
	case *file.ByteArrayColumnChunkReader:
		return column.ReadBatch(size, c.bytes, c.def, c.rep)
	case *file.Int32ColumnChunkReader:
		return column.ReadBatch(size, c.ints32, c.def, c.rep)
	case *file.Int64ColumnChunkReader:
		return column.ReadBatch(size, c.ints64, c.def, c.rep)
	case *file.Float32ColumnChunkReader:
		return column.ReadBatch(size, c.floats32, c.def, c.rep)
	case *file.Float64ColumnChunkReader:
		return column.ReadBatch(size, c.floats64, c.def, c.rep)
	}
	return 0, 0, errors.New("a column of a type that is not read")
}

// checkRun checks that the run has a value for each level that promises one.
func (c *chunkReader) checkRun() error {
	promised := c.n
	if c.def != nil {
		promised = 0
		most := c.leaf.MaxDefinitionLevel()
		for _, level := range c.def[:c.n] {
			if level == most {
				promised++
			} else if level > most || level < 0 {
				return fmt.Errorf("a definition level of %d is impossible", level)
			}
		}
	}
	if promised != c.values {
		return fmt.Errorf("a page has %d values where its levels promise %d", c.values, promised)
	}
	for _, level := range c.rep[:min(c.n, len(c.rep))] {
		if level < 0 || level > 1 {
			return fmt.Errorf("a repetition level of %d is impossible", level)
		}
	}
	return nil
}
