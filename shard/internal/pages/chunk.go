// Package pages decodes the columns of Parquet files: footers, pages, levels and values. It knows nothing of documents.
//
// Every size and count that a file states is checked against the bytes that are there, and against fixed limits, before
// memory is set aside for it. Levels and values are decoded in runs of at most RunValues, in bulk. Arrow parses the
// footer, after it has been checked.
package pages

import (
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"anchorage/shard/fault"
	"anchorage/shard/internal/columns"
)

// prefixedBytes bounds the memory of a run of prefix-encoded values, each of which may be as long as its page.
const prefixedBytes = 64 << 20

// ChunkReader decodes the levels and values of a column, run by run.
type ChunkReader struct {
	columns.Run
	Leaf   *schema.Column
	pages  pageReader
	left   int // levels of the current page that are not decoded yet
	values pageValues
}

// NewChunkReader returns a reader of chunks of the column leaf. codec may be shared with other readers of one
// goroutine.
func NewChunkReader(leaf *schema.Column, codec *Decompressor) *ChunkReader {
	c := &ChunkReader{Leaf: leaf, pages: pageReader{codec: codec}}
	c.Indices = make([]uint32, columns.RunValues)
	if leaf.MaxDefinitionLevel() > 0 {
		c.Def = make([]int16, columns.RunValues)
	}
	if leaf.MaxRepetitionLevel() > 0 {
		c.Rep = make([]int16, columns.RunValues)
	}
	switch leaf.PhysicalType() {
	case parquet.Types.ByteArray, parquet.Types.FixedLenByteArray:
		c.Bytes = make([][]byte, columns.RunValues)
	case parquet.Types.Int32, parquet.Types.Int64, parquet.Types.Float, parquet.Types.Double:
		c.Numbers = make([]int64, columns.RunValues)
	default:
		panic("shard: column of a type that is not read")
	}
	return c
}

// Open begins a chunk.
func (c *ChunkReader) Open(source io.ReaderAt, chunk Chunk) {
	c.pages.reset(source, c.Leaf, chunk)
	c.values.previous = c.values.previous[:0]
	c.left, c.N, c.Present, c.Coded = 0, 0, 0, false
}

// Levels implements columns.Filler.
func (c *ChunkReader) Levels() *columns.Run { return &c.Run }

// Entries implements columns.Filler.
func (c *ChunkReader) Entries() int { return c.pages.dictionary.values }

// Text implements columns.Filler.
func (c *ChunkReader) Text(i uint32) []byte { return c.pages.dictionary.value(i) }

// Number implements columns.Filler.
func (c *ChunkReader) Number(i uint32) int64 { return c.pages.dictionary.number(i) }

// Fill implements columns.Filler. At the end of the chunk the run is empty.
func (c *ChunkReader) Fill() (err error) {
	defer fault.Catch(&err)
	c.N, c.Present, c.Coded = 0, 0, false
	if c.left == 0 {
		p := &c.pages
		if !p.next() {
			return nil
		}
		c.left = p.levels
		c.values.begin(p.encoding, c.Leaf, p.payload, p.hasDict)
	}
	size := min(c.left, columns.RunValues)
	if c.values.encoding == parquet.Encodings.DeltaByteArray {
		size = min(size, max(1, prefixedBytes/max(1, len(c.pages.data))))
	}
	present := c.fillLevels(size)
	c.fillValues(present)
	c.left -= size
	c.N, c.Present = size, present
	return nil
}

// fillLevels decodes n levels and returns how many values they promise.
func (c *ChunkReader) fillLevels(n int) (present int) {
	if c.Rep != nil {
		decode(&c.pages.reps, c.Rep[:n])
		if level := slices.Max(c.Rep[:n]); level > c.Leaf.MaxRepetitionLevel() {
			fault.Throw(fmt.Errorf("a repetition level of %d is impossible", level))
		}
	}
	if c.Def == nil {
		return n
	}
	decode(&c.pages.defs, c.Def[:n])
	most := c.Leaf.MaxDefinitionLevel()
	for _, level := range c.Def[:n] {
		if level == most {
			present++
		} else if level > most {
			fault.Throw(fmt.Errorf("a definition level of %d is impossible", level))
		}
	}
	return present
}

// fillValues decodes n values.
func (c *ChunkReader) fillValues(n int) {
	switch dictionary := &c.pages.dictionary; {
	case c.values.coded():
		indices := c.Indices[:n]
		decode(&c.values.indices, indices)
		dictionary.check(indices)
		if c.Coded = c.KeepIndices; c.Coded {
			return
		}
		for i, index := range indices {
			if c.Numbers != nil {
				c.Numbers[i] = dictionary.number(index)
			} else {
				c.Bytes[i] = dictionary.value(index)
			}
		}
	case c.Numbers != nil:
		c.values.numbers(c.Numbers[:n])
	default:
		c.values.byteArrays(c.Bytes[:n])
	}
}
