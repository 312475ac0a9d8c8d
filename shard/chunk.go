// This file decodes a column chunk in runs of bounded length that never span two pages.

package shard

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
	// runValues is the number of levels decoded at a time.
	runValues = 4 << 10
	// prefixedBytes bounds the memory of a run of prefix-encoded values, each of which may be as long as its page.
	prefixedBytes = 64 << 20
)

// chunkReader decodes the levels and values of a column, run by run.
type chunkReader struct {
	leaf   *schema.Column
	pages  pageReader
	left   int // levels of the current page that are not decoded yet
	values pageValues

	reps, defs hybrid // levels of the current page

	// keepIndices leaves values that stand in a dictionary as they are: indices, instead of the slice of the column's type,
	// holds them where coded is true.
	keepIndices bool

	// The run: n levels, of which those with the greatest definition level have a value, present of them, in the slice of
	// the column's type. It is valid until the next call of fill.
	n, present int
	coded      bool
	indices    []uint32
	def, rep   []int16
	bytes      []parquet.ByteArray
	ints32     []int32
	ints64     []int64
	floats32   []float32
	floats64   []float64
}

// newChunkReader returns a reader of chunks of the column leaf. codec may be shared with other readers of one goroutine.
func newChunkReader(leaf *schema.Column, codec *decompressor) *chunkReader {
	c := &chunkReader{leaf: leaf, pages: pageReader{codec: codec}, indices: make([]uint32, runValues)}
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
	c.values.previous = c.values.previous[:0]
	c.left, c.n, c.present, c.coded = 0, 0, 0, false
}

// fill decodes the next run. At the end of the chunk the run is empty.
func (c *chunkReader) fill() error {
	c.n, c.present, c.coded = 0, 0, false
	if c.left == 0 {
		more, err := c.pages.next()
		if err != nil || !more {
			return err
		}
		if err := c.beginPage(); err != nil {
			return err
		}
	}
	size := min(c.left, runValues)
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
	c.n, c.present = size, present
	return nil
}

// beginPage prepares for the levels and values of the page that has been read.
func (c *chunkReader) beginPage() error {
	p := &c.pages
	c.left = p.levels
	width := func(most int16) int { return bits.Len16(uint16(most)) }
	c.reps, c.defs = newHybrid(p.reps, width(c.leaf.MaxRepetitionLevel())), newHybrid(p.defs, width(c.leaf.MaxDefinitionLevel()))
	if p.packedReps {
		c.reps = unpackLevels(p.reps, c.reps.width, p.levels)
	}
	if p.packedDefs {
		c.defs = unpackLevels(p.defs, c.defs.width, p.levels)
	}
	return c.values.begin(p.encoding, c.leaf.PhysicalType(), p.payload)
}

// fillLevels decodes n levels and returns how many values they promise.
func (c *chunkReader) fillLevels(n int) (present int, err error) {
	if c.rep != nil {
		rep := c.rep[:n]
		if err := decode(&c.reps, rep); err != nil {
			return 0, err
		}
		most := c.leaf.MaxRepetitionLevel()
		for _, level := range rep {
			if level > most {
				return 0, fmt.Errorf("a repetition level of %d is impossible", level)
			}
		}
	}
	if c.def == nil {
		return n, nil
	}
	def := c.def[:n]
	if err := decode(&c.defs, def); err != nil {
		return 0, err
	}
	most := c.leaf.MaxDefinitionLevel()
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
func (c *chunkReader) fillValues(n int) error {
	if c.values.coded() {
		indices := c.indices[:n]
		if err := decode(&c.values.indices, indices); err != nil {
			return err
		}
		dictionary := &c.pages.dictionary
		if err := dictionary.check(indices); err != nil {
			return err
		}
		if c.coded = c.keepIndices; !c.coded {
			c.lookUp(dictionary, indices)
		}
		return nil
	}
	switch {
	case c.bytes != nil:
		return c.values.byteArrays(c.bytes[:n])
	case c.ints32 != nil:
		return c.values.int32s(c.ints32[:n])
	case c.ints64 != nil:
		return c.values.int64s(c.ints64[:n])
	case c.floats32 != nil: // of the same size, whatever the bits mean
		return c.values.int32s(unsafe.Slice((*int32)(unsafe.Pointer(&c.floats32[0])), runValues)[:n])
	}
	return c.values.int64s(unsafe.Slice((*int64)(unsafe.Pointer(&c.floats64[0])), runValues)[:n])
}

// lookUp replaces indices by the values of the dictionary.
func (c *chunkReader) lookUp(d *dictionary, indices []uint32) {
	switch {
	case c.bytes != nil:
		for i, index := range indices {
			c.bytes[i] = d.text(index)
		}
	case c.ints32 != nil:
		for i, index := range indices {
			c.ints32[i] = int32(binary.LittleEndian.Uint32(d.bytes[4*index:]))
		}
	case c.ints64 != nil:
		for i, index := range indices {
			c.ints64[i] = int64(d.number(index))
		}
	case c.floats32 != nil:
		for i, index := range indices {
			c.floats32[i] = math.Float32frombits(uint32(d.number(index)))
		}
	default:
		for i, index := range indices {
			c.floats64[i] = math.Float64frombits(d.number(index))
		}
	}
}
