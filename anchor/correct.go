// This file corrects the rows from which topics are found: it sets negative entries of C = Y·Yᵀ to zero, since no
// co-occurrence is negative.

package anchor

import (
	"context"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// correctedChunk is how many corrected rows one run over all items handles. A tile of rangeRows×correctedChunk entries
// of C takes 1 MiB and stays in a core's cache.
const correctedChunk = 256

// mostCorrected bounds the entries of C that are computed to correct rows with a negative sum: rows times items. With
// 100 columns they take some minutes on two processors. So all rows may be such up to 100,000 items, 29 % of 186,000,
// and 1 % of a million.
const mostCorrected = 1e10

// checkNegative returns a *NegativeRowsError if more rows have a negative sum than are corrected.
func checkNegative(weights []float64) error {
	rows := 0
	for _, d := range weights {
		if d < 0 {
			rows++
		}
	}
	if most := mostNegative(len(weights)); rows > most {
		return &NegativeRowsError{Rows: rows, Most: most, Items: len(weights)}
	}
	return nil
}

// mostNegative returns how many of n rows may have a negative sum.
func mostNegative(n int) int { return min(n, int(mostCorrected/float64(n))) }

// Correction counts what the correction of negative entries changed.
type Correction struct {
	Rows     int   // rows corrected completely: the anchors' and, with factor row sums, those with a negative sum
	Entries  int64 // negative entries found in them
	Negative int   // of the rows, those with a negative sum
}

// correcting is the correction under way. With S₂ the rows to correct, E_ij = max(−C_ij, 0) where i or j is in S₂ and 0
// elsewhere, and z_j = Qᵀe_j:
//
//	i ∉ S₂:  x̃_i += Σ_{j∈S₂} E_ij·z_j                  i ∈ S₂:  x̃_i += Σ_{j∈S₂} E_ij·z_j + Σ_{j∉S₂} E_ij·z_j
//
// The last sum runs over all items. It is added up as Σ E_ij·y_j and changed to the basis at the end. Entries are
// computed tile by tile: correctedChunk rows of S₂ at a time against all items. The sums are dense products with the
// tile, because in rows of rare items up to two thirds of the entries were negative.
type correcting struct {
	y, x        *matrix.Tall
	basis       *basis
	inSet       []bool
	weights     []float64
	moveWeights bool // whether d becomes d + E·e
	workers     int
}

// correctRows corrects x̃ = diag(d)·X in place, and with factor row sums the weights too. S₂ holds the anchors and,
// with factor row sums, the rows with a negative sum. LAW has the definitions.
func correctRows(ctx context.Context, y, x *matrix.Tall, b *basis, weights []float64, anchors []int,
	opts *Options) (Correction, error) {
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
	progress := opts.progress(StageCorrections, len(set))
	for chunk := range slices.Chunk(set, correctedChunk) {
		entries, err := c.chunk(ctx, chunk)
		if err != nil {
			return Correction{}, err
		}
		done.Entries += entries
		progress.add(len(chunk))
	}
	if c.moveWeights { // only of the items that it holds does a process have all that they get
		return done, kernel.Complete(ctx, y.Layout(), weights)
	}
	return done, nil
}

// correctedPart is what some items contribute to the m rows of a chunk.
type correctedPart struct {
	sums    []float64 // m×L, row j: Σ_i E_ij·y_i over items i outside S₂
	weights []float64 // Σ_i E_ij over the same
	entries []float64 // one value, a whole number
}

// partOf returns the parts of a vector, which is width·m+m+1 values long.
func partOf(sum []float64, m, width int) correctedPart {
	return correctedPart{sum[:m*width], sum[m*width:][:m], sum[m*width+m:]}
}

// chunk adds what some rows of S₂ contribute to all items, and what the items outside S₂ contribute to those rows.
func (c *correcting) chunk(ctx context.Context, rows []int) (entries int64, err error) {
	width := c.y.Cols()
	chosen, err := kernel.RowsOf(ctx, c.y, rows)
	if err != nil {
		return 0, err
	}
	columns := kernel.Transposed(chosen, len(rows), width)                                    // L×m: the rows as columns
	coordinates := kernel.Times(ctx, chosen, c.basis.toBasis, len(rows), width, c.basis.rank) // z_j

	free := make(chan *correctedTile, kernel.Workers(c.workers))
	sums, err := sumRanges(ctx, c.y.Layout(), c.workers, c.y.Rows(), len(rows)*(width+1)+1,
		func(sum []float64, first, last int) {
			var tile *correctedTile
			select {
			case tile = <-free:
			default:
				tile = &correctedTile{matrix.NewTall(rangeRows, width), matrix.NewTall(rangeRows, len(rows)),
					matrix.NewTall(rangeRows, c.basis.rank)}
			}
			defer func() { free <- tile }()
			c.correctRange(ctx, first, last, columns, coordinates, tile, partOf(sum, len(rows), width))
		})
	if err != nil {
		return 0, err
	}
	total := partOf(sums, len(rows), width)
	corrections := kernel.Times(ctx, total.sums, c.basis.toBasis, len(rows), width, c.basis.rank)
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	begin, end := c.x.HeldRows()
	for j, row := range rows {
		if row >= begin && row < end {
			addTo(c.x.Row(row), corrections[j*c.basis.rank:])
		}
		if c.moveWeights {
			c.weights[row] += total.weights[j]
		}
	}
	return int64(total.entries[0]), nil
}

// correctedTile is the scratch for one range of items and one chunk of rows.
type correctedTile struct {
	factor *matrix.Tall // rangeRows×L: the items' rows of Y
	part   *matrix.Tall // rangeRows×m: the negative part of their entries
	change *matrix.Tall // rangeRows×rank: what is added to their rows of x̃
}

// correctRange handles the entries C_ij of the items i in [first, last) and the rows j of a chunk. The rows are given
// as columns, and by their coordinates z_j.
func (c *correcting) correctRange(ctx context.Context, first, last int, columns, coordinates []float64,
	t *correctedTile, sum correctedPart) {
	for i := range rangeRows {
		if row := t.factor.Row(i); first+i < last {
			copy(row, c.y.Row(first+i))
		} else {
			clear(row)
		}
	}
	kernel.Multiply(ctx, t.part, t.factor, columns, 1)
	negative := 0
	for i := first; i < last; i++ {
		total := 0.0
		row := t.part.Row(i - first)
		for j, entry := range row {
			if entry < 0 {
				negative++
				total -= entry
			}
			row[j] = max(-entry, 0)
		}
		if c.moveWeights {
			c.weights[i] += total
		}
	}
	sum.entries[0] += float64(negative)
	kernel.Multiply(ctx, t.change, t.part, coordinates, 1)
	for i := first; i < last; i++ {
		addTo(c.x.Row(i), t.change.Row(i-first))
		if row := t.part.Row(i - first); c.inSet[i] {
			clear(row) // the sums are over items outside S₂
		} else {
			addTo(sum.weights, row)
		}
	}
	addTo(sum.sums, kernel.Gram(ctx, t.part, t.factor, 1))
}

// addTo adds the values of b to those of a.
func addTo(a, b []float64) {
	b = b[:len(a)]
	for j := range a {
		a[j] += b[j]
	}
}
