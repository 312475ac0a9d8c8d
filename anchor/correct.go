// This file corrects the rows that topics are read from: negative entries of C = Y·Yᵀ, which no co-occurrence can be, are
// set to zero.

package anchor

import (
	"context"
	"slices"

	"anchorage/internal/kernel"
)

// correctedChunk is the number of corrected rows that are handled in one go over all items. A tile of rangeRows×correctedChunk
// entries of C is 1 MiB and stays in a core's cache.
const correctedChunk = 256

// correctedParts bounds the number of parts that items are cut into, each with its own sums for the corrected rows.
const correctedParts = 64

// Correction says what the correction of negative entries did.
type Correction struct {
	Rows     int   // rows corrected in full: the anchors' and, with factor row sums, those with a negative sum
	Entries  int64 // negative entries found in them
	Negative int   // of the rows, those with a negative sum
}

// correcting is the correction under way. With S₂ the rows to correct, E_ij = max(−C_ij, 0) where i or j is in S₂ and 0
// elsewhere, and z_j = Qᵀe_j:
//
//	i ∉ S₂:  x̃_i += Σ_{j∈S₂} E_ij·z_j                  i ∈ S₂:  x̃_i += Σ_{j∈S₂} E_ij·z_j + Σ_{j∉S₂} E_ij·z_j
//
// The last sum runs over all items; it is gathered as Σ E_ij·y_j and taken to the basis at the end. Entries are computed
// tile by tile, correctedChunk rows of S₂ at a time against all items, and each entry once per chunk.
type correcting struct {
	y, x        *kernel.Tall
	basis       *basis
	inSet       []bool
	weights     []float64
	moveWeights bool // whether d becomes d + E·e
	workers     int
}

// correctRows corrects x̃ = diag(d)·X in place and, with factor row sums, the weights too. S₂ are the anchors and, with
// factor row sums, the rows with a negative sum. See LAW for the definitions.
func correctRows(ctx context.Context, y, x *kernel.Tall, b *basis, weights []float64, anchors []int, opts *Options) (Correction, error) {
	c := &correcting{y: y, x: x, basis: b, inSet: make([]bool, y.Rows()), weights: weights,
		moveWeights: opts.RowSums == RowSumsFactor, workers: opts.Workers}
	for _, i := range anchors {
		c.inSet[i] = true
	}
	var done Correction
	for i, d := range weights {
		if d < 0 {
			c.inSet[i] = true
			done.Negative++
		}
	}
	var set []int
	for i, in := range c.inSet {
		if in {
			set = append(set, i)
		}
	}
	done.Rows = len(set)
	for chunk := range slices.Chunk(set, correctedChunk) {
		entries, err := c.chunk(ctx, chunk)
		if err != nil {
			return Correction{}, err
		}
		done.Entries += entries
	}
	return done, nil
}

// correctedPart is what one part of the items contributes to the rows of a chunk.
type correctedPart struct {
	sums    *kernel.Tall // row j: Σ_i E_ij·y_i over items i of the part outside S₂
	weights []float64    // Σ_i E_ij over the same
	entries int64
}

// chunk adds the share of some rows of S₂ to all items, and that of all items outside S₂ to those rows.
func (c *correcting) chunk(ctx context.Context, rows []int) (entries int64, err error) {
	width := c.y.Cols()
	right := make([]float64, width*len(rows)) // L×m: the rows as columns
	chosen := kernel.NewTall(len(rows), width)
	for j, row := range rows {
		copy(chosen.Row(j), c.y.Row(row))
		for p, v := range c.y.Row(row) {
			right[p*len(rows)+j] = v
		}
	}
	coordinates := kernel.NewTall(len(rows), c.basis.rank) // z_j
	kernel.Multiply(coordinates, chosen, c.basis.toBasis, 1)

	ranges := rangeCount(c.y.Rows())
	parts := make([]correctedPart, min(correctedParts, ranges))
	err = kernel.Parallel(ctx, c.workers, len(parts), func(p int) error {
		part := &parts[p]
		part.sums, part.weights = kernel.NewTall(len(rows), width), make([]float64, len(rows))
		left, tile := kernel.NewTall(rangeRows, width), kernel.NewTall(rangeRows, len(rows))
		for r := p * ranges / len(parts); r < (p+1)*ranges/len(parts); r++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			first := r * rangeRows
			last := min(first+rangeRows, c.y.Rows())
			for i := first; i < last; i++ {
				copy(left.Row(i-first), c.y.Row(i))
			}
			kernel.Multiply(tile, left, right, 1)
			for i := first; i < last; i++ {
				c.correctItem(i, tile.Row(i-first), coordinates, part)
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	for p := range parts {
		entries += parts[p].entries
		for j, row := range rows {
			c.basis.addTo(c.x.Row(row), parts[p].sums.Row(j))
			if c.moveWeights {
				c.weights[row] += parts[p].weights[j]
			}
		}
	}
	return entries, nil
}

// correctItem handles the entries C_ij of one item i with the rows j of a chunk.
func (c *correcting) correctItem(i int, entries []float64, coordinates *kernel.Tall, part *correctedPart) {
	row := c.x.PaddedRow(i)[:coordinates.Stride()]
	outside, total := !c.inSet[i], 0.0
	for j, entry := range entries {
		if entry >= 0 {
			continue
		}
		part.entries++
		total -= entry
		kernel.Axpy(-entry, coordinates.PaddedRow(j), row)
		if outside {
			part.weights[j] -= entry
			kernel.Axpy(-entry, c.y.PaddedRow(i), part.sums.PaddedRow(j))
		}
	}
	if c.moveWeights {
		c.weights[i] += total
	}
}
