// This file finds the two best columns among those of all ranges.

package anchor

import (
	"context"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// contest keeps the two columns with the greatest positive scores; of equal columns the first offered.
type contest struct {
	item  [2]int // −1 for none
	score [2]float64
}

func newContest() contest { return contest{item: [2]int{-1, -1}} }

func (c *contest) offer(item int, score float64) {
	switch {
	case score > c.score[0]:
		c.item[1], c.score[1] = c.item[0], c.score[0]
		c.item[0], c.score[0] = item, score
	case score > c.score[1]:
		c.item[1], c.score[1] = item, score
	}
}

// merge offers the columns of another contest, among later columns.
func (c *contest) merge(other contest) {
	for at, item := range other.item {
		if item >= 0 {
			c.offer(item, other.score[at])
		}
	}
}

// winners returns the contest of all columns, given those of the ranges that are held.
func winners(ctx context.Context, layout matrix.Layout, ranges []contest) (contest, error) {
	own := newContest()
	for _, b := range ranges {
		own.merge(b)
	}
	all, err := kernel.Concat(ctx, layout, []float64{float64(own.item[0]), own.score[0],
		float64(own.item[1]), own.score[1]})
	total := newContest()
	for of := range slices.Chunk(all, 4) {
		total.merge(contest{[2]int{int(of[0]), int(of[2])}, [2]float64{of[1], of[3]}})
	}
	return total, err
}
