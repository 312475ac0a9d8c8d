// This file holds the corrections of ENN: the sparse symmetric matrix that lifts negative entries to zero.

package rectify

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"anchorage/internal/kernel"
)

// maxCorrectedRows is how many rows corrections can be sought in: a column is stored in 16 bits.
const maxCorrectedRows = math.MaxUint16 + 1

// corrections is E: for the set I of corrected rows, E_ij = max(−y_i·y_j, 0) where i or j is in I, and 0 elsewhere.
// What is computed is the part with j in I, an N×|I| sparse matrix P: E·x takes P·x_I for all rows and, for the rows of I,
// the transposed product with the rows of P outside of I, so that what lies in both is not counted twice.
//
// P is kept in memory block by block as far as a budget goes; the other blocks are computed anew, row by row, whenever they
// are needed. Either way the same numbers are added in the same order, so the budget has no influence on the result.
type corrections struct {
	workers int
	budget  int64 // bytes of P that may be kept
	rows    []int // I, increasing
	member  []bool
	sum     float64 // Σ_ij E_ij
	entries int64   // of P

	y       *kernel.Tall
	negated *kernel.Negated // −Y_Iᵀ
	blocks  []sparseBlock
	kept    atomic.Int64 // bytes of the blocks in memory
}

// sparseRows are consecutive rows of P: row r has the entries starts[r] to starts[r+1] of columns, increasing positions in
// I, and of values.
type sparseRows struct {
	starts  []int32
	columns []uint16
	values  []float32
}

// row returns the entries of row r.
func (s *sparseRows) row(r int) (columns []uint16, values []float32) {
	start, end := s.starts[r], s.starts[r+1]
	return s.columns[start:end], s.values[start:end]
}

// reset leaves no rows, and keeps the memory.
func (s *sparseRows) reset() {
	s.starts = append(s.starts[:0], 0)
	s.columns, s.values = s.columns[:0], s.values[:0]
}

// sparseBlock is what is known of the rows of P that belong to one block of a tall matrix.
type sparseBlock struct {
	rows    sparseRows // if they are kept
	kept    bool
	entries int64
	sum     float64 // their share of Σ_ij E_ij
}

// entryBytes is what an entry of a sparseBlock takes.
const entryBytes = 6

func newCorrections(items, rows int, budget int64, workers int) *corrections {
	return &corrections{workers: workers, budget: budget, rows: make([]int, 0, rows), member: make([]bool, items)}
}

// density returns the share of the entries of P that are not zero.
func (c *corrections) density() float64 {
	return float64(c.entries) / (float64(len(c.member)) * float64(len(c.rows)))
}

// build chooses I by the norms of the rows of y and computes P. Until the next call y must stay as it is.
func (c *corrections) build(ctx context.Context, y *kernel.Tall) error {
	c.y = y
	c.choose(y.SquaredNorms(c.workers))
	c.negated = kernel.PackNegated(y, c.rows)
	if len(c.blocks) != y.Blocks() {
		c.blocks = make([]sparseBlock, y.Blocks())
	}
	c.kept.Store(0)
	err := kernel.Parallel(ctx, c.workers, y.Blocks(), func(b int) error {
		c.fill(b)
		return nil
	})
	c.sum, c.entries = 0, 0
	for b := range c.blocks {
		c.sum += c.blocks[b].sum
		c.entries += c.blocks[b].entries
	}
	return err
}

// choose sets I to the rows of largest norm; of equal ones those with the lower index.
func (c *corrections) choose(squaredNorms []float64) {
	count := cap(c.rows)
	sorted := slices.Clone(squaredNorms)
	slices.Sort(sorted)
	threshold := sorted[len(sorted)-count]
	above := 0
	for _, s := range sorted[len(sorted)-count:] {
		if s > threshold {
			above++
		}
	}
	atThreshold := count - above
	c.rows = c.rows[:0]
	for i, s := range squaredNorms {
		c.member[i] = s > threshold
		if s == threshold && atThreshold > 0 {
			c.member[i] = true
			atThreshold--
		}
		if c.member[i] {
			c.rows = append(c.rows, i)
		}
	}
}

// tileRows is the number of rows of P that are computed, or multiplied, at a time, so that what they are made from still
// lies in the cache.
const tileRows = 64

// fill computes the rows of P in block b, and keeps them if the budget allows. The memory of what an earlier iteration kept
// of the block is used again.
func (c *corrections) fill(b int) {
	block := &c.blocks[b]
	block.rows.reset()
	block.kept, block.entries, block.sum = true, 0, 0
	c.eachTile(b, func(first int, tile *sparseRows) {
		for r := range len(tile.starts) - 1 {
			sum := 0.0
			_, values := tile.row(r)
			for _, v := range values {
				sum += float64(v)
			}
			if !c.member[first+r] {
				sum *= 2 // it stands in E a second time, transposed
			}
			block.sum += sum
		}
		block.entries += int64(len(tile.values))
		switch {
		case !block.kept:
		case c.kept.Add(int64(len(tile.values))*entryBytes) > c.budget:
			c.kept.Add(-block.entries * entryBytes)
			block.kept, block.rows = false, sparseRows{}
		default:
			before := int32(len(block.rows.values))
			block.rows.columns = append(block.rows.columns, tile.columns...)
			block.rows.values = append(block.rows.values, tile.values...)
			for _, end := range tile.starts[1:] {
				block.rows.starts = append(block.rows.starts, before+end)
			}
		}
	})
}

// eachTile computes the rows of P in block b and calls fn with tileRows of them at a time, the first of which is row first
// of P; they are valid until fn returns.
func (c *corrections) eachTile(b int, fn func(first int, tile *sparseRows)) {
	k, width := c.y.Cols(), c.negated.Width()
	single := make([]float32, tileRows*k)
	dense := make([]float32, tileRows*width)
	var tile sparseRows
	_, first, last := c.y.Block(b)
	for low := first; low < last; low += tileRows {
		high := min(low+tileRows, last)
		for i := low; i < high; i++ {
			for j, v := range c.y.Row(i) {
				single[(i-low)*k+j] = float32(v)
			}
		}
		c.negated.NegativePart(dense, single, high-low)
		tile.reset()
		for i := low; i < high; i++ {
			tile.appendPositive(dense[(i-low)*width:][:len(c.rows)])
		}
		fn(low, &tile)
	}
}

// appendPositive adds a row of the positive values of a dense one.
func (s *sparseRows) appendPositive(dense []float32) {
	count := len(s.values)
	s.columns = slices.Grow(s.columns, len(dense))[:count+len(dense)]
	s.values = slices.Grow(s.values, len(dense))[:count+len(dense)]
	for j, v := range dense {
		// Written in any case and counted if positive: there is no branch to predict.
		s.columns[count], s.values[count] = uint16(j), v
		if v > 0 {
			count++
		}
	}
	s.columns, s.values = s.columns[:count], s.values[:count]
	s.starts = append(s.starts, int32(count))
}

// apply adds E·x to z, both N×L.
func (c *corrections) apply(ctx context.Context, z, x *kernel.Tall) error {
	stride := x.Stride()
	chosen := make([]float64, len(c.rows)*stride) // x_I
	for at, i := range c.rows {
		copy(chosen[at*stride:], x.PaddedRow(i))
	}
	ranges := c.ranges(stride)
	partial := make([][]float64, ranges) // each range's share of the rows of I, |I|×L
	err := kernel.Parallel(ctx, c.workers, ranges, func(r int) error {
		partial[r] = make([]float64, len(c.rows)*stride)
		for b := r * len(c.blocks) / ranges; b < (r+1)*len(c.blocks)/ranges; b++ {
			c.applyBlock(b, z, x, chosen, partial[r])
		}
		return nil
	})
	if err != nil {
		return err
	}
	return kernel.Parallel(ctx, c.workers, len(c.rows), func(at int) error {
		row := z.PaddedRow(c.rows[at])
		for _, part := range partial {
			kernel.Axpy(1, part[at*stride:][:stride], row)
		}
		return nil
	})
}

// ranges returns into how many ranges of blocks a product is cut; the sums that each needs for itself are kept within
// 256 MiB. It depends on shapes alone, and so does the order in which numbers are added.
func (c *corrections) ranges(stride int) int {
	const most, memory = 16, 256 << 20
	return max(min(most, memory/(8*stride*len(c.rows)), len(c.blocks)), 1)
}

// applyBlock adds block b's share of E·x to the rows of z in the block, and the transposed share to sums.
func (c *corrections) applyBlock(b int, z, x *kernel.Tall, chosen, sums []float64) {
	block := &c.blocks[b]
	if !block.kept {
		c.eachTile(b, func(first int, tile *sparseRows) { c.applyTile(first, tile, z, x, chosen, sums) })
		return
	}
	_, first, last := x.Block(b)
	for low := first; low < last; low += tileRows {
		high := min(low+tileRows, last)
		tile := sparseRows{block.rows.starts[low-first : high-first+1], block.rows.columns, block.rows.values}
		c.applyTile(low, &tile, z, x, chosen, sums)
	}
}

// chunkBytes is how much of x_I and of the sums a tile is multiplied with at a time: together they fit the second cache.
const chunkBytes = 256 << 10

// applyTile adds the share of some rows of P, the first of which is row first. The columns are taken in chunks: every row
// of the tile meets the same small part of x_I and of the sums before the next part's turn comes.
func (c *corrections) applyTile(first int, tile *sparseRows, z, x *kernel.Tall, chosen, sums []float64) {
	stride := x.Stride()
	chunk := max(chunkBytes/(8*stride), 1)
	var done [tileRows]int // entries of each row that earlier chunks took
	for low := 0; low < len(c.rows); low += chunk {
		for r := range len(tile.starts) - 1 {
			columns, values := tile.row(r)
			columns, values = columns[done[r]:], values[done[r]:]
			if end := low + chunk; end < len(c.rows) {
				count, _ := slices.BinarySearch(columns, uint16(end))
				columns, values = columns[:count], values[:count]
			}
			done[r] += len(columns)
			transposed := sums
			if c.member[first+r] {
				transposed = nil
			}
			kernel.GatherScatter(columns, values, chosen, stride, z.PaddedRow(first+r), transposed, x.PaddedRow(first+r))
		}
	}
}
