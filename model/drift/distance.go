// This file measures how far topics of two models are apart.

package drift

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// side is one of two models that are compared.
type side struct {
	topics *Topics
	common []int // the items of both models, by their numbers in this one; both sides have them in the same order
	// inside and outside have the part of each topic that is in common items, and in others. Both are 0 for an empty
	// topic.
	inside, outside []float64
}

// row sets dst to p(item i | topic) of all topics. Empty topics, whose probabilities may be NaN, have zeros.
func (s *side) row(dst []float64, i int) {
	s.topics.Row(dst, i)
	for k, v := range dst {
		if !(v > 0) || math.IsInf(v, 1) {
			dst[k] = 0
		}
	}
}

// share returns p(topic), or 0 for an empty topic.
func (s *side) share(k int) float64 {
	if share := s.topics.Shares[k]; share > 0 {
		return share
	}
	return 0
}

// measure sets inside and outside.
func (s *side) measure(ctx context.Context, workers int) error {
	isCommon := make([]bool, s.topics.Vocabulary.Len())
	for _, i := range s.common {
		isCommon[i] = true
	}
	k := s.topics.K()
	sums := make([]float64, 2*k)
	err := sumBlocks(ctx, len(isCommon), workers, sums, func(first, last int, sums []float64) {
		row := make([]float64, k)
		for i := first; i < last; i++ {
			s.row(row, i)
			half := sums[:k]
			if !isCommon[i] {
				half = sums[k:]
			}
			floats.Add(half, row)
		}
	})
	s.inside, s.outside = sums[:k:k], sums[k:]
	return err
}

// comparable reports whether at least half of a topic is in common items.
func (s *side) comparable(k int) bool { return s.inside[k] > 0 && s.inside[k] >= s.outside[k] }

// empty reports whether a topic has no items.
func (s *side) empty(k int) bool { return s.inside[k]+s.outside[k] == 0 }

// topicDistance returns the distance of topics with an affinity, Σ_i √(b_i·c_i) over the common items. Empty topics are
// all alike.
func topicDistance(then, now *side, a, b int, affinity float64) float64 {
	switch {
	case then.empty(a) && now.empty(b):
		return 0
	case !then.comparable(a) || !now.comparable(b):
		return 1
	}
	return math.Sqrt(min(max(1-affinity, 0), 1))
}

// sumBlocks adds up what fn adds to sums for ranges of n rows, a block each. Which rows a range has, and the order in
// which ranges are added, do not depend on the number of workers.
func sumBlocks(ctx context.Context, n, workers int, sums []float64, fn func(first, last int, sums []float64)) error {
	const rows = 1024
	slots := 2 * kernel.Workers(workers)
	parts := make([][]float64, slots)
	work := func(i, slot int) error {
		if parts[slot] == nil {
			parts[slot] = make([]float64, len(sums))
		}
		clear(parts[slot])
		fn(i*rows, min((i+1)*rows, n), parts[slot])
		return nil
	}
	return kernel.Ordered(ctx, workers, (n+rows-1)/rows, slots, nil, work, func(_, slot int) error {
		floats.Add(sums, parts[slot])
		return nil
	})
}

// affinities returns Σ_i √(b_i·c_i) over the common items for all pairs of topics, K×L row-major: the product of the
// transposed roots of both B, a block of rows at a time.
func affinities(ctx context.Context, then, now *side, workers int) ([]float64, error) {
	sums := make([]float64, len(then.inside)*len(now.inside))
	for first := 0; first < len(then.common); first += matrix.BlockRows {
		last := min(first+matrix.BlockRows, len(then.common))
		a, err := then.roots(ctx, first, last, workers)
		if err != nil {
			return nil, err
		}
		b, err := now.roots(ctx, first, last, workers)
		if err != nil {
			return nil, err
		}
		floats.Add(sums, kernel.Gram(ctx, a, b, workers))
	}
	return sums, ctx.Err()
}

// roots returns √p(item | topic) among the common items, a row for each of a range of them.
func (s *side) roots(ctx context.Context, first, last, workers int) (*matrix.Tall, error) {
	t := matrix.NewTall(last-first, len(s.inside))
	err := kernel.Parallel(ctx, workers, last-first, func(i int) error {
		row := t.Row(i)
		s.row(row, s.common[first+i])
		for k, v := range row {
			if v > 0 {
				row[k] = math.Sqrt(v / s.inside[k])
			}
		}
		return nil
	})
	return t, err
}

// union is a topic of one model, the whole, beside the union of topics of the other: p(item | one of the parts).
type union struct {
	whole int
	parts []int
}

// unionDistances returns the distance of every whole and the union of its parts. One part is a union too; its distance
// to an equal whole is exactly 0.
func unionDistances(ctx context.Context, wholes, parts *side, unions []union, workers int) ([]float64, error) {
	weights, masses := make([][]float64, len(unions)), make([]float64, len(unions))
	for u, of := range unions {
		for _, part := range of.parts {
			weight := 1.0
			if len(of.parts) > 1 {
				weight = parts.share(part)
			}
			weights[u] = append(weights[u], weight)
			masses[u] += weight * parts.inside[part]
		}
	}
	squares := make([]float64, len(unions))
	err := sumBlocks(ctx, len(wholes.common), workers, squares, func(first, last int, sums []float64) {
		whole, part := make([]float64, len(wholes.inside)), make([]float64, len(parts.inside))
		for i := first; i < last; i++ {
			wholes.row(whole, wholes.common[i])
			parts.row(part, parts.common[i])
			for u := range unions {
				p := 0.0
				for at, k := range unions[u].parts {
					p += weights[u][at] * part[k]
				}
				difference := rootOf(whole[unions[u].whole], wholes.inside[unions[u].whole]) - rootOf(p, masses[u])
				sums[u] += difference * difference
			}
		}
	})
	for u, square := range squares {
		squares[u] = math.Sqrt(min(square/2, 1))
	}
	return squares, err
}

// rootOf returns √(p/mass); 0 if p is.
func rootOf(p, mass float64) float64 {
	if p == 0 {
		return 0
	}
	return math.Sqrt(p / mass)
}
