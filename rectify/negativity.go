// This file measures what ENN leaves: the negative entries of Y·Yᵀ, for some of them exactly and for the others by a
// sample.

package rectify

import (
	"context"
	"math"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/internal/random"
)

// Negativity says how far the entries of Y·Yᵀ are below 0, where Y is the rectified factor. Entries with a row or
// column in I, the rows of largest norm, are all looked at. The others are far more and far smaller; a sample of them
// is.
type Negativity struct {
	// Epsilon is ε: the least entry that was found is −ε.
	Epsilon float64 `json:"epsilon"`
	// Bound is at least −y_i·y_j for all i and j, looked at or not: by Cauchy-Schwarz, an entry with neither row nor
	// column in I is not less than −max ‖y_i‖² over the other rows.
	Bound float64 `json:"bound"`
	// Mass is the sum of all negative entries, with the sign changed: exact where all are looked at, and else estimated
	// with the standard error MassError. It counts in parts of the sum of all entries.
	Mass      float64 `json:"mass"`
	MassError float64 `json:"mass_error"`
	// Sampled is the number of entries in the sample, and Below the greatest share of the entries with neither row nor
	// column in I that can be below −ε, with a confidence of 95 %. Both are 0 if there are no such entries.
	Sampled int64   `json:"sampled"`
	Below   float64 `json:"share_below_at_most"`
}

const (
	// SampledPairs is the size of the sample, and PairsAtOnce the part of it that a worker takes at a time.
	SampledPairs = 1 << 20
	PairsAtOnce  = 1 << 14
	// doubt is the probability that more than the share Below of the entries is below −ε.
	doubt = 0.05
)

// negativity looks at the entries of Y·Yᵀ. The entries of the sample are drawn independently and uniformly among those
// with neither row nor column in I. If a share s of them is below −ε, then none of n is with the probability (1−s)ⁿ. So
// s is at most 1 − 0.05^(1/n), with a confidence of 95 %.
func (e *enn) negativity(ctx context.Context, seed uint64) (Negativity, error) {
	if err := e.corrections.build(ctx, e.y, 0); err != nil {
		return Negativity{}, err
	}
	c := e.corrections
	// Without marginals it is only nearly 1: the last projection onto rank K is not normalized again.
	sum := entrySum(ctx, e.y, e.workers)
	n := Negativity{Epsilon: c.greatest, Mass: c.sum / sum}
	others := len(c.member) - len(c.rows)
	if others == 0 {
		n.Bound = n.Epsilon
		return n, ctx.Err()
	}
	for i, square := range c.norms {
		if !c.member[i] {
			n.Bound = max(n.Bound, square)
		}
	}
	found, err := e.samplePairs(ctx, seed)
	if err != nil {
		return Negativity{}, err
	}
	mean := found.sum / SampledPairs
	entries := float64(others) * float64(others)
	n.Mass += entries * mean / sum
	n.MassError = entries * math.Sqrt(max(found.squares/SampledPairs-mean*mean, 0)/SampledPairs) / sum
	n.Bound = max(n.Bound, n.Epsilon)
	n.Epsilon = max(n.Epsilon, found.greatest)
	n.Sampled, n.Below = SampledPairs, -math.Expm1(math.Log(doubt)/SampledPairs)
	return n, nil
}

// below is what a sample found of max(−y_i·y_j, 0).
type below struct{ sum, squares, greatest float64 }

// add adds what a pair of rows gives.
func (b *below) add(row, other []float32) {
	v := 0.0
	for j, a := range row {
		v -= float64(a) * float64(other[j])
	}
	if v > 0 {
		b.sum += v
		b.squares += v * v
		b.greatest = max(b.greatest, v)
	}
}

// samplePairs draws pairs of rows outside of I, of which there must be one.
func (e *enn) samplePairs(ctx context.Context, seed uint64) (below, error) {
	others := make([]int32, 0, e.y.Rows()-len(e.corrections.rows))
	for i, inside := range e.corrections.member {
		if !inside {
			others = append(others, int32(i))
		}
	}
	drawn := func(pair int, draw uint64) int {
		return int(others[random.At(seed, random.RectifiedPairs, uint64(pair), draw)%uint64(len(others))])
	}
	rows := func(part int) []int {
		rows := make([]int, 0, 2*PairsAtOnce)
		for pair := part * PairsAtOnce; pair < (part+1)*PairsAtOnce; pair++ {
			rows = append(rows, drawn(pair, 0), drawn(pair, 1))
		}
		return rows
	}
	const fields = 3
	parts, err := kernel.DealRows(ctx, e.y, SampledPairs/PairsAtOnce, fields, e.workers, rows, func(result []float64,
		_ int, next func() []float32) {
		var b below
		for range PairsAtOnce {
			row := next()
			b.add(row, next())
		}
		result[0], result[1], result[2] = b.sum, b.squares, b.greatest
	})
	var total below
	for b := range slices.Chunk(parts, fields) {
		total.sum += b[0]
		total.squares += b[1]
		total.greatest = max(total.greatest, b[2])
	}
	return total, err
}
