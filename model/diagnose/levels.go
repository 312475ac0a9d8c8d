// This file finds to which topics of coarser levels topics and items belong.

package diagnose

import (
	"cmp"
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"anchorage/model"
)

// Parent is a topic of the next coarser level and p(it | topic).
type Parent struct {
	Topic int     `json:"topic"`
	Share float64 `json:"share"`
}

// leastParent is the least share of a parent that is listed beside the first.
const leastParent = 0.05

// Parents returns the parents of a topic of a level, the greatest share first; none for the coarsest level.
func Parents(l *model.Level, topic int) (list []Parent) {
	for c, share := range l.Shares(topic) {
		list = append(list, Parent{c, share})
	}
	slices.SortStableFunc(list, func(a, b Parent) int { return cmp.Compare(b.Share, a.Share) })
	for at := 1; at < len(list); at++ {
		if list[at].Share < leastParent {
			return list[:at]
		}
	}
	return list
}

// ItemLevel is the topic of an item at a coarser level.
type ItemLevel struct {
	Level     int      `json:"level"` // the number of its topics
	Topic     int      `json:"topic"`
	Share     float64  `json:"share"`     // p(topic | item)
	Prominent []string `json:"prominent"` // items of the topic, at most levelItems
}

// levelItems is how many items of a topic of a coarser level are named.
const levelItems = 10

// ItemLevels returns the most probable topic of an item at every coarser level, the coarsest first. Levels have no
// items that were folded in: the topics of these have parents. The error is one of reading a level.
func ItemLevels(ctx context.Context, m *model.Model, item *model.Item) ([]ItemLevel, error) {
	all, err := m.AllLevels(ctx)
	if err != nil || len(all) == 1 {
		return nil, err
	}
	shares := make([]float64, m.Topics())
	for _, t := range item.Topics {
		shares[m.TopicOf(t.Topic)] = t.Share
	}
	found := make([]ItemLevel, len(all)-1)
	for l := len(found) - 1; l >= 0; l-- {
		one := all[l]
		parents := make([]float64, one.Topics())
		for topic, share := range shares {
			floats.AddScaled(parents, share, m.Levels[l+1].Shares(topic))
		}
		if shares = parents; !item.Folded {
			shares = one.Mixtures.Row(item.Index)
		}
		k := floats.MaxIdx(shares)
		found[l] = ItemLevel{one.Topics(), k, shares[k], one.Names(one.Prominent[k][:min(levelItems, len(one.Prominent[k]))])}
	}
	return found, nil
}
