// This file finds the items that are most like an item by what both were counted with.

package model

import (
	"context"

	"anchorage/internal/toplist"
)

// The ways to compare items that need pairs of items, which are not vectors of K numbers. docs/items.md says when they
// are better than the profile.
const (
	// byPairs is the cosine of items.Recommender.Cosines.
	byPairs Representation = "pairs"
	// byBoth is two thirds of the cosine of byProfile and one of byPairs; for items without pairs it is byProfile.
	byBoth Representation = "both"
	// byBest is byBoth for a model with pairs, and byProfile for others.
	byBest Representation = "best"
)

// profileShare is the share of the profile in byBoth.
const profileShare = 2.0 / 3

// similarPairs is Similar of byPairs and byBoth.
func (m *Model) similarPairs(ctx context.Context, by Representation, i, n int) ([]Neighbour, error) {
	r, record, err := m.Recommender(ctx)
	if err != nil {
		return nil, err
	}
	if record == nil {
		return nil, m.wrong("", NoPairs, "has no pairs of items")
	}
	index, err := m.profiles(ctx)
	if err != nil {
		return nil, err
	}
	cosines := r.Cosines(i)
	if by == byPairs {
		list := toplist.New(n)
		for j, cosine := range cosines {
			if j != i && cosine > 0 {
				list.Offer(j, cosine)
			}
		}
		return m.neighbours(list.Sorted()), nil
	}
	if cosines[i] == 0 { // without pairs
		return m.search(index, i, n), nil
	}
	return m.neighbours(index.SearchBy(i, n, 1, func(j int, profile float64) float64 {
		if others, _, _ := r.Pairs().Row(j); len(others) == 0 {
			return profile
		}
		return profileShare*profile + (1-profileShare)*cosines[j]
	})), nil
}
