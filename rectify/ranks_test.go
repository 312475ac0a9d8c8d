// This file tests ENN on factors whose rows several ranks share.

package rectify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"anchorage/internal/collective"
	"anchorage/internal/durable"
	"anchorage/internal/kernel"
	"anchorage/internal/long"
	"anchorage/matrix"
)

// tilted returns an n×k factor with columns of different lengths, in which rare rows have negative products.
func tilted(n, k int) *matrix.Tall {
	y := matrix.NewTall(n, k)
	for i := range n {
		for j := range y.Row(i) {
			y.Row(i)[j] = math.Sin(float64(i*(7+2*j)+j)) * math.Sqrt(1/float64(i%1000+1)) / float64(j+1)
		}
	}
	return y
}

// partOf returns the rows of a whole matrix that the rank of ctx has.
func partOf[T float32 | float64](ctx context.Context, whole *matrix.TallOf[T]) *matrix.TallOf[T] {
	part := matrix.NewShared[T](collective.From(ctx).Layout(), whole.Rows(), whole.Stride())
	part.Narrow(whole.Cols())
	first, last := part.HeldRows()
	for i := first; i < last; i++ {
		copy(part.PaddedRow(i), whole.PaddedRow(i))
	}
	return part
}

// sameResult returns an error unless a result has the bits of another, which is whole, in the rows that it has.
func sameResult(got, want *Result) error {
	first, last := got.Factor.HeldRows()
	for i := first; i < last; i++ {
		for j, v := range got.Factor.Row(i) {
			if math.Float64bits(v) != math.Float64bits(want.Factor.At(i, j)) {
				return fmt.Errorf("row %d, column %d of the factor is %v, not %v", i, j, v, want.Factor.At(i, j))
			}
		}
	}
	text := func(r *Result) string {
		course := slices.Clone(r.Iterations)
		for i := range course {
			course[i].Corrections, course[i].CorrectionBytes = "", 0
		}
		return fmt.Sprint(course, r.Products, r.Converged, r.Norm, r.Negativity)
	}
	if text(got) != text(want) {
		return fmt.Errorf("%s\nis not\n%s", text(got), text(want))
	}
	return nil
}

// The factor, the course and the figures have the same bits for any number of ranks, those without rows among them,
// wherever each keeps its corrections.
func TestENNSameBitsForAnyRanks(t *testing.T) {
	for _, c := range []struct {
		name  string
		rows  int
		ranks []int
		opts  Options
	}{
		{"published", 40_000, []int{2, 3, 5, 12}, Options{Iterations: 2}},
		{"truncated", 40_000, []int{2, 3, 5}, Options{Iterations: 2, Truncated: true}},
		{"truncated steps", 1000, []int{2, 1, 5}, Options{Marginals: normalized(1000), Stages: []int{1, 2}, Truncated: true}},
		{"marginals", 40_000, []int{3, 1}, Options{Stages: []int{1, 2}, Marginals: normalized(40_000)}},
		{"no room", 40_000, []int{3}, Options{Iterations: 2, Corrections: Corrections{Bytes: 1 << 20}}},
		{"spill", 40_000, []int{2}, Options{Iterations: 2, Corrections: Corrections{Mode: CorrectionsSpill,
			SpillDir: t.TempDir()}}},
		{"recompute", 40_000, []int{3}, Options{Iterations: 2, Corrections: Corrections{Mode: CorrectionsRecompute}}},
		{"few rows", 1000, []int{5, 1, 2}, Options{Marginals: normalized(1000), Stages: []int{1, 1, 2}}},
		{"all rows in I", 900, []int{3}, Options{Iterations: 2, Rows: 900}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !long.Tier() {
				if c.opts.Corrections.Mode == CorrectionsRecompute {
					t.Skip("the others show that ranks agree")
				}
				c.ranks, c.rows = c.ranks[:1], min(c.rows, 2*matrix.BlockRows+100)
				if c.opts.Marginals != nil {
					c.opts.Marginals = normalized(c.rows)
				}
			}
			y := tilted(c.rows, 4)
			c.opts.Seed, c.opts.Workers = 9, 2
			if c.opts.Rows == 0 {
				c.opts.Rows = 200
			}
			alone := c.opts
			alone.Corrections = Corrections{}
			want, err := ENN(t.Context(), y.Copy(4), alone)
			if err != nil {
				t.Fatal(err)
			}
			for _, ranks := range c.ranks {
				err := collective.Together(t.Context(), ranks, func(ctx context.Context) error {
					got, err := ENN(ctx, partOf(ctx, y), c.opts)
					if err != nil {
						return err
					}
					return sameResult(got, want)
				})
				if err != nil {
					t.Errorf("%d ranks: %v", ranks, err)
				}
			}
		})
	}
}

// normalized returns n marginals.
func normalized(n int) []float64 {
	p, sum := make([]float64, n), 0.0
	for i := range p {
		p[i] = 1 / float64(i%1000+1)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// The state between iterations is complete: what two ranks have begun, three finish.
func TestENNGoesOnWithOtherRanks(t *testing.T) {
	const n, k = 3*matrix.BlockRows + 100, 4
	y, p := tilted(n, k), normalized(n)
	opts := Options{Stages: []int{1, 2, 2}, Marginals: p, Rows: 200, Seed: 9, Workers: 1}
	want, err := ENN(t.Context(), y.Copy(k), opts)
	if err != nil {
		t.Fatal(err)
	}
	pace := func() *pacer { return newPacer(opts.Stages) }
	var state enn // with whole matrices
	var course []Iteration
	err = collective.Together(t.Context(), 2, func(ctx context.Context) error {
		e := &enn{marginals: p, workers: 1, corrections: newCorrections(n, opts.Rows, opts.Corrections, 1)}
		if err := e.start(ctx, partOf(ctx, y), opts); err != nil {
			return err
		}
		begun := &Result{}
		o := opts
		o.Iterations = 3
		if err := e.iterate(ctx, begun, pace(), o); err != nil {
			return err
		}
		whole := enn{evaluations: e.evaluations, products: e.products}
		for _, m := range []struct{ to, from **matrix.Single }{{&whole.y, &e.y}, {&whole.before, &e.before},
			{&whole.x, &e.x}} {
			all, err := gathered(ctx, *m.from)
			if err != nil {
				return err
			}
			*m.to = all
		}
		if collective.From(ctx).First() {
			state, course = whole, begun.Iterations
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = collective.Together(t.Context(), 3, func(ctx context.Context) error {
		e := &enn{marginals: p, workers: 1, corrections: newCorrections(n, opts.Rows, opts.Corrections, 1),
			y:      partOf(ctx, state.y),
			before: partOf(ctx, state.before), x: partOf(ctx, state.x), evaluations: state.evaluations, products: state.products}
		e.z = matrix.Like(e.x)
		o, r, pace := opts, &Result{Iterations: slices.Clone(course)}, pace()
		o.Iterations = pace.left()
		for _, i := range course {
			pace.next()
			pace.note(i.Distance)
		}
		if err := e.iterate(ctx, r, pace, o); err != nil {
			return err
		}
		r.Products = e.products
		var err error
		if r.Norm, err = e.orthogonalize(ctx); err != nil {
			return err
		}
		if r.Negativity, err = e.negativity(ctx, opts.Seed); err != nil {
			return err
		}
		r.Factor = matrix.Converted[float64](e.y)
		for i := range r.Iterations { // the first three were of another number
			r.Iterations[i].Of = want.Iterations[i].Of
		}
		return sameResult(r, want)
	})
	if err != nil {
		t.Error(err)
	}
}

// gathered returns all rows of a matrix that several ranks share.
func gathered[T float32 | float64](ctx context.Context, part *matrix.TallOf[T]) (*matrix.TallOf[T], error) {
	rows := make([]int, part.Rows())
	for i := range rows {
		rows[i] = i
	}
	values, err := kernel.RowsOf(ctx, part, rows)
	if err != nil {
		return nil, err
	}
	whole := matrix.New[T](part.Rows(), part.Stride())
	whole.Narrow(part.Cols())
	for i := range rows {
		copy(whole.Row(i), values[i*part.Cols():])
	}
	return whole, nil
}

// A rank that cannot keep its corrections ends the job.
func TestENNEndsOnAllRanks(t *testing.T) {
	y := tilted(3*matrix.BlockRows, 4)
	err := collective.Together(t.Context(), 3, func(ctx context.Context) error {
		opts := Options{Iterations: 1, Rows: 200, Workers: 1}
		if collective.From(ctx).Rank() == 1 {
			opts.Corrections = Corrections{Mode: CorrectionsSpill, SpillDir: "nowhere"}
		}
		_, err := ENN(ctx, partOf(ctx, y), opts)
		return err
	})
	if failed := new(durable.SpillError); !errors.As(err, &failed) {
		t.Errorf("the job ends with %v", err)
	}
}
