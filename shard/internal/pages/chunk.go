// This file decodes a column chunk in runs of bounded length that never span two pages.

package pages

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"unsafe"

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

	reps, defs hybrid // levels of the current page

	// KeepIndices leaves values that are in a dictionary as they are: indices, instead of the slice of the column's type,
	// holds them where coded is true.
	KeepIndices bool

	// The run: n levels, of which those with the greatest definition level have a value, present of them, in the slice of
	// the column's type. It is valid until the next call of fill.
	N, present int
	Coded      bool
	Indices    []uint32
	Def, Rep   []int16
	Bytes      []parquet.ByteArray
	Ints32     []int32
	Ints64     []int64
	Floats32   []float32
	Floats64   []float64

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
	case parquet.Types.Int32:
		c.Ints32 = make([]int32, RunValues)
	case parquet.Types.Int64:
		c.Ints64 = make([]int64, RunValues)
	case parquet.Types.Float:
		c.Floats32 = make([]float32, RunValues)
	case parquet.Types.Double:
		c.Floats64 = make([]float64, RunValues)
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

// beginPage prepares for the levels and values of the page that has been read.
func (c *ChunkReader) beginPage() error {
	p := &c.Pages
	c.left = p.levels
	width := func(most int16) int { return bits.Len16(uint16(most)) }
	c.reps, c.defs = newHybrid(p.reps, width(c.Leaf.MaxRepetitionLevel())), newHybrid(p.defs,
		width(c.Leaf.MaxDefinitionLevel()))
	if p.packedReps {
		c.reps = unpackLevels(p.reps, c.reps.width, p.levels)
	}
	if p.packedDefs {
		c.defs = unpackLevels(p.defs, c.defs.width, p.levels)
	}
	return c.values.begin(p.encoding, c.Leaf, p.payload)
}

// fillLevels decodes n levels and returns how many values they promise.
func (c *ChunkReader) fillLevels(n int) (present int, err error) {
	if c.Rep != nil {
		rep := c.Rep[:n]
		if err := decode(&c.reps, rep); err != nil {
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
	if err := decode(&c.defs, def); err != nil {
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
	switch {
	case c.Bytes != nil:
		err := c.values.byteArrays(c.Bytes[:n])
		if err == nil {
			c.writeUUIDs(n)
		}
		return err
	case c.Ints32 != nil:
		return c.values.int32s(c.Ints32[:n])
	case c.Ints64 != nil:
		return c.values.int64s(c.Ints64[:n])
	case c.Floats32 != nil: // of the same size, whatever the bits mean
		return c.values.int32s(unsafe.Slice((*int32)(unsafe.Pointer(&c.Floats32[0])), RunValues)[:n])
	}
	return c.values.int64s(unsafe.Slice((*int64)(unsafe.Pointer(&c.Floats64[0])), RunValues)[:n])
}

// lookUp replaces indices by the values of the dictionary.
func (c *ChunkReader) lookUp(d *dictionary, indices []uint32) {
	switch {
	case c.Bytes != nil:
		for i, index := range indices {
			c.Bytes[i] = d.value(index)
		}
		c.writeUUIDs(len(indices))
	case c.Ints32 != nil:
		for i, index := range indices {
			c.Ints32[i] = int32(binary.LittleEndian.Uint32(d.bytes[4*index:]))
		}
	case c.Ints64 != nil:
		for i, index := range indices {
			c.Ints64[i] = int64(d.Number(index))
		}
	case c.Floats32 != nil:
		for i, index := range indices {
			c.Floats32[i] = math.Float32frombits(uint32(d.Number(index)))
		}
	default:
		for i, index := range indices {
			c.Floats64[i] = math.Float64frombits(d.Number(index))
		}
	}
}
