// This file finds which topics of a coarser level the topics of a finer one belong to.

package fit

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"anchorage/anchor"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// within returns p(parent c | topic f) for every topic of f, K×L, given p(c | item), N×L, and p(c).
//
// The mean over the items of a topic, S_fc = Σ_i p(i|f)·p(c|i), blurs what it is to tell: an item that several topics
// share counts for the parents of all. It does so for the topics of f themselves too, as Q_fg = Σ_i p(i|f)·p(g|i) says,
// with S = Q·P for the P that is sought where a coarse topic is a mixture of fine ones. So P is S without that blur:
// the mixture of fine topics nearest to each coarse one,
//
//	p(f | c) = arg min over w ≥ 0, Σ w = 1 of Σ_i (p(i|c) − Σ_f p(i|f)·w_f)²/p(i)         P_fc ∝ p(f | c)·p(c)
func (f *Fitted) within(ctx context.Context, parents *matrix.Single, shares []float64) ([]float64, error) {
	k, l := f.Topics.K, parents.Cols()
	gram, means, err := f.overlaps(ctx, parents)
	if err != nil {
		return nil, err
	}
	joint := make([]float64, k*l)
	err = kernel.Parallel(ctx, f.run.Workers, l, func(c int) error {
		right := make([]float64, k)
		for t := range right {
			right[t] = means[t*l+c] / math.Max(shares[c], math.SmallestNonzeroFloat64)
		}
		for t, w := range anchor.NearestMixture(gram, right) {
			joint[t*l+c] = w * shares[c]
		}
		return ctx.Err()
	})
	for t := range k {
		row := joint[t*l : (t+1)*l]
		if !toSumOne(row) { // part of no coarse topic: its items' parents are the best that is known
			copy(row, means[t*l:(t+1)*l])
			toSumOne(row)
		}
	}
	return joint, err
}

// overlaps returns Σ_i p(i|f)·p(i|g)/p(i), K×K, and S of within, K×L.
func (f *Fitted) overlaps(ctx context.Context, parents *matrix.Single) (gram, means []float64, err error) {
	t := f.Topics
	n, l := parents.Dims()
	whole := f.thinning(ctx)
	items := whole.Items(f.probabilities())
	gram, means = make([]float64, t.K*t.K), make([]float64, t.K*l)
	for first := 0; first < n; first += matrix.BlockRows {
		rows := min(matrix.BlockRows, n-first)
		x, y := matrix.NewTall(rows, t.K), matrix.NewTall(rows, l)
		for r := range rows {
			i := first + r
			t.BRow(x.Row(r), i)
			whole.Row(x.Row(r), i)
			root := math.Sqrt(items[i])
			for topic := range x.Row(r) {
				if root > 0 {
					x.Row(r)[topic] /= root
				} else {
					x.Row(r)[topic] = 0
				}
			}
			for c, p := range parents.Row(i) {
				y.Row(r)[c] = float64(p) * root
			}
		}
		floats.Add(gram, kernel.Gram(ctx, x, x, f.run.Workers))
		floats.Add(means, kernel.Gram(ctx, x, y, f.run.Workers))
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
	}
	return gram, means, nil
}

// toSumOne divides values by their sum, and reports whether that is positive.
func toSumOne(values []float64) bool {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	if !(sum > 0) {
		return false
	}
	for i := range values {
		values[i] /= sum
	}
	return true
}
