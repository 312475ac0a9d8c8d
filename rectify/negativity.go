// This file measures what ENN leaves: the negative entries of Y·Yᵀ, for some of them exactly and for the others by a sample.

package rectify

import (
	"context"
	"math"

	"anchorage/internal/collective"
	"anchorage/internal/kernel"
	"anchorage/internal/random"
)

// Negativity says how far the entries of Y·Yᵀ are below 0, where Y is the rectified factor. Entries with a row or column in I, the
// rows of largest norm, are all looked at. The others are far more and far smaller; a sample of them is.
type Negativity struct {
	// Epsilon is ε: the least entry that was found is −ε.
	Epsilon float64
	// Bound is at least −y_i·y_j for all i and j, looked at or not: by Cauchy-Schwarz, an entry with neither row nor column in I is not
	// less than −max ‖y_i‖² over the other rows.
	Bound float64
	// Mass is the sum of all negative entries, with the sign changed: exact where all are looked at, and else estimated with the standard
	// error MassError. It counts in parts of the sum of all entries.
	Mass, MassError float64
	// Sampled is the number of entries in the sample, and Below the greatest share of the entries with neither row nor column in I that
	// can be below −ε, with a confidence of 95 %. Both are 0 if there are no such entries.
	Sampled int64
	Below   float64
}

const (
	// sampledPairs is the size of the sample, and pairsAtOnce how much of it a worker takes at a time.
	sampledPairs = 1 << 20
	pairsAtOnce  = 1 << 14
	// doubt is the probability that more than the share Below of the entries is below −ε.
	doubt = 0.05
)

// negativity looks at the entries of Y·Yᵀ. The entries of the sample are drawn independently and uniformly among those with neither
// row nor column in I. If a share s of them is below −ε, then none of n is with the probability (1−s)ⁿ. So s is at most
// 1 − 0.05^(1/n), with a confidence of 95 %.
func (e *enn) negativity(ctx context.Context, seed uint64) (Negativity, error) {
	if err := e.corrections.build(ctx, e.y, 0); err != nil {
		return Negativity{}, err
	}
	c := e.corrections
	sum := e.sum(ctx) // without marginals only nearly 1: the last projection onto rank K is not normalized again
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
	mean := found.sum / sampledPairs
	entries := float64(others) * float64(others)
	n.Mass += entries * mean / sum
	n.MassError = entries * math.Sqrt(max(found.squares/sampledPairs-mean*mean, 0)/sampledPairs) / sum
	n.Bound = max(n.Bound, n.Epsilon)
	n.Epsilon = max(n.Epsilon, found.greatest)
	n.Sampled, n.Below = sampledPairs, -math.Expm1(math.Log(doubt)/sampledPairs)
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
	parts, err := e.sampleParts(ctx, drawn)
	var total below
	for _, b := range parts {
		total.sum += b.sum
		total.squares += b.squares
		total.greatest = max(total.greatest, b.greatest)
	}
	return total, err
}

// sampleParts looks at the sample in parts of pairsAtOnce pairs. A part of pairs whose rows lie with several ranks belongs to one of them.
func (e *enn) sampleParts(ctx context.Context, drawn func(pair int, draw uint64) int) ([]below, error) {
	parts := make([]below, sampledPairs/pairsAtOnce)
	if !e.y.Whole() {
		return parts, e.shareParts(ctx, parts, drawn)
	}
	return parts, kernel.Parallel(ctx, e.workers, len(parts), func(part int) error {
		for pair := part * pairsAtOnce; pair < (part+1)*pairsAtOnce; pair++ {
			parts[part].add(e.y.Row(drawn(pair, 0)), e.y.Row(drawn(pair, 1)))
		}
		return nil
	})
}

// shareParts deals the parts out: in every round each rank gets the rows of one part, and all have the results at the end.
func (e *enn) shareParts(ctx context.Context, parts []below, drawn func(pair int, draw uint64) int) error {
	c := collective.From(ctx)
	var found []float64 // of the parts of this rank
	for round := 0; round < len(parts); round += c.Size() {
		rows := make([][]float32, c.Size())
		for r := 0; r < c.Size() && round+r < len(parts); r++ {
			rows[r] = e.heldOf(round+r, drawn)
		}
		received, err := collective.AllToAll(ctx, c, rows)
		if err != nil {
			return err
		}
		if part := round + c.Rank(); part < len(parts) {
			b := e.ofReceived(c, part, received, drawn)
			found = append(found, b.sum, b.squares, b.greatest)
		}
	}
	all, err := collective.AllGather(ctx, c, found)
	if err != nil {
		return err
	}
	for part := range parts {
		of := all[part%c.Size()][part/c.Size()*3:]
		parts[part] = below{of[0], of[1], of[2]}
	}
	return nil
}

// heldOf returns the rows of a part of the sample that this rank has, in the order of the pairs.
func (e *enn) heldOf(part int, drawn func(pair int, draw uint64) int) (rows []float32) {
	first, last := e.y.HeldRows()
	for pair := part * pairsAtOnce; pair < (part+1)*pairsAtOnce; pair++ {
		for draw := range uint64(2) {
			if i := drawn(pair, draw); i >= first && i < last {
				rows = append(rows, e.y.Row(i)...)
			}
		}
	}
	return rows
}

// ofReceived looks at a part of the sample, whose rows have come from the ranks that have them. It uses rows up.
func (e *enn) ofReceived(c *collective.Comm, part int, rows [][]float32, drawn func(pair int, draw uint64) int) (b below) {
	k := e.y.Cols()
	next := func(pair int, draw uint64) (row []float32) {
		from := &rows[c.Owner(e.y.Rows(), drawn(pair, draw))]
		row, *from = (*from)[:k], (*from)[k:]
		return row
	}
	for pair := part * pairsAtOnce; pair < (part+1)*pairsAtOnce; pair++ {
		row := next(pair, 0)
		b.add(row, next(pair, 1))
	}
	return b
}
