// Package pages decodes the columns of Parquet files: footers, pages, levels and values. It knows nothing of documents.
//
// Every size and count that a file states is checked against the bytes that are there, and against fixed limits, before
// memory is set aside for it. Levels and values are decoded in runs of at most RunValues, in bulk. Arrow parses the
// footer, after it has been checked.
package pages

import (
	"encoding/hex"
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

func (c *ChunkReader) Levels() *columns.Run { return &c.Run }

func (c *ChunkReader) Entries() int { return c.pages.dictionary.values }

func (c *ChunkReader) Text(i uint32) []byte {
	value := c.pages.dictionary.value(i)
	if c.uuids != nil {
		return appendUUID(nil, value)
	}
	return value
}

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
	case c.values.encoding == parquet.Encodings.PlainDict || c.values.encoding == parquet.Encodings.RLEDict:
		indices := c.Indices[:n]
		decode(&c.values.indices, indices)
		for _, index := range indices {
			if int(index) >= dictionary.values {
				fault.Throw(fmt.Errorf("a page refers to value %d of a dictionary that has %d", index, dictionary.values))
			}
		}
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
		c.writeUUIDs(n)
	case c.Numbers != nil:
		c.values.numbers(c.Numbers[:n])
	default:
		c.values.byteArrays(c.Bytes[:n])
		c.writeUUIDs(n)
	}
}

const uuidBytes, uuidText = 16, 36 // 32 digits and 4 hyphens

// isUUID reports whether the values of a column are UUIDs, as databases export them.
func isUUID(leaf *schema.Column) bool {
	_, is := leaf.LogicalType().(schema.UUIDLogicalType)
	return is && leaf.PhysicalType() == parquet.Types.FixedLenByteArray && leaf.TypeLength() == uuidBytes
}

// writeUUIDs replaces the first n values of a run of UUIDs by their texts.
func (c *ChunkReader) writeUUIDs(n int) {
	for i := range min(n, len(c.uuids)/uuidText) {
		c.Bytes[i] = appendUUID(c.uuids[i*uuidText:i*uuidText:(i+1)*uuidText], c.Bytes[i])
	}
}

// appendUUID appends a UUID of 16 bytes as RFC 9562 writes it: 8, 4, 4, 4 and 12 hexadecimal digits.
func appendUUID(dst, value []byte) []byte {
	start := 0
	for _, end := range [...]int{4, 6, 8, 10, uuidBytes} {
		if start > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, value[start:end])
		start = end
	}
	return dst
}
