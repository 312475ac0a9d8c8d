// This file goes through the corrections stripe by stripe: it computes, keeps and multiplies them.

package rectify

import (
	"context"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

const (
	// denseShare is the density from which a tile is multiplied as a dense one. A sparse product costs about 1.6
	// times as much per entry as a dense one per cell (BenchmarkCorrections, 30% and 70%). Only density decides, so
	// that the result does not depend on where a tile comes from.
	denseShare = 0.6
	// sumBytes bounds the memory of the partial sums of all stripes in flight.
	sumBytes = 256 << 20
)

// product is a product E·x under way.
type product struct {
	z, x    *matrix.Single
	stride  int
	chosen  []float32       // x_I, padded to whole tiles
	section []float64       // the transposed product with the stripes of a section so far; nil if there are none yet
	total   *kernel.TreeSum // of the sections: |I|×stride
}

func (c *corrections) newProduct(ctx context.Context, z, x *matrix.Single) (*product, error) {
	if z.Rows() != len(c.member) || x.Rows() != len(c.member) || z.Stride() != x.Stride() {
		panic("rectify: shapes of a product with corrections do not fit")
	}
	p := &product{z: z, x: x, stride: x.Stride()}
	padded := kernel.Padded(len(c.rows)) * p.stride
	p.chosen = make([]float32, padded)
	p.total = kernel.NewTreeSum(matrix.Sections(x.Rows()), len(c.rows)*p.stride)
	chosen, err := kernel.RowsOf(ctx, x, c.rows)
	for at := range c.rows {
		if err == nil {
			copy(p.chosen[at*p.stride:], chosen[at*x.Cols():][:x.Cols()])
		}
	}
	return p, err
}

// commit adds the sums of stripe s, which are those of a slot.
func (c *corrections) commit(p *product, s, slot int) {
	if p.section == nil {
		p.section = p.total.Vector()
	}
	kernel.AddAndClear(p.section, c.buffers[slot].sums[:len(p.section)]) // what is beyond is padding, and 0
	if section := c.sectionEnding(s); section >= 0 {
		p.total.Put(section, p.section)
		p.section = nil
	}
}

// slots returns how many stripes may be in flight: two for each worker, as far as memory allows. It affects nothing but
// the speed.
func (c *corrections) slots(p *product) int {
	slots := 2 * kernel.Workers(c.workers)
	if p != nil {
		slots = min(slots, max(sumBytes/(4*len(p.chosen)), 1))
	}
	return max(min(slots, len(c.stripes)), 1)
}

// sweep goes through all stripes. If fresh is set it computes them and keeps them as the plan says. With x it adds E·x
// to z.
func (c *corrections) sweep(ctx context.Context, z, x *matrix.Single, fresh bool) error {
	var p *product
	if x != nil {
		var err error
		if p, err = c.newProduct(ctx, z, x); err != nil {
			return err
		}
	}
	slots := c.slots(p)
	for len(c.buffers) < slots {
		c.buffers = append(c.buffers, newBuffer())
	}
	for _, b := range c.buffers {
		if p != nil && len(b.sums) != len(p.chosen) {
			b.sums, b.outside = make([]float32, len(p.chosen)), make([]float32, kernel.TileRows*p.stride)
		}
		clear(b.sums) // an earlier sweep may have ended with an error
	}
	var read, commit func(s, slot int) error
	if !fresh && c.spill != nil {
		read = func(s, slot int) error { return c.fetch(s, c.buffers[slot]) }
	}
	if p != nil {
		commit = func(s, slot int) error {
			c.commit(p, s, slot)
			return nil
		}
	}
	err := kernel.Ordered(ctx, c.workers, len(c.stripes), slots, read, func(s, slot int) error {
		b := c.buffers[slot]
		if fresh {
			return c.fresh(s, b, p)
		}
		return c.again(s, b, p)
	}, commit)
	if err != nil || p == nil {
		return err
	}
	return p.finish(ctx, c.rows)
}

// finish adds the transposed product to the rows of I that are held.
func (p *product) finish(ctx context.Context, rows []int) error {
	total, err := p.total.Total(ctx, p.z.Layout())
	if err != nil {
		return err
	}
	first, last := p.z.HeldRows()
	for at, i := range rows {
		if i < first || i >= last {
			continue
		}
		row := p.z.PaddedRow(i)
		for j, v := range total[at*p.stride:][:p.stride] {
			row[j] = float32(float64(row[j]) + v)
		}
	}
	return nil
}

// fresh computes stripe s, multiplies it if there is a product, and keeps it if it is wanted.
func (c *corrections) fresh(s int, b *buffer, p *product) error {
	st := &c.stripes[s]
	st.entries, st.sum, st.squares, st.greatest, st.place = 0, 0, 0, 0, CorrectionsRecompute
	keep := c.placed != CorrectionsRecompute && !c.full.Load()
	b.packed.reset()
	c.compute(s, b, func(first, last, panel int, t *kernel.SparseTile) {
		st.entries += int64(len(t.Values))
		st.sum += t.SumOutside(c.member[first:last])
		squares, greatest := t.SquaresOutside(c.member[first:last])
		st.squares, st.greatest = st.squares+squares, max(st.greatest, greatest)
		if keep {
			b.packed.add(t)
		}
		if p != nil {
			c.multiply(first, last, panel, t, b, p, true)
		}
	})
	if !keep {
		return nil
	}
	return c.keep(s, b)
}

// again multiplies stripe s, which was built before.
func (c *corrections) again(s int, b *buffer, p *product) error {
	st := &c.stripes[s]
	again := func(first, last, panel int, t *kernel.SparseTile) { c.multiply(first, last, panel, t, b, p, false) }
	switch st.place {
	case CorrectionsRecompute:
		c.compute(s, b, func(first, last, panel int, t *kernel.SparseTile) {
			c.multiply(first, last, panel, t, b, p, true)
		})
		return nil
	case CorrectionsSpill:
		st.spilled.unpack(b.encoded, &b.packed)
		c.replay(s, &b.packed, again)
		return nil
	}
	c.replay(s, &st.kept, again)
	return nil
}

// multiply adds one tile's share to z and to the sums of its stripe. If isDense is set, the tile is in b.dense too.
func (c *corrections) multiply(first, last, panel int, t *kernel.SparseTile, b *buffer, p *product, isDense bool) {
	start := first / matrix.BlockRows * matrix.BlockRows
	z, _, _ := p.z.Block(first / matrix.BlockRows)
	x, _, _ := p.x.Block(first / matrix.BlockRows)
	z, x = z[(first-start)*p.stride:(last-start)*p.stride], x[(first-start)*p.stride:(last-start)*p.stride]
	inside := c.member[first:last]
	low := panel * kernel.TileColumns * p.stride
	chosen, sums := p.chosen[low:], b.sums[low:]
	if float64(len(t.Values)) < denseShare*float64(len(t.Counts)*kernel.TileColumns) {
		kernel.SparseProduct(t, inside, z, chosen, sums, x, p.stride)
		return
	}
	if !isDense {
		t.Expand(b.dense, kernel.TileColumns, kernel.TileColumns)
	}
	if slices.Contains(inside, true) {
		for r := range inside {
			row := b.outside[r*p.stride:][:p.stride]
			if clear(row); !inside[r] {
				copy(row, x[r*p.stride:])
			}
		}
		x = b.outside
	}
	kernel.DenseProduct(b.dense, len(t.Counts), kernel.TileColumns, kernel.TileColumns, z, chosen, sums, x, p.stride)
}
