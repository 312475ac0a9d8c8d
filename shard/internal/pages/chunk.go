// This file decodes a column chunk in runs of bounded length that never span two pages.

package pages

import (
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

const (
	// RunValues is the number of levels decoded at a time.
	RunValues = 4 << 10
	// prefixedBytes bounds the memory of a run of prefix-encoded values, each of which may be as long as its page.
	prefixedBytes = 64 << 20
)

// ChunkReader decodes the levels and values of a column, run by run.
type ChunkReader struct {
	Leaf   *schema.Column
	Pages  pageReader
	left   int // levels of the current page that are not decoded yet
	values pageValues

	// KeepIndices leaves values that are in a dictionary as they are: Indices, instead of Bytes or Numbers, holds them
	// where Coded is true.
	KeepIndices bool

	// The run: N levels, of which those with the greatest definition level have a value, present of them, in Bytes or
	// Numbers. Numbers are integers, with their sign, or the bits of floats. The run is valid until the next call of Fill.
	N, present int
	Coded      bool
	Indices    []uint32
	Def, Rep   []int16
	Bytes      []parquet.ByteArray
	Numbers    []int64

	uuids []byte // the texts of a run of UUIDs; nil of other columns
}

// NewChunkReader returns a reader of chunks of the column leaf. codec may be shared with other readers of one
// goroutine.
func NewChunkReader(leaf *schema.Column, codec *Decompressor) *ChunkReader {
	c := &ChunkReader{Leaf: leaf, Pages: pageReader{codec: codec}, Indices: make([]uint32, RunValues)}
	if leaf.MaxDefinitionLevel() > 0 {
		c.Def = make([]int16, RunValues)
	}
	if leaf.MaxRepetitionLevel() > 0 {
		c.Rep = make([]int16, RunValues)
	}
	switch leaf.PhysicalType() {
	case parquet.Types.ByteArray, parquet.Types.FixedLenByteArray:
		c.Bytes = make([]parquet.ByteArray, RunValues)
		if isUUID(leaf) {
			c.uuids = make([]byte, uuidText*RunValues)
			c.Pages.Dictionary.uuids = true
		}
	case parquet.Types.Int32, parquet.Types.Int64, parquet.Types.Float, parquet.Types.Double:
		c.Numbers = make([]int64, RunValues)
	default:
		panic("shard: column of a type that is not read")
	}
	return c
}

// Open begins a chunk.
func (c *ChunkReader) Open(source io.ReaderAt, chunk Chunk) {
	c.Pages.reset(source, c.Leaf, chunk)
	c.values.previous = c.values.previous[:0]
	c.left, c.N, c.present, c.Coded = 0, 0, 0, false
}

// Fill decodes the next run. At the end of the chunk the run is empty.
func (c *ChunkReader) Fill() error {
	c.N, c.present, c.Coded = 0, 0, false
	if c.left == 0 {
		more, err := c.Pages.next()
		if err != nil || !more {
			return err
		}
		if err := c.beginPage(); err != nil {
			return err
		}
	}
	size := min(c.left, RunValues)
	if c.values.encoding == parquet.Encodings.DeltaByteArray {
		size = min(size, max(1, prefixedBytes/max(1, len(c.Pages.data))))
	}
	present, err := c.fillLevels(size)
	if err == nil {
		err = c.fillValues(present)
	}
	if err != nil {
		return err
	}
	c.left -= size
	c.N, c.present = size, present
	return nil
}

// beginPage prepares for the page that has been read.
func (c *ChunkReader) beginPage() error {
	p := &c.Pages
	c.left = p.levels
	return c.values.begin(p.encoding, c.Leaf, p.payload, p.hasDict)
}

// fillLevels decodes n levels and returns how many values they promise.
func (c *ChunkReader) fillLevels(n int) (present int, err error) {
	if c.Rep != nil {
		rep := c.Rep[:n]
		if err := decode(&c.Pages.reps, rep); err != nil {
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
	if err := decode(&c.Pages.defs, def); err != nil {
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
		dictionary := &c.Pages.Dictionary
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
			c.Numbers[i] = d.Number(index)
		}
		return
	}
	for i, index := range indices {
		c.Bytes[i] = d.value(index)
	}
	c.writeUUIDs(len(indices))
}
