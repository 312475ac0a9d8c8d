// This file computes the distances from products with C: exactly if C is held, and estimated otherwise.

package metric

import (
	"context"
	"math"

	"anchorage/corpus"
	"anchorage/internal/aligned"
	"anchorage/internal/kernel"
	"anchorage/matrix"
	"anchorage/sketch"
)

const (
	// DefaultColumns is the default number of random columns, and DefaultFrequent that of the items whose columns of C are
	// computed exactly.
	DefaultColumns  = 256
	DefaultFrequent = 256
	// DefaultProjectionBytes is the memory that the columns of one pass may take by default.
	DefaultProjectionBytes = 4 << 30

	tileRows = 128 // rows that a worker takes at a time, and columns of a dense C
)

// DenseDistances computes the distances exactly from C, N×N, and its row sums p. Base lists the items of BaseRecovery
// and may be nil. Besides the arguments it holds three blocks of N×128 and one of N×K. The error is that of ctx.
func DenseDistances(ctx context.Context, c *matrix.Tall, p []float64, t *Topics, base []int,
	workers int) (Distances, error) {
	n := c.Rows()
	if c.Cols() != n || len(p) != n {
		panic("metric: shapes of the co-occurrences do not fit")
	}
	r := projection{topics: t, p: p, diagonal: make([]float64, n), opts: &Options{Frequent: n, Base: base,
		ProjectionBytes: int64(24 * n * tileRows), Workers: workers}}
	for i := range n {
		r.diagonal[i] = c.Row(i)[i]
	}
	r.multiply = func(ctx context.Context, y, _ *matrix.Tall, first int) error {
		columns := r.basis.frequent[first:min(first+y.Cols(), n)] // of the identity
		return r.eachRow(ctx, func(i int) {
			row, from := y.Row(i), c.Row(i)
			for j, item := range columns {
				row[j] = from[item]
			}
			clear(row[len(columns):])
		})
	}
	return r.run(ctx)
}

// ProjectedDistances estimates the distances without forming C. It multiplies C by K + Frequent + Columns columns, in
// as many passes as ProjectionBytes makes necessary, and computes from the products C·X what the differences
//
//	C̄ − B̆ᵀ·C̄_S = diag(p)⁻¹·C − B̆ᵀ·diag(p_S)⁻¹·C_S      and      C − B·A·Bᵀ
//
// are on X. The part in the span of the topics and the most frequent items is exact. The rest, which is small, is
// estimated from random signs. No norm is computed as a difference of norms, so that nothing cancels, however good the
// topics are. The diagonals are known and handled separately.
//
// The squares are unbiased. Their roots are low by at most 1/(4L) of themselves, which is 0.1 % with the default of 256
// random columns. The relative standard error falls as 1/√L. It would be at most √(1/(2L)), 4.4 %, if no part were
// exact. Measured with the defaults on the data of the papers (N = 5,000, K = 25, 24 seeds), it was 0.5 % of the
// recoveries and 0.1 % of the approximations. Every estimate has its own standard error, from the spread of the
// columns.
//
// The marginals and the diagonal of C are those of sketch.CountMarginals, with the weights of t. The error is that of
// pass or ctx.
func ProjectedDistances(ctx context.Context, pass corpus.Pass, m *sketch.Marginals, diagonal []float64, t *Topics,
	opts Options) (Distances, error) {
	operator := &sketch.Operator{Pass: pass, Marginals: m, Workers: opts.Workers}
	r := projection{topics: t, p: m.Probabilities(), diagonal: diagonal, opts: &opts,
		multiply: func(ctx context.Context, y, x *matrix.Tall, _ int) error { return operator.Multiply(ctx, y, x) }}
	return r.run(ctx)
}

// run computes the distances.
func (r *projection) run(ctx context.Context) (Distances, error) {
	t, n := r.topics, len(r.p)
	t.check()
	if t.Items.Rows() != n || len(r.diagonal) != n {
		panic("metric: shapes of the co-occurrences and the topics do not fit")
	}
	if !t.mixed() && t.TopicJoint == nil {
		return noDistances(), nil
	}
	var err error
	if r.basis, err = newSubspace(ctx, t, r.p, r.opts); err != nil {
		return noDistances(), err
	}
	if err := r.prepare(ctx); err != nil {
		return noDistances(), err
	}
	columns := r.basis.columns()
	passes := (columns + r.opts.width(n) - 1) / r.opts.width(n)
	width := aligned.Columns[float64]((columns + passes - 1) / passes)
	x, y, z := matrix.NewTall(n, width), matrix.NewTall(n, width), matrix.NewTall(n, width)
	for first := 0; first < columns; first += width {
		if err := r.gather(ctx, x, y, z, first); err != nil {
			return noDistances(), err
		}
	}
	return r.distances(), nil
}

// projection is the state of one estimation.
type projection struct {
	topics   *Topics
	p        []float64
	diagonal []float64 // of C
	fitted   []float64 // diagonal of B·A·Bᵀ
	basis    *subspace
	opts     *Options
	// multiply sets y = C·x, where x are the columns of the basis from first on.
	multiply func(ctx context.Context, y, x *matrix.Tall, first int) error

	profiles, unrecovered *squares // of C̄ and C̄ − B̆ᵀ·C̄_S; nil without anchors
	whole, unexplained    *squares // of C and C − B·A·Bᵀ, off the diagonal; nil without A
}

// prepare allocates the sums that the topics allow, and computes the diagonal of B·A·Bᵀ.
func (r *projection) prepare(ctx context.Context) error {
	t, n := r.topics, len(r.p)
	if t.mixed() {
		r.profiles, r.unrecovered = newSquares(n, r.basis), newSquares(n, r.basis)
	}
	if t.TopicJoint == nil {
		return nil
	}
	r.whole, r.unexplained = newSquares(n, r.basis), newSquares(n, r.basis)
	r.fitted = make([]float64, n)
	return r.eachRow(ctx, func(i int) {
		row := t.Items.Row(i)
		for a, v := range row {
			if v != 0 {
				for b, w := range row {
					r.fitted[i] += v * t.TopicJoint[a*len(row)+b] * w
				}
			}
		}
	})
}

// gather adds up the columns from first on. The matrices are scratch.
func (r *projection) gather(ctx context.Context, x, y, z *matrix.Tall, first int) error {
	if err := r.basis.fill(ctx, x, first); err != nil {
		return err
	}
	if err := r.multiply(ctx, y, x, first); err != nil {
		return err
	}
	t, width := r.topics, x.Cols()
	k := t.Items.Cols()
	if t.mixed() {
		anchors := make([]float64, k*width) // C̄_S·X
		for s, item := range t.Anchors {
			if r.p[item] > 0 {
				for j, v := range y.Row(item) {
					anchors[s*width+j] = v / r.p[item]
				}
			}
		}
		kernel.Multiply(ctx, z, t.Mixtures, anchors, r.opts.Workers)
		err := r.eachRow(ctx, func(i int) {
			if r.p[i] <= 0 {
				return
			}
			row, mixed, factor := y.Row(i), z.Row(i), 1/r.p[i]
			for j, v := range row {
				mixed[j] = v*factor - mixed[j]
			}
			r.profiles.add(i, first, row, factor)
			r.unrecovered.add(i, first, mixed, 1)
		})
		if err != nil {
			return err
		}
	}
	if t.TopicJoint == nil {
		return nil
	}
	kernel.Multiply(ctx, z, t.Items, kernel.Times(ctx, t.TopicJoint, r.basis.onItems(ctx, t.Items, x, first), k, k,
		width), r.opts.Workers)
	return r.eachRow(ctx, func(i int) {
		row, fitted := y.Row(i), z.Row(i)
		for j, v := range x.Row(i) {
			row[j] -= r.diagonal[i] * v
			fitted[j] = row[j] - (fitted[j] - r.fitted[i]*v)
		}
		r.whole.add(i, first, row, 1)
		r.unexplained.add(i, first, fitted, 1)
	})
}

// eachRow calls fn for every item, on several goroutines.
func (r *projection) eachRow(ctx context.Context, fn func(i int)) error {
	return kernel.Ranges(ctx, r.opts.Workers, len(r.p), tileRows, func(first, last int) error {
		for i := first; i < last; i++ {
			fn(i)
		}
		return nil
	})
}

// distances turns the sums into figures.
func (r *projection) distances() Distances {
	d := noDistances()
	if r.topics.mixed() {
		recovery := func(items []int) func(without int) float64 {
			return func(without int) float64 {
				return meanOver(r.p, items, func(i int) float64 { return math.Sqrt(r.unrecovered.row(i, without)) })
			}
		}
		d.Recovery = r.basis.estimate(recovery(nil))
		d.RelativeRecovery = r.basis.estimate(func(without int) float64 {
			return recovery(nil)(without) / math.Sqrt(r.profiles.total(without))
		})
		if r.opts.Base != nil {
			d.BaseRecovery = r.basis.estimate(recovery(r.opts.Base))
		}
	}
	if r.topics.TopicJoint == nil {
		return d
	}
	diagonal, diagonalNorm := 0.0, 0.0
	for i, v := range r.diagonal {
		diagonal += (v - r.fitted[i]) * (v - r.fitted[i])
		diagonalNorm += v * v
	}
	d.Approximation = r.basis.estimate(func(without int) float64 {
		return math.Sqrt(r.unexplained.total(without) + diagonal)
	})
	d.RelativeApproximation = r.basis.estimate(func(without int) float64 {
		return math.Sqrt((r.unexplained.total(without) + diagonal) / (r.whole.total(without) + diagonalNorm))
	})
	d.OffDiagonalApproximation = r.basis.estimate(func(without int) float64 {
		return math.Sqrt(r.unexplained.total(without) / r.whole.total(without))
	})
	return d
}
