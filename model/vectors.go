// This file gives items as vectors, by which they are compared.

package model

import (
	"context"
	"fmt"
	"math"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// Vectors returns the profiles of the items, N×K, which belong to the caller: an item's row of the rectified
// co-occurrences Y·Yᵀ, in K coordinates that keep inner products, y_i·(YᵀY)^½. The cosine of two items is that of their
// rows of N co-occurrences: 1 if they occur with the same items in the same proportions. For models without a factor Y
// the rows are those of B·A·Bᵀ, b_i·A·(BᵀB)^½. A model that was loaded reads its factor again, and the error is one of
// reading.
func (m *Model) Vectors(ctx context.Context) (*matrix.Single, error) {
	if !m.HasFactor() {
		t := matrix.SingleOf(m.Items)
		gram := kernel.Gram(ctx, t, t, 0)
		kernel.Transform(ctx, t, m.TopicJoint, t.Cols(), 0)
		return t, rotate(ctx, t, gram)
	}
	t, err := m.singleFactor(ctx)
	if err != nil {
		return nil, err
	}
	return t, rotate(ctx, t, kernel.Gram(ctx, t, t, 0))
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
	n, k := m.Vocabulary.Len(), m.Manifest.Rank()
	t := matrix.NewSingle(n, k)
	rows := rowsColumn("y", n, k, nil, func(row []float64, i int) { convert(t.Row(i), row) })
	return t, table{file: factorFile, rows: n, columns: []column{numbered("index"), rows}}.read(ctx, m.from)
}
