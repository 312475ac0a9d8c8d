// This file measures the pairs of topics that continue each other, and lists the items that rose and fell in them.

package drift

import (
	"context"
	"math"
	"slices"
	"sync"

	"anchorage/internal/toplist"
)

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
