// This file holds the rows of C̄ in a form that stays after a fit, so that corners of the simplex can be moved without
// the documents.

package anchor

import (
	"context"
	"fmt"
	"math"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// RowsOptions say what else than the factor is known of the rows. N is the number of items.
type RowsOptions struct {
	// RowSums is as in Options, and Probabilities are the true row sums p, N values.
	RowSums       RowSums
	Probabilities []float64
	// SamplingVariance is as in Options; nil if it is not known.
	SamplingVariance []float64
	// Reliability, N values, takes the place of what follows from SamplingVariance, if that is nil; nil takes every row
	// for certain.
	Reliability []float64
	// Guards are further eigenvectors v of C, an N×m matrix, and GuardValues their m eigenvalues λ. In their directions
	// the rows have the coordinates λ·v_i/d_i: they separate items that K topics do not. Guards may be nil, and is not
	// modified.
	Guards      *matrix.Single
	GuardValues []float64
	Workers     int // goroutines; 0 for one per processor. Results do not depend on it
}

// Rows are the N rows of C̄ = diag(d)⁻¹·Y·Yᵀ in coordinates that keep inner products, of single precision. LAW has the
// definitions; rows are not corrected. Rows and Hulls are never shared by several processes. Rows do not change, and
// several goroutines may use them.
type Rows struct {
	x           *matrix.Single // N×width: d_i·X_i
	span        []float64      // of each coordinate: what Qᵀ·e_i is to be multiplied with to give X̃_i
	topics      int            // the coordinates that come from the factor; those after them come from guards
	weights     []float64      // d; at most 0 for items without weight
	noise       []float64      // as Options.SamplingVariance, of rows divided by d; nil if it is not known
	reliability []float64      // ρ; nil for 1
	workers     int
}

// NewRows computes the rows from an N×L factor, which it does not keep. The error is that of ctx or of an eigenvalue
// problem.
func NewRows(ctx context.Context, y *matrix.Tall, opts RowsOptions) (*Rows, error) {
	n, columns := y.Dims()
	if len(opts.Probabilities) != n || opts.SamplingVariance != nil && len(opts.SamplingVariance) != n {
		panic("anchor: number of probabilities or variances is not the number of items")
	}
	guards := 0
	if opts.Guards != nil {
		if guards = opts.Guards.Cols(); opts.Guards.Rows() != n || len(opts.GuardValues) != guards {
			panic("anchor: shape of the guards does not fit")
		}
	}
	values, vectors, err := kernel.SymmetricEigen(ctx, kernel.Gram(ctx, y, y, opts.Workers), columns, opts.Workers)
	if err != nil {
		return nil, fmt.Errorf("anchor: the singular values of the factor: %w", err)
	}
	r := &Rows{workers: opts.Workers, topics: kernel.RankAbove(values, lostDirection)}
	toRow := make([]float64, columns*r.topics)
	for i := range columns {
		for j, value := range values[:r.topics] {
			toRow[i*r.topics+j] = vectors[i*columns+j] * math.Sqrt(value)
		}
	}
	r.span = append(append(r.span, values[:r.topics]...), opts.GuardValues...)
	r.x = matrix.NewSingle(n, r.topics+guards)
	law := Options{RowSums: opts.RowSums, SamplingVariance: opts.SamplingVariance, Workers: opts.Workers}
	if r.weights, err = startWeights(ctx, y, opts.Probabilities, &law); err != nil {
		return nil, err
	}
	r.noise = scaledNoise(opts.SamplingVariance, opts.Probabilities, r.weights)
	if err := r.fill(ctx, y, toRow, &opts); err != nil {
		return nil, err
	}
	if r.reliability = opts.Reliability; r.noise != nil {
		r.reliability, err = reliabilities(ctx, r.x, r.topics, r.weights, r.noise, r.workers)
	}
	return r, err
}

// fill computes the coordinates, block by block.
func (r *Rows) fill(ctx context.Context, y *matrix.Tall, toRow []float64, opts *RowsOptions) error {
	return eachRange(ctx, nil, r.workers, r.x.Rows(), func(_, first, last int) error {
		part, product := matrix.NewTall(last-first, y.Cols()), matrix.NewTall(last-first, r.topics)
		for i := first; i < last; i++ {
			copy(part.Row(i-first), y.Row(i))
		}
		kernel.Multiply(ctx, product, part, toRow, 1)
		for i := first; i < last; i++ {
			row := r.x.Row(i)
			for j, v := range product.Row(i - first) {
				row[j] = float32(v)
			}
			for j, value := range opts.GuardValues {
				row[r.topics+j] = float32(value * float64(opts.Guards.Row(i)[j]))
			}
		}
		return ctx.Err()
	})
}

// Len returns N, and Width the number of coordinates.
func (r *Rows) Len() int   { return len(r.weights) }
func (r *Rows) Width() int { return len(r.span) }

// Weight returns d_i; it is at most 0 for an item without weight.
func (r *Rows) Weight(i int) float64 { return r.weights[i] }

// Reliability returns ρ_i, from 0 to 1: how far the row of item i is its own.
func (r *Rows) Reliability(i int) float64 {
	if r.reliability == nil {
		return 1
	}
	return r.reliability[i]
}

// row sets dst to X_i.
func (r *Rows) row(dst []float64, i int) {
	scale := 1 / r.weights[i]
	for j, v := range r.x.Row(i) {
		dst[j] = float64(v) * scale
	}
}

// Tandem returns the mean row of some items, a tandem anchor (Lund, Cook, Seppi & Boyd-Graber, Tandem Anchoring: a
// Multiword Anchor Approach for Interactive Topic Modeling, ACL 2017): every item counts alike. Negative entries of the
// row of C̄ are set to 0, as LAW does with those of anchors. Items without weight do not count; the result is nil if
// all are such. The error is that of ctx.
func (r *Rows) Tandem(ctx context.Context, items []int) ([]float64, error) {
	corner, row, count := make([]float64, r.Width()), make([]float64, r.Width()), 0
	for _, i := range items {
		if r.weights[i] > 0 {
			r.row(row, i)
			addTo(corner, row)
			count++
		}
	}
	if count == 0 {
		return nil, nil
	}
	for j := range corner {
		corner[j] /= float64(count)
	}
	return corner, r.correct(ctx, corner)
}

// correct adds to a row v of C̄ what sets its negative entries to 0: Σ_j max(−v·z_j, 0)·z_j with z_j = Qᵀ·e_j.
func (r *Rows) correct(ctx context.Context, corner []float64) error {
	along := make([]float64, len(corner)) // v·z_j = along·X̃_j
	for j, v := range corner {
		along[j] = v / r.span[j]
	}
	sums, err := sumRanges(ctx, nil, r.workers, r.Len(), len(corner), func(sum []float64, first, last int) {
		for i := first; i < last; i++ {
			row := r.x.Row(i)
			if entry := kernel.Dot(along, row); entry < 0 {
				for j, v := range row {
					sum[j] -= entry * float64(v)
				}
			}
		}
	})
	for j, v := range sums {
		corner[j] += v / r.span[j]
	}
	return err
}

// Means returns the mean rows of k groups of items, each weighted by d, and the weights of the groups. group returns
// the group of an item, −1 for none. The mean of a group without weight is nil. The error is that of ctx.
func (r *Rows) Means(ctx context.Context, k int,
	group func(i int) int) (means [][]float64, weights []float64, err error) {
	width := r.Width() + 1
	sums, err := sumRanges(ctx, nil, r.workers, r.Len(), k*width, func(sum []float64, first, last int) {
		for i := first; i < last; i++ {
			g := group(i)
			if g < 0 || !(r.weights[i] > 0) {
				continue
			}
			of := sum[g*width:][:width]
			for j, v := range r.x.Row(i) {
				of[j] += float64(v)
			}
			of[width-1] += r.weights[i]
		}
	})
	if err != nil {
		return nil, nil, err
	}
	means, weights = make([][]float64, k), make([]float64, k)
	for g := range means {
		of := sums[g*width:][:width]
		if weights[g] = of[width-1]; weights[g] > 0 {
			means[g] = of[: width-1 : width-1]
			for j := range means[g] {
				means[g][j] /= weights[g]
			}
		}
	}
	return means, weights, nil
}

// Beside sets dst, N values, to how likely each item is to co-occur with an item under the rectified co-occurrences:
// its row of C̄ without negative entries, scaled to sum to 1. Items without weight beside it get 0. The error is that
// of ctx.
func (r *Rows) Beside(ctx context.Context, dst []float64, item int) error {
	along := make([]float64, r.Width())
	for j, v := range r.x.Row(item) {
		along[j] = float64(v) / r.span[j]
	}
	along = along[:r.topics]
	sums, err := sumRanges(ctx, nil, r.workers, r.Len(), 1, func(sum []float64, first, last int) {
		for i := first; i < last; i++ {
			dst[i] = max(kernel.Dot(along, r.x.Row(i)[:r.topics]), 0)
			sum[0] += dst[i]
		}
	})
	if err != nil || sums[0] == 0 {
		return err
	}
	for i := range dst {
		dst[i] /= sums[0]
	}
	return nil
}

// Nearer returns 0 if row i is nearer to a than to b, else 1.
func (r *Rows) Nearer(i int, a, b []float64) int {
	side, scale := 0.0, 1/r.weights[i]
	for j, v := range r.x.Row(i) {
		side += (b[j] - a[j]) * (float64(v)*scale - (a[j]+b[j])/2)
	}
	if side > 0 {
		return 1
	}
	return 0
}
