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

// sparseBlock holds the rows of P that belong to one block of a tall matrix: row r has the entries starts[r] to
// starts[r+1]; columns are positions in I.
type sparseBlock struct {
	stored  bool
	starts  []int32
	columns []uint16
	values  []float32
	entries int64
	sum     float64 // its share of Σ_ij E_ij
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

// fill computes the rows of P in block b, and keeps them if the budget allows. What an earlier iteration kept of the block
// makes room first, and its memory is used again.
func (c *corrections) fill(b int) {
	block := &c.blocks[b]
	block.starts = append(block.starts[:0], 0)
	block.columns, block.values = block.columns[:0], block.values[:0]
	block.entries, block.sum, block.stored = 0, 0, true
	c.eachRow(b, func(i int, columns []uint16, values []float32) {
		sum := 0.0
		for _, v := range values {
			sum += float64(v)
		}
		if !c.member[i] {
			sum *= 2 // it stands in E a second time, transposed
		}
		block.sum += sum
		block.entries += int64(len(values))
		if !block.stored {
			return
		}
		if c.kept.Add(int64(len(values))*entryBytes) > c.budget {
			c.kept.Add(-block.entries * entryBytes)
			block.stored, block.starts, block.columns, block.values = false, nil, nil, nil
			return
		}
		block.columns = append(block.columns, columns...)
		block.values = append(block.values, values...)
		block.starts = append(block.starts, int32(len(block.values)))
	})
}

// eachRow computes the rows of P in block b and calls fn with each; the slices are valid until fn returns.
func (c *corrections) eachRow(b int, fn func(i int, columns []uint16, values []float32)) {
	const tile = 64 // rows computed at a time, so that what is scanned still lies in the cache
	k, width := c.y.Cols(), c.negated.Width()
	single := make([]float32, tile*k)
	dense := make([]float32, tile*width)
	columns, values := make([]uint16, width), make([]float32, width)
	_, first, last := c.y.Block(b)
	for low := first; low < last; low += tile {
		high := min(low+tile, last)
		for i := low; i < high; i++ {
			for j, v := range c.y.Row(i) {
				single[(i-low)*k+j] = float32(v)
			}
		}
		c.negated.NegativePart(dense, single, high-low)
		for i := low; i < high; i++ {
			count := 0
			for j, v := range dense[(i-low)*width:][:len(c.rows)] {
				// Written unconditionally and counted only if positive: no branch to mispredict.
				columns[count], values[count] = uint16(j), v
				if v > 0 {
					count++
				}
			}
			fn(i, columns[:count], values[:count])
		}
	}
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
	applyRow := func(i int, columns []uint16, values []float32) {
		transposed := sums
		if c.member[i] {
			transposed = nil
		}
		kernel.GatherScatter(columns, values, chosen, x.Stride(), z.PaddedRow(i), transposed, x.PaddedRow(i))
	}
	block := &c.blocks[b]
	if !block.stored {
		c.eachRow(b, applyRow)
		return
	}
	_, first, last := x.Block(b)
	for i := first; i < last; i++ {
		start, end := block.starts[i-first], block.starts[i-first+1]
		applyRow(i, block.columns[start:end], block.values[start:end])
	}
}
