// This file measures the pairs of topics that continue each other, and lists the items that rose and fell in them.

package drift

import (
	"context"
	"math"

	"anchorage/internal/kernel"
	"anchorage/internal/toplist"
)

// measure sets the distances of the topics. Those of pairs are computed again, from differences: equal topics are exactly 0 apart.
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
		for b := range l {
			least = min(least, c.distance[t.Then*l+b])
		}
		return least
	}
	for a := range c.continuedBy {
		least = min(least, c.distance[a*l+t.Now])
	}
	return least
}

// list sets the items that rose and fell. Items are numbered as in then, and the new ones after them.
func (c *comparison) list(ctx context.Context, topics []Topic) error {
	items := newUnitedItems(c)
	total, workers := items.len(), kernel.Workers(c.opts.Workers)
	parts := make([][]toplist.List, workers)
	const rows = 1024
	err := kernel.Parallel(ctx, workers, workers, func(p int) error {
		lists := make([]toplist.List, 2*len(topics))
		for at := range lists {
			lists[at] = toplist.New(Items)
		}
		parts[p] = lists
		row := items.newRow()
		for i := p * total / workers; i < (p+1)*total/workers; i++ {
			if i%rows == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			items.read(row, i)
			for at := range topics {
				then, now := row.of(&topics[at])
				change := math.Sqrt(now) - math.Sqrt(then)
				switch {
				case change > 0:
					lists[2*at].Offer(i, change*change)
				case change < 0:
					lists[2*at+1].Offer(i, change*change)
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	row := items.newRow()
	take := func(t *Topic, list int) []Item {
		for p := range parts[1:] {
			parts[0][list].Merge(&parts[1+p][list])
		}
		moved := []Item{}
		for _, e := range parts[0][list].Sorted() {
			items.read(row, e.Item)
			then, now := row.of(t)
			moved = append(moved, Item{Item: items.id(e.Item), Then: then, Now: now})
		}
		return moved
	}
	for at := range topics {
		topics[at].Risen, topics[at].Fallen = take(&topics[at], 2*at), take(&topics[at], 2*at+1)
	}
	return nil
}

// unitedItems are the items of either model: those of then, and after them those that only now has.
type unitedItems struct {
	*comparison
	inNow []int // of each item of then, its number in now, or -1
	added []int // the items that only now has
}

func newUnitedItems(c *comparison) *unitedItems {
	u := &unitedItems{comparison: c, inNow: filledWith(-1, c.then.topics.Vocabulary.Len())}
	known := make([]bool, c.now.topics.Vocabulary.Len())
	for at, i := range c.then.common {
		u.inNow[i] = c.now.common[at]
		known[c.now.common[at]] = true
	}
	for i, common := range known {
		if !common {
			u.added = append(u.added, i)
		}
	}
	return u
}

// len returns the number of items.
func (u *unitedItems) len() int { return len(u.inNow) + len(u.added) }

// id returns the id of an item.
func (u *unitedItems) id(i int) string {
	if n := len(u.inNow); i >= n {
		return u.now.topics.Vocabulary.ID(u.added[i-n])
	}
	return u.then.topics.Vocabulary.ID(i)
}

// unitedRow has p(item | topic) of an item in both models.
type unitedRow struct{ then, now []float64 }

func (u *unitedItems) newRow() *unitedRow {
	return &unitedRow{make([]float64, len(u.continuedBy)), make([]float64, len(u.continues))}
}

// read sets row to item i. A model that lacks the item gives it the probability 0.
func (u *unitedItems) read(row *unitedRow, i int) {
	n := len(u.inNow)
	if i >= n {
		clear(row.then)
		u.now.row(row.now, u.added[i-n])
		return
	}
	u.then.row(row.then, i)
	if j := u.inNow[i]; j >= 0 {
		u.now.row(row.now, j)
	} else {
		clear(row.now)
	}
}

// of returns the probabilities in a topic then and now; 0 where the model does not have the topic.
func (r *unitedRow) of(t *Topic) (then, now float64) {
	if t.Then >= 0 {
		then = r.then[t.Then]
	}
	if t.Now >= 0 {
		now = r.now[t.Now]
	}
	return then, now
}
