// This file decodes a column chunk in runs of bounded length that never span two pages.

package pages

import (
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"

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
	uuids  []byte // the texts of a run of UUIDs; nil of other columns
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
		if isUUID(leaf) {
			c.uuids = make([]byte, uuidText*columns.RunValues)
			c.pages.dictionary.uuids = true
		}
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
func (c *ChunkReader) Text(i uint32) []byte { return c.pages.dictionary.text(i) }

// Number implements columns.Filler.
func (c *ChunkReader) Number(i uint32) int64 { return c.pages.dictionary.number(i) }

// Fill implements columns.Filler. At the end of the chunk the run is empty.
func (c *ChunkReader) Fill() error {
	c.N, c.Present, c.Coded = 0, 0, false
	if c.left == 0 {
		p := &c.pages
		if more, err := p.next(); err != nil || !more {
			return err
		}
		c.left = p.levels
		if err := c.values.begin(p.encoding, c.Leaf, p.payload, p.hasDict); err != nil {
			return err
		}
	}
	size := min(c.left, columns.RunValues)
	if c.values.encoding == parquet.Encodings.DeltaByteArray {
		size = min(size, max(1, prefixedBytes/max(1, len(c.pages.data))))
	}
	present, err := c.fillLevels(size)
	if err == nil {
		err = c.fillValues(present)
	}
	if err != nil {
		return err
	}
	c.left -= size
	c.N, c.Present = size, present
	return nil
}

// fillLevels decodes n levels and returns how many values they promise.
func (c *ChunkReader) fillLevels(n int) (present int, err error) {
	if c.Rep != nil {
		rep := c.Rep[:n]
		if err := decode(&c.pages.reps, rep); err != nil {
			return 0, err
		}
		most := c.Leaf.MaxRepetitionLevel()
		for _, level := range rep {
			if level > most {
				return 0, fmt.Errorf("a repetition level of %d is impossible", level)
			}
		}
	}
	if c.Def == nil {
		return n, nil
	}
	def := c.Def[:n]
	if err := decode(&c.pages.defs, def); err != nil {
		return 0, err
	}
	most := c.Leaf.MaxDefinitionLevel()
	for _, level := range def {
		if level == most {
			present++
		} else if level > most {
			return 0, fmt.Errorf("a definition level of %d is impossible", level)
		}
	}
	return present, nil
}

// fillValues decodes n values.
func (c *ChunkReader) fillValues(n int) error {
	if c.values.coded() {
		indices := c.Indices[:n]
		if err := decode(&c.values.indices, indices); err != nil {
			return err
		}
		dictionary := &c.pages.dictionary
		if err := dictionary.check(indices); err != nil {
			return err
		}
		if c.Coded = c.KeepIndices; !c.Coded {
			c.lookUp(dictionary, indices)
		}
		return nil
	}
	if c.Numbers != nil {
		return c.values.numbers(c.Numbers[:n])
	}
	err := c.values.byteArrays(c.Bytes[:n])
	if err == nil {
		c.writeUUIDs(n)
	}
	return err
}

// lookUp replaces indices by the values of the dictionary.
func (c *ChunkReader) lookUp(d *dictionary, indices []uint32) {
	if c.Numbers != nil {
		for i, index := range indices {
			c.Numbers[i] = d.number(index)
		}
		return
	}
	for i, index := range indices {
		c.Bytes[i] = d.value(index)
	}
	c.writeUUIDs(len(indices))
}
