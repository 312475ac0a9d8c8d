// This file measures sparse corrections: building them beside the bare product, and applying them.

package kernels

import (
	"context"
	"fmt"
	"math"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

const (
	// correctionTopics and correctionColumns are K and L of the corrections.
	correctionTopics, correctionColumns = 100, 110
	// correctionItems is the N that the time of an application is scaled to.
	correctionItems = 200_000
)

// correctionDensities are shares of the entries that are negative, with the mean of a product of two rows, in standard
// deviations, that gives them.
var correctionDensities = []struct{ share, mean float64 }{{0.01, 2.33}, {0.10, 1.28}, {0.30, 0.52}}

// corrections measures the steps of corrections by kernels alone. Package rectify takes the same steps with the same kernels;
// its benchmarks measure the whole.
func (m *measuring) corrections(ctx context.Context) error {
	for _, density := range correctionDensities {
		c := newCorrectionTiles(m.Items, m.Chosen, density.mean)
		for _, workers := range m.Workers {
			// Work counts entries. That of the bare product, of a part of the rows, counts the entries that it would have.
			rows := min(workers*matrix.BlockRows, m.Items)
			product := c.part.operation(workers, rows, float64(c.entries)/1e6/float64(m.Items))
			for _, step := range []struct {
				name  string
				steps correctionSteps
			}{
				{"product, entries compacted", correctionSteps{build: true}},
				{"application, compacted tiles in memory", correctionSteps{apply: true}},
				{"product, compacted, application", correctionSteps{build: true, apply: true}},
				{"product, dense application", correctionSteps{build: true, apply: true, dense: true}},
			} {
				found := float64(c.entries) / float64(m.Items) / float64(m.Chosen)
				shape := fmt.Sprintf("%.0f %% of N = %d, |I| = %d", 100*found, m.Items, m.Chosen)
				name := Name{groupCorrections, step.name, shape, workers}
				op := timed(float64(c.entries)/1e6, func() error { return c.sweep(ctx, workers, step.steps) })
				if err := m.add(ctx, name, op, product); err != nil {
					return err
				}
				r := m.last()
				r.Cost = float64(c.entries) / 1e6 / r.PerCPU * correctionItems / float64(m.Items)
			}
		}
	}
	return nil
}

// correctionTiles are the negative entries of Y·Y_Iᵀ, compacted, and the matrices that they are multiplied with.
type correctionTiles struct {
	part    *negativePart
	entries int64
	blocks  [][]kernel.SparseTile // of each block of rows: row of tiles after row of tiles

	x, z    *matrix.Single
	stride  int
	chosen  []float32 // x_I, padded to whole tiles
	total   []float64 // the transposed product
	outside []bool    // no row counts as one of I: every entry is multiplied twice
	buffers []*correctionBuffer
}

// correctionBuffer is the memory of one block that is being worked on.
type correctionBuffer struct {
	dense, sums []float32
	room        kernel.SparseTile
}

// newCorrectionTiles returns corrections of a Y whose products of rows have a normal distribution with the given mean
// and a variance of 1.
func newCorrectionTiles(n, chosen int, mean float64) *correctionTiles {
	y, root := noisy[float32](n, correctionTopics), float32(math.Pow(correctionTopics, 0.25))
	for i := range n {
		row := y.Row(i)
		for j := range row {
			row[j] /= root
		}
		row[correctionTopics-1] = float32(math.Sqrt(mean))
	}
	x := noisy[float32](n, correctionColumns)
	c := &correctionTiles{part: newNegativePart(y, chosen), x: x, z: matrix.Like(x), stride: x.Stride(),
		outside: make([]bool, kernel.TileRows)}
	c.chosen = make([]float32, kernel.Padded(chosen)*c.stride)
	for i := range chosen {
		copy(c.chosen[i*c.stride:], x.PaddedRow(i))
	}
	c.total = make([]float64, len(c.chosen))
	b := c.newBuffer()
	for block := range y.Blocks() {
		var tiles []kernel.SparseTile
		c.eachTile(block, func(low, high, panel int) {
			t := c.compact(b, low, high, panel)
			c.entries += int64(len(t.Values))
			tiles = append(tiles, kernel.SparseTile{Counts: append([]uint8(nil), t.Counts...),
				Columns: append([]uint8(nil), t.Columns...), Values: append([]float32(nil), t.Values...)})
		})
		c.blocks = append(c.blocks, tiles)
	}
	return c
}

func (c *correctionTiles) newBuffer() *correctionBuffer {
	const cells = kernel.TileRows*kernel.TileColumns + kernel.TileSlack
	return &correctionBuffer{
		dense: newDenseTile(),
		sums:  make([]float32, len(c.chosen)),
		room: kernel.SparseTile{
			Counts: make([]uint8, kernel.TileRows), Columns: make([]uint8, cells), Values: make([]float32, cells),
		},
	}
}

// eachTile calls fn for the tiles of a block of rows.
func (c *correctionTiles) eachTile(block int, fn func(low, high, panel int)) {
	_, first, last := c.part.y.Block(block)
	for low := first; low < last; low += kernel.TileRows {
		for panel := range c.part.panels() {
			fn(low, min(low+kernel.TileRows, last), panel)
		}
	}
}

// compact computes a tile and compacts it, in the memory of b.
func (c *correctionTiles) compact(b *correctionBuffer, low, high, panel int) kernel.SparseTile {
	c.part.tile(b.dense, low, high, panel)
	t := b.room
	t.Compact(b.dense, high-low, kernel.TileColumns, kernel.TileColumns)
	return t
}

// correctionSteps says what is done with each tile. With build it is computed, and compacted unless dense; without, it comes
// from memory. With apply it is multiplied.
type correctionSteps struct{ build, apply, dense bool }

// sweep goes through all tiles once. After every block, in the order of the blocks, it adds the partial sums of the transposed
// product in double precision.
func (c *correctionTiles) sweep(ctx context.Context, workers int, steps correctionSteps) error {
	slots := min(2*workers, len(c.blocks))
	for len(c.buffers) < slots {
		c.buffers = append(c.buffers, c.newBuffer())
	}
	var commit func(block, slot int) error
	if steps.apply {
		c.z.Clear()
		clear(c.total)
		commit = func(_, slot int) error {
			kernel.AddAndClear(c.total, c.buffers[slot].sums)
			return nil
		}
	}
	return kernel.Ordered(ctx, workers, len(c.blocks), slots, nil, func(block, slot int) error {
		b, at := c.buffers[slot], 0
		c.eachTile(block, func(low, high, panel int) {
			t := &c.blocks[block][at]
			at++
			switch {
			case steps.dense:
				c.part.tile(b.dense, low, high, panel)
			case steps.build:
				fresh := c.compact(b, low, high, panel)
				t = &fresh
			}
			if steps.apply {
				c.multiply(b, t, low, high, panel, steps.dense)
			}
		})
		return nil
	}, commit)
}

// multiply adds a tile's share to both products.
func (c *correctionTiles) multiply(b *correctionBuffer, t *kernel.SparseTile, low, high, panel int, dense bool) {
	zValues, start, _ := c.z.Block(low / matrix.BlockRows)
	xValues, _, _ := c.x.Block(low / matrix.BlockRows)
	at, column := (low-start)*c.stride, panel*kernel.TileColumns*c.stride
	z, x, chosen, sums := zValues[at:], xValues[at:], c.chosen[column:], b.sums[column:]
	if dense {
		kernel.DenseProduct(b.dense, high-low, kernel.TileColumns, kernel.TileColumns, z, chosen, sums, x, c.stride)
		return
	}
	kernel.SparseProduct(t, c.outside[:high-low], z, chosen, sums, x, c.stride)
}
