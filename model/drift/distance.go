// This file measures how far topics of two models are apart, and lists the items that rose and fell in those that
// continue each other.

package drift

import (
	"context"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"anchorage/internal/kernel"
	"anchorage/internal/toplist"
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

// measure sets the distances of the topics. Those of pairs are computed again, from differences: equal topics are
// exactly 0 apart.
func (c *comparison) measure(ctx context.Context, topics []Topic) error {
	var pairs []union
	for a, b := range c.continuedBy {
		if b >= 0 {
			pairs = append(pairs, union{a, []int{b}})
		}
	}
	distances, err := unionDistances(ctx, c.then, c.now, pairs, c.opts.Workers)
	if err != nil {
		return err
	}
	for i := range topics {
		t := &topics[i]
		if t.Then >= 0 && t.Now >= 0 {
			t.Distance, distances = distances[0], distances[1:]
		} else {
			t.Distance = c.nearest(t)
		}
		if t.Whole < 0 {
			t.UnionDistance = t.Distance
		}
	}
	return nil
}

// nearest returns the distance of a topic of one model to the nearest of the other.
func (c *comparison) nearest(t *Topic) float64 {
	l, least := len(c.continues), 1.0
	if t.Now < 0 {
		return slices.Min(c.distance[t.Then*l:][:l])
	}
	for a := range c.continuedBy {
		least = min(least, c.distance[a*l+t.Now])
	}
	return least
}

// list sets the items that rose and fell. Items are numbered as in then, and the new ones after them.
func (c *comparison) list(ctx context.Context, topics []Topic) error {
	items := c.united()
	rows := sync.Pool{New: func() any {
		return &unitedRow{make([]float64, 1+len(c.continuedBy)), make([]float64, 1+len(c.continues))}
	}}
	best := toplist.Columns(len(items), 2*len(topics), Items, c.opts.Workers, func(dst []float64, i int) {
		if clear(dst); ctx.Err() != nil {
			return
		}
		row := rows.Get().(*unitedRow)
		defer rows.Put(row)
		c.read(row, items[i])
		for at := range topics {
			then, now := row.then[1+topics[at].Then], row.now[1+topics[at].Now]
			change := math.Sqrt(now) - math.Sqrt(then)
			if change > 0 {
				dst[2*at] = change * change
			} else {
				dst[2*at+1] = change * change
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	row := rows.Get().(*unitedRow)
	take := func(t *Topic, list int) []Item {
		moved := []Item{}
		for _, e := range best[list] {
			item := items[e.Item]
			c.read(row, item)
			then, now := row.then[1+t.Then], row.now[1+t.Now]
			v, i := c.then.topics.Vocabulary, item[0]
			if i < 0 {
				v, i = c.now.topics.Vocabulary, item[1]
			}
			moved = append(moved, Item{Item: v.ID(i), Name: v.OwnName(i), Then: then, Now: now})
		}
		return moved
	}
	for at := range topics {
		topics[at].Risen, topics[at].Fallen = take(&topics[at], 2*at), take(&topics[at], 2*at+1)
	}
	return nil
}

// united returns the items of either model, by their numbers in then and now, −1 in the model that lacks one: those of
// then, and after them those that only now has.
func (c *comparison) united() [][2]int {
	all := make([][2]int, c.then.topics.Vocabulary.Len())
	for i := range all {
		all[i] = [2]int{i, -1}
	}
	known := make([]bool, c.now.topics.Vocabulary.Len())
	for at, i := range c.then.common {
		all[i][1] = c.now.common[at]
		known[c.now.common[at]] = true
	}
	for i, common := range known {
		if !common {
			all = append(all, [2]int{-1, i})
		}
	}
	return all
}

// unitedRow has p(item | topic) of an item in both models, 0 in one that lacks the item, behind a 0 for topics of −1.
type unitedRow struct{ then, now []float64 }

// read sets row to an item of united.
func (c *comparison) read(row *unitedRow, item [2]int) {
	clear(row.then)
	clear(row.now)
	if item[0] >= 0 {
		c.then.row(row.then[1:], item[0])
	}
	if item[1] >= 0 {
		c.now.row(row.now[1:], item[1])
	}
}
