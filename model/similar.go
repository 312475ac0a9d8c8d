// This file finds the items that are most like an item.

package model

import (
	"context"

	"anchorage/internal/nearest"
	"anchorage/internal/toplist"
)

// Prepare makes the model ready to be asked about its items, so that the first question takes no longer than others: it
// reads the factor and the pairs of items, and takes N×K values of single precision. The error is one of reading.
func (m *Model) Prepare(ctx context.Context) error {
	if _, err := m.profiles(ctx); err != nil {
		return err
	}
	_, _, err := m.Recommender(ctx)
	return err
}

// profiles returns the index of the profiles.
func (m *Model) profiles(ctx context.Context) (*nearest.Index, error) {
	return m.near.get(func() (*nearest.Index, error) {
		vectors, err := m.Vectors(ctx, byProfile)
		if err != nil {
			return nil, err
		}
		return nearest.New(vectors), nil
	})
}

// Neighbour is an item that is like another.
type Neighbour struct {
	ID          string  `json:"item"`
	Similarity  float64 `json:"similarity"`  // cosine of the two vectors: above 0, and 1 if they point the same way
	Documents   int64   `json:"documents"`   // that contain the item, among those that the model was learned from
	Reliability float64 `json:"reliability"` // ρ, from 0 to 1; see Model
	Uncertain   bool    `json:"uncertain"`   // little is known of the item; see Model.Uncertain
}

// Similar returns the n items most like an item, the most similar first: those that occur with the same other items in
// the same proportions, which is what substitutes do. They need not occur together. An empty representation means
// byBest: byBoth if the model has counted pairs of items, else the cosine of byProfile. Fewer than n items are returned
// if no others have a positive cosine, and none for an item that occurs with no other. The search is exact: it compares
// the item with all N. A cosine has the accuracy of single precision, 10⁻⁶. Except for byProfile, byPairs and byBoth
// all vectors are computed again at each call.
//
// The error is an *UnknownItemError if the model does not have the item, an *InputError with the fault NoPairs for
// byPairs and byBoth of a model without pairs, an *OptionError for an unknown representation, or one of reading.
// Several goroutines may call Similar at once; each works on its own processor. The first call reads the factor, unless
// Prepare did.
func (m *Model) Similar(ctx context.Context, id string, n int, by Representation) ([]Neighbour, error) {
	i, err := m.Index(id)
	if err != nil {
		return nil, err
	}
	if by == byBest || by == "" {
		_, pairs, err := m.Recommender(ctx)
		if err != nil {
			return nil, err
		}
		if by = byProfile; pairs != nil {
			by = byBoth
		}
	}
	if by == byProfile {
		index, err := m.profiles(ctx)
		if err != nil {
			return nil, err
		}
		return m.search(index, i, n), nil
	}
	if by == byPairs || by == byBoth {
		return m.similarPairs(ctx, by, i, n)
	}
	vectors, err := m.Vectors(ctx, by)
	if err != nil {
		return nil, err
	}
	return m.search(nearest.New(vectors), i, n), nil
}

func (m *Model) search(index *nearest.Index, i, n int) []Neighbour {
	return m.neighbours(index.Search(i, n, 1))
}

func (m *Model) neighbours(entries []toplist.Entry) []Neighbour {
	found := make([]Neighbour, 0, len(entries))
	for _, e := range entries {
		found = append(found, Neighbour{m.Vocabulary.ID(e.Item), e.Score, m.DocumentFrequency[e.Item],
			m.ReliabilityOf(e.Item), m.Uncertain(e.Item)})
	}
	return found
}

// ReliabilityOf returns ρ of an item, how far its mixture is its own: 1 if the model does not know it.
func (m *Model) ReliabilityOf(i int) float64 {
	if m.Reliability == nil {
		return 1
	}
	return m.Reliability[i]
}

// Uncertain reports whether little is known of item i: more than half of its mixture is the prior, or fewer than 5
// documents contain it. What is said of such an item's topics and of items like it rests on chance.
func (m *Model) Uncertain(i int) bool {
	const reliable, documents = 0.5, 5 // as in anchor.Findings
	return m.ReliabilityOf(i) < reliable || m.DocumentFrequency[i] < documents
}
