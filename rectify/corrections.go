// This file holds the corrections of ENN: the sparse symmetric matrix that lifts negative entries to zero.

package rectify

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// corrections is E: for the set I of corrected rows, E_ij = max(−y_i·y_j, 0) where i or j is in I, and 0 elsewhere.
// Only the part with j in I is computed, an N×|I| sparse matrix P. E·x is P·x_I for all rows, plus, for the rows of
// I, the transposed product with the rows of P outside of I, so that entries with both in I do not count twice.
//
// P is cut into stripes of rows, and stripes into tiles. A tile is computed, compacted and, if it is used right away,
// multiplied while it is in the nearer caches. What is needed more than once is kept in memory, spilled to a file or
// computed again, as CorrectionsMode says. In every case the same tiles meet the same numbers in the same order, and
// the stripes of a section of rows (matrix.Sections) are added one after the other, and sections in a fixed tree. So
// neither the mode nor the number of workers or ranks has an influence on the result.
//
// Of a factor that is shared, each process has the stripes of the rows that it holds, and all of I. Rows keep their
// numbers.
type corrections struct {
	place    Corrections
	workers  int
	rows     []int // I, increasing
	member   []bool
	sum      float64 // Σ_ij E_ij
	squares  float64 // Σ_ij E_ij²
	greatest float64 // max E_ij
	epsilon  float64 // the greatest squared norm of a row outside of I
	entries  int64   // of P

	y       *matrix.Single
	norms   []float64       // squared, of the rows of y
	negated *kernel.Negated // −Y_Iᵀ
	height  int             // rows of a stripe
	first   int             // the first row that is held, and last the one after the last
	last    int
	stripes []stripe  // of these rows
	buffers []*buffer // of the stripes in flight, by slot

	placed CorrectionsMode // where tiles of the last build are kept, as far as there is room
	kept   atomic.Int64    // bytes in memory, or in the spill file
	full   atomic.Bool     // there was no room for a stripe
	spill  *spillFile
}

// newCorrections returns the corrections of a factor with N = items rows, of which I has the given number.
func newCorrections(items, rows int, place Corrections, workers int) *corrections {
	c := &corrections{place: place, workers: workers, rows: make([]int, 0, rows), member: make([]bool, items)}
	c.height = stripeRows(items, rows)
	c.hold(0, items)
	return c
}

// hold cuts the rows that this process holds into stripes. Blocks of rows have whole stripes.
func (c *corrections) hold(first, last int) {
	c.first, c.last = first, last
	c.stripes = make([]stripe, (last-first+c.height-1)/c.height)
}

// stripeRows returns the height of stripes. It depends only on shapes, because sums are in single precision within a
// stripe and in double precision beyond it. High stripes add seldom; but there must be enough stripes for all workers,
// and a stripe that is kept should not be large.
func stripeRows(items, rows int) int {
	const least, most, cells = 512, 4096, 1 << 24
	height := most
	for height > least && items < 16*height || height > 2*least && height*rows > cells {
		height /= 2
	}
	return height
}

// density returns the share of the entries of P that are not zero.
func (c *corrections) density() float64 {
	return float64(c.entries) / (float64(len(c.member)) * float64(len(c.rows)))
}

// build chooses I by the norms of the rows of y, N×K, and computes P for the given number of later applications.
// Until the next build y must stay as it is.
func (c *corrections) build(ctx context.Context, y *matrix.Single, applications int) error {
	return c.buildAndApply(ctx, y, nil, nil, applications)
}

// buildAndApply is build followed by apply, in one sweep over P; later is the number of applications that follow. If it
// is 0, nothing of P is kept. z and x may be nil for build only.
func (c *corrections) buildAndApply(ctx context.Context, y, z, x *matrix.Single, later int) error {
	c.y = y
	if first, last := y.HeldRows(); first != c.first || last != c.last {
		c.hold(first, last)
	}
	c.norms = kernel.SquaredNorms(ctx, y, c.workers)
	c.choose(c.norms)
	chosen, err := kernel.RowsOf(ctx, y, c.rows)
	if err != nil {
		return err
	}
	c.negated = kernel.PackNegated(chosen, y.Cols())
	if err := c.prepare(later); err != nil {
		return err
	}
	if err := c.sweep(ctx, z, x, true); err != nil {
		return err
	}
	return c.addUp(ctx)
}

// addUp adds up what all stripes have found, in their order.
func (c *corrections) addUp(ctx context.Context) error {
	const fields = 4
	own := make([]float64, 0, fields*len(c.stripes))
	for s := range c.stripes {
		st := &c.stripes[s]
		own = append(own, st.sum, st.squares, float64(st.greatest), float64(st.entries))
	}
	all, err := kernel.Concat(ctx, c.y.Layout(), own)
	if err != nil {
		return err
	}
	c.sum, c.squares, c.greatest, c.entries = 0, 0, 0, 0
	for stripe := range slices.Chunk(all, fields) {
		c.sum += stripe[0]
		c.squares += stripe[1]
		c.greatest = max(c.greatest, stripe[2])
		c.entries += int64(stripe[3])
	}
	return nil
}

// apply adds E·x to z, both N×L.
func (c *corrections) apply(ctx context.Context, z, x *matrix.Single) error {
	return c.sweep(ctx, z, x, false)
}

// Close releases the memory and removes the spill file.
func (c *corrections) Close() error {
	c.stripes, c.buffers = nil, nil
	if c.spill == nil {
		return nil
	}
	spill := c.spill
	c.spill = nil
	if err := spill.Close(); err != nil {
		return fmt.Errorf("rectify: removing spilled corrections: %w", err)
	}
	return nil
}

// choose sets I to the rows of largest norm; of equal ones those with the lower index.
func (c *corrections) choose(squaredNorms []float64) {
	count := cap(c.rows)
	sorted := slices.Clone(squaredNorms)
	slices.Sort(sorted)
	if c.epsilon = 0; count < len(sorted) {
		c.epsilon = sorted[len(sorted)-count-1]
	}
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
