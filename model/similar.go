// This file gives items as vectors, by which they are compared, and finds the items that are most like an item.

package model

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"anchorage/internal/kernel"
	"anchorage/internal/nearest"
	"anchorage/matrix"
)

// Vectors returns the profiles of the items, N×K, which belong to the caller: an item's row of the rectified
// co-occurrences Y·Yᵀ, in K coordinates that keep inner products, y_i·(YᵀY)^½. The cosine of two items is that of their
// rows of N co-occurrences: 1 if they occur with the same items in the same proportions. For models without a factor Y
// the rows are those of B·A·Bᵀ, b_i·A·(BᵀB)^½. A model that was loaded reads its factor again, and the error is one of
// reading.
func (m *Model) Vectors(ctx context.Context) (t *matrix.Single, err error) {
	var gram []float64
	if m.HasFactor() {
		if t, err = m.singleFactor(ctx); err != nil {
			return nil, err
		}
		gram = kernel.Gram(ctx, t, t, 0)
	} else {
		t = matrix.SingleOf(m.Items)
		gram = kernel.Gram(ctx, t, t, 0)
		kernel.Transform(ctx, t, m.TopicJoint, t.Cols(), 0)
	}
	root, err := spectral(ctx, gram, t.Cols(), func(x, value, _ float64) float64 { return x * math.Sqrt(max(value, 0)) })
	if err != nil {
		return nil, err
	}
	kernel.Transform(ctx, t, root, t.Cols(), 0)
	return t, ctx.Err()
}

// spectral returns the K×K matrix V′·Vᵀ of the eigenvectors V of gram, where V′ is V with every entry x scaled by its
// eigenvalue, and by the greatest one.
func spectral(ctx context.Context, gram []float64, k int, scale func(x, value, greatest float64) float64) ([]float64,
	error) {
	if err := ctx.Err(); err != nil { // the products are incomplete
		return nil, err
	}
	values, vectors, err := kernel.SymmetricEigen(ctx, gram, k, 0)
	if err != nil {
		return nil, fmt.Errorf("model: the items cannot be compared: %w", err)
	}
	scaled := slices.Clone(vectors)
	for at, x := range scaled {
		scaled[at] = scale(x, values[at%k], values[0])
	}
	return kernel.TimesTransposed(ctx, scaled, vectors, k, k, k), nil
}

// HasFactor reports whether the model has a factor, in memory or on disk.
func (m *Model) HasFactor() bool {
	return m.Factor != nil || m.lent != nil || m.from.has(factorFile)
}

// singleFactor returns a copy of the factor in single precision.
func (m *Model) singleFactor(ctx context.Context) (*matrix.Single, error) {
	switch {
	case m.Factor != nil:
		return matrix.SingleOf(m.Factor), nil
	case m.lent != nil:
		all, err := m.lent.model.singleFactor(ctx)
		if err != nil || m.lent.kept == nil {
			return all, err
		}
		return matrix.Rows(all, m.lent.kept), nil
	}
	n, k := m.Vocabulary.Len(), m.Manifest.Rank()
	t := matrix.NewSingle(n, k)
	rows := rowsColumn("y", n, k, nil, func(row []float64, i int) { convert(t.Row(i), row) })
	return t, table{file: factorFile, rows: n, columns: []column{numbered("index"), rows}}.read(ctx, m.from)
}

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
		vectors, err := m.Vectors(ctx)
		if err != nil {
			return nil, err
		}
		return nearest.New(vectors), nil
	})
}

// Neighbour is an item that is like another.
type Neighbour struct {
	ID          string  `json:"item"`
	Name        string  `json:"name,omitempty"` // where it has one beside its id
	Similarity  float64 `json:"similarity"`     // cosine of the two vectors: above 0, and 1 if they point the same way
	Documents   int64   `json:"documents"`      // that contain the item, among those that the model was learned from
	Reliability float64 `json:"reliability"`    // ρ, from 0 to 1; see Model
	Uncertain   bool    `json:"uncertain"`      // little is known of the item; see Model.Uncertain
	// Lift says how many times as often as by chance the two occur in a document, by their topics.
	Lift float64 `json:"lift"`
}

// profileShare is the share of the profile in the similarity of items that were counted with others; docs/items.md says
// on what it was chosen.
const profileShare = 2.0 / 3

// behind is what the similarity of uncertain items counts, so that they come behind all others.
const behind = 1e-3

// Similar returns the n items most like an item: those that occur with the same other items in the same proportions,
// which is what substitutes do. They need not occur together. The similarity is the cosine of their vectors, see
// Vectors; if the model has counted pairs of both items, two thirds of that and a third of the cosine of
// items.Recommender.Cosines. Items come in the order of similarity times √min(ρ_j/ρ_i, 1): one that is less reliable
// than the item itself is only so likely to be as its row says. Uncertain ones come behind all others. If the item is
// uncertain itself, the order is that of similarity. Fewer than n items are returned if no others have a positive
// cosine, and none for an item that occurs with no other. The search is exact: it compares the item with all N. A
// cosine has the accuracy of single precision, 10⁻⁶.
//
// The error is an *UnknownItemError if the model does not have the item, or one of reading. Several goroutines may
// call Similar at once; each works on its own processor. The first call reads the factor, unless Prepare did.
func (m *Model) Similar(ctx context.Context, id string, n int) ([]Neighbour, error) {
	of, err := m.place(ctx, id)
	if err != nil {
		return nil, err
	}
	r, record, err := m.Recommender(ctx)
	if err != nil {
		return nil, err
	}
	index, err := m.profiles(ctx)
	if err != nil {
		return nil, err
	}
	score := func(_ int, profile float64) float64 { return profile }
	var query []float32
	if of.Folded {
		if query, err = m.profileOf(ctx, of); err != nil {
			return nil, err
		}
	} else if query = index.Row(of.Index); record != nil {
		if cosines := r.Cosines(of.Index); cosines[of.Index] > 0 {
			score = func(j int, profile float64) float64 {
				if others, _, _ := r.Pairs().Row(j); len(others) == 0 {
					return profile
				}
				return profileShare*profile + (1-profileShare)*cosines[j]
			}
		}
	}
	doubtful := uncertain(of.Reliability, of.Documents)
	trust := func(j int) float64 {
		switch {
		case doubtful:
			return 1
		case m.Uncertain(j):
			return behind
		}
		return math.Sqrt(min(m.ReliabilityOf(j)/of.Reliability, 1))
	}
	entries := index.SearchBy(query, of.Index, n, 1,
		func(j int, profile float64) float64 { return score(j, profile) * trust(j) })
	found, lifts := make([]Neighbour, 0, len(entries)), m.lifts(of.mixture)
	for _, e := range entries {
		found = append(found, Neighbour{m.Vocabulary.ID(e.Item), m.OwnName(e.Item), e.Score / trust(e.Item),
			m.DocumentFrequency[e.Item], m.ReliabilityOf(e.Item), m.Uncertain(e.Item),
			floats.Dot(lifts, m.Mixtures.Row(e.Item))})
	}
	return found, nil
}

// lifts returns for each topic how many times as often as by chance a token of it has a token of the given mixture
// beside it: Σ_k p_k·A_kl/(p(k)·p(l)).
func (m *Model) lifts(mixture []float64) []float64 {
	lifts := make([]float64, len(mixture))
	for k, p := range mixture {
		for l := range lifts {
			if chance := m.Shares[k] * m.Shares[l]; chance > 0 {
				lifts[l] += p * m.TopicJoint[k*len(mixture)+l] / chance
			}
		}
	}
	return lifts
}

// profileOf returns the direction of the profile of an item that was folded in: b·R, b its row p(item | topic), where
// B·R is nearest to the profiles of all items.
func (m *Model) profileOf(ctx context.Context, f *Item) ([]float32, error) {
	spread, err := m.spread.get(func() ([]float64, error) {
		profiles, err := m.Vectors(ctx)
		if err != nil {
			return nil, err
		}
		b := matrix.SingleOf(m.Items)
		k, crossed := b.Cols(), kernel.Gram(ctx, b, profiles, 0)
		inverse, err := spectral(ctx, kernel.Gram(ctx, b, b, 0), k, func(x, value, greatest float64) float64 {
			if value > 1e-10*greatest {
				return x / value
			}
			return 0
		})
		if err != nil {
			return nil, err
		}
		return kernel.Times(ctx, inverse, crossed, k, k, profiles.Cols()), ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	profile := make([]float64, len(spread)/m.Topics())
	for k, p := range f.row(m) {
		floats.AddScaled(profile, p, spread[k*len(profile):][:len(profile)])
	}
	length := math.Sqrt(floats.Dot(profile, profile))
	query := make([]float32, len(profile))
	for j, v := range profile {
		if length > 0 {
			query[j] = float32(v / length)
		}
	}
	return query, nil
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
func (m *Model) Uncertain(i int) bool { return uncertain(m.ReliabilityOf(i), m.DocumentFrequency[i]) }

func uncertain(reliability float64, documents int64) bool {
	const reliable, enough = 0.5, 5 // as in anchor.Findings
	return reliability < reliable || documents < enough
}
