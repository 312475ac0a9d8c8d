// This file gives items as vectors: the forms in which items can be compared.

package model

import (
	"context"
	"fmt"
	"math"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// Representation says which vector represents an item.
type Representation string

// The representations. All have K columns. docs/items.md says how well each finds substitutes.
const (
	// byProfile is the item's row of the rectified co-occurrences Y·Yᵀ, in K coordinates that keep inner products:
	// y_i·(YᵀY)^½. The cosine of two items is that of their rows of N co-occurrences: 1 if they occur with the same items
	// in the same proportions. For models without a factor Y the rows are those of B·A·Bᵀ, b_i·A·(BᵀB)^½.
	byProfile Representation = "profile"
	// byFactor is the item's row of Y. Models without a factor do not have it.
	byFactor Representation = "factor"
	// byMixture is p(topic | item). It sums to 1.
	byMixture Representation = "mixture"
)

// representation is what a Representation is made of.
type representation struct {
	name Representation
	help string
	make func(ctx context.Context, m *Model) (*matrix.Single, error)
}

// representations is the table of all, the default first.
var representations = []representation{
	{byProfile, "an item's rectified co-occurrences with all others", func(ctx context.Context,
		m *Model) (*matrix.Single, error) {
		if !m.HasFactor() {
			return m.topicProfiles(ctx)
		}
		t, err := m.singleFactor(ctx)
		if err != nil {
			return nil, err
		}
		return t, rotate(ctx, t, kernel.Gram(ctx, t, t, 0))
	}},
	{byFactor, "an item's row of the factor Y", func(ctx context.Context, m *Model) (*matrix.Single, error) {
		if !m.HasFactor() {
			return nil, m.wrong("", "", "has no factor")
		}
		return m.singleFactor(ctx)
	}},
	{byMixture, "an item's topics", func(_ context.Context, m *Model) (*matrix.Single, error) {
		return matrix.SingleOf(m.Mixtures), nil
	}},
}

// Representations returns the names of the representations with a line of help each, the default first; with similar
// also those that only Similar accepts.
func Representations(similar bool) (names []Representation, help []string) {
	for _, r := range representations {
		names, help = append(names, r.name), append(help, r.help)
	}
	if similar {
		names = append(names, byPairs, byBoth, byBest)
		help = append(help, "what an item was counted with", "the profile and, where there are counts, the pairs",
			"both for a model with counted pairs, else profile")
	}
	return names, help
}

// Vectors returns a matrix with a vector per item, N×K, which belongs to the caller. A model that was loaded reads its
// factor again. The error is an *OptionError for an unknown representation, an *InputError if the model does not have
// it, or one of reading.
func (m *Model) Vectors(ctx context.Context, by Representation) (*matrix.Single, error) {
	at := slices.IndexFunc(representations, func(r representation) bool { return r.name == by })
	if at < 0 {
		return nil, badOption("Representation", "unknown representation %q", by)
	}
	return representations[at].make(ctx, m)
}

// topicProfiles returns B·A·(BᵀB)^½, whose rows have the inner products of the rows of B·A·Bᵀ.
func (m *Model) topicProfiles(ctx context.Context) (*matrix.Single, error) {
	t := matrix.SingleOf(m.Items)
	gram := kernel.Gram(ctx, t, t, 0)
	kernel.Transform(ctx, t, m.TopicJoint, t.Cols(), 0)
	return t, rotate(ctx, t, gram)
}

// rotate replaces t by t·gram^½.
func rotate(ctx context.Context, t *matrix.Single, gram []float64) error {
	if err := ctx.Err(); err != nil { // the products are incomplete
		return err
	}
	k := t.Cols()
	values, vectors, err := kernel.SymmetricEigen(ctx, gram, k, 0)
	if err != nil {
		return fmt.Errorf("model: the items cannot be compared: %w", err)
	}
	scaled := slices.Clone(vectors)
	for i := range scaled {
		scaled[i] *= math.Sqrt(max(values[i%k], 0))
	}
	kernel.Transform(ctx, t, kernel.TimesTransposed(ctx, scaled, vectors, k, k, k), k, 0)
	return ctx.Err()
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
	return readFactor(ctx, m.from, m.Vocabulary.Len(), m.Manifest.rank())
}

// readFactor reads the factor of a directory in single precision.
func readFactor(ctx context.Context, from *Directory, n, k int) (*matrix.Single, error) {
	t := matrix.NewSingle(n, k)
	rows := rowsColumn("y", n, k, nil, func(row []float64, i int) { convert(t.Row(i), row) })
	return t, table{file: factorFile, rows: n, columns: []column{numbered("index"), rows}}.read(ctx, from)
}
