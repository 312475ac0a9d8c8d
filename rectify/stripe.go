// This file holds stripes of the corrections: it computes, packs and unpacks their tiles.

package rectify

import (
	"slices"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// stripe is some consecutive rows of P.
type stripe struct {
	entries  int64
	sum      float64         // its share of Σ_ij E_ij
	squares  float64         // its share of Σ_ij E_ij²
	greatest float32         // its greatest entry
	place    CorrectionsMode // where its tiles are
	kept     packed          // in memory
	spilled  spilledPart     // in the spill file
}

// packed holds the tiles of a stripe in compact form: row of tiles after row of tiles, and from left to right in each.
// It leaves out rows of tiles in which y is zero.
type packed struct {
	tiles   []uint16 // the number of entries of each tile
	counts  []uint8  // of each row of each tile
	columns []uint8
	values  []float32
}

// entryBytes is the memory of an entry.
const entryBytes = 5

// bytes returns the memory that p takes.
func (p *packed) bytes() int64 {
	return 2*int64(cap(p.tiles)) + int64(cap(p.counts)) + int64(cap(p.columns)) + 4*int64(cap(p.values))
}

// reset removes all tiles, and keeps the memory.
func (p *packed) reset() {
	p.tiles, p.counts, p.columns, p.values = p.tiles[:0], p.counts[:0], p.columns[:0], p.values[:0]
}

// clone returns a copy, in the memory of old where that fits.
func (p *packed) clone(old packed) packed {
	old.reset()
	return packed{fill(old.tiles, p.tiles), fill(old.counts, p.counts),
		fill(old.columns, p.columns), fill(old.values, p.values)}
}

// fill returns a copy of from, in the memory of to if that is large enough and at most twice as large.
func fill[T any](to, from []T) []T {
	if cap(to) < len(from) || cap(to) > 2*len(from) {
		to = make([]T, 0, len(from))
	}
	return append(to, from...)
}

// add appends a tile.
func (p *packed) add(t *kernel.SparseTile) {
	p.tiles = append(p.tiles, uint16(len(t.Values)))
	p.counts = append(p.counts, t.Counts...)
	p.columns = append(p.columns, t.Columns...)
	p.values = append(p.values, t.Values...)
}

// buffer is the working memory of one stripe in flight.
type buffer struct {
	dense   []float32         // one tile
	room    kernel.SparseTile // for a compacted tile
	outside []float32         // rows of x, those of I zero
	sums    []float32         // the transposed product, |I|×stride
	packed  packed            // to be kept, or as read from the spill file
	encoded []byte            // a block of the spill file
}

func newBuffer() *buffer {
	const cells = kernel.TileRows * kernel.TileColumns
	return &buffer{dense: make([]float32, cells), room: kernel.SparseTile{Counts: make([]uint8, kernel.TileRows),
		Columns: make([]uint8, cells+kernel.TileSlack), Values: make([]float32, cells+kernel.TileSlack)}}
}

// bounds returns the range [first, last) of the rows of stripe s.
func (c *corrections) bounds(s int) (first, last int) {
	return c.first + s*c.height, min(c.first+(s+1)*c.height, c.last)
}

// sectionEnding returns the section of rows of which stripe s is the last, −1 if it is not the last of one.
func (c *corrections) sectionEnding(s int) int {
	_, last := c.bounds(s)
	section := matrix.SectionOf(len(c.member), last-1)
	if _, end := matrix.Section(len(c.member), section); end != last {
		return -1
	}
	return section
}

// panels returns the number of tiles side by side.
func (c *corrections) panels() int { return kernel.Padded(len(c.rows)) / kernel.TileColumns }

// eachTileRow calls fn for each row of tiles in stripe s that has a row of y other than zero. In the others nothing is
// negative.
func (c *corrections) eachTileRow(s int, fn func(first, last int)) {
	first, last := c.bounds(s)
	for low := first; low < last; low += kernel.TileRows {
		high := min(low+kernel.TileRows, last)
		if slices.ContainsFunc(c.norms[low:high], func(norm float64) bool { return norm != 0 }) {
			fn(low, high)
		}
	}
}

// compute calls fn for each tile of stripe s with its positive entries, which are in b.dense too. Both are valid until
// fn returns.
func (c *corrections) compute(s int, b *buffer, fn func(first, last, panel int, t *kernel.SparseTile)) {
	stride := c.y.Stride()
	c.eachTileRow(s, func(first, last int) {
		values, start, _ := c.y.Block(first / matrix.BlockRows)
		rows := values[(first-start)*stride:]
		for panel := range c.panels() {
			t := c.tile(b, rows, stride, last-first, panel)
			fn(first, last, panel, &t)
		}
	})
}

// tile computes one tile from the given rows of y.
func (c *corrections) tile(b *buffer, y []float32, stride, rows, panel int) kernel.SparseTile {
	low := panel * kernel.TileColumns
	columns := min(kernel.TileColumns, len(c.rows)-low)
	c.negated.NegativePart(b.dense, kernel.TileColumns, low, columns, y, stride, rows)
	t := b.room
	t.Compact(b.dense, rows, kernel.TileColumns, kernel.TileColumns)
	return t
}

// replay calls fn for each tile of stripe s, which p holds.
func (c *corrections) replay(s int, p *packed, fn func(first, last, panel int, t *kernel.SparseTile)) {
	tile, row, entry := 0, 0, 0
	c.eachTileRow(s, func(first, last int) {
		for panel := range c.panels() {
			rows, entries := last-first, int(p.tiles[tile])
			fn(first, last, panel, &kernel.SparseTile{Counts: p.counts[row : row+rows],
				Columns: p.columns[entry : entry+entries], Values: p.values[entry : entry+entries]})
			tile, row, entry = tile+1, row+rows, entry+entries
		}
	})
}
