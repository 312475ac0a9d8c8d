// This file finds the items that are most like an item by what both were counted with.

package model

import (
	"context"

	"anchorage/internal/toplist"
)

// The ways to compare items that need pairs of items, which are not vectors of K numbers. docs/items.md says when they
// are better than the profile.
const (
	// ByPairs is the cosine of items.Recommender.Cosines.
	ByPairs Representation = "pairs"
	// ByBoth is two thirds of the cosine of ByProfile and one of ByPairs; for items without pairs it is ByProfile.
	ByBoth Representation = "both"
	// ByBest is ByBoth for a model with pairs, and ByProfile for others.
	ByBest Representation = "best"
)

// profileShare is the share of the profile in ByBoth.
const profileShare = 2.0 / 3

// SimilarRepresentations are those of Representations and what else Similar accepts.
func SimilarRepresentations() (names []Representation, help []string) {
	names, help = Representations()
	return append(names, ByPairs, ByBoth, ByBest), append(help, "what an item was counted with", "the profile and, where there are counts, the pairs",
		"both for a model with counted pairs, else profile")
}

// similarPairs is Similar of ByPairs and ByBoth.
func (m *Model) similarPairs(ctx context.Context, by Representation, i, n int) ([]Neighbour, error) {
	r, record, err := m.Recommender(ctx)
	if err != nil {
		return nil, err
	}
	if record == nil {
		return nil, &InputError{Path: m.from.path, Reason: "has no pairs of items", Fault: NoPairs}
	}
	index, err := m.near.get(ctx, m)
	if err != nil {
		return nil, err
	}
	cosines := r.Cosines(i)
	if by == ByPairs {
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
