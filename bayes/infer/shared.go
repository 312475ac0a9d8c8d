// This file is for learning topics whose rows several processes share.

package infer

import (
	"anchorage/internal/kernel"
	"anchorage/internal/process"
	"anchorage/matrix"
)

// learningTolerance is Options.Tolerance where topics are learned.
const learningTolerance = 0.01

// NewShared returns an Inferrer for N items and K topics by Collapsed. This process holds the rows of the layout, and
// the scales of all, N values. The prior is matched to A, joint. Renew must set the rows first. If rows are shared,
// Copy then makes of it what documents can meet. The error is that of New.
//
// Documents come again with other topics, and Expect begins where it ended. So it ends at a tolerance of 0.01.
func NewShared(layout matrix.Layout, n, k int, joint []float64) (*Inferrer, error) {
	o, err := Options{Tolerance: learningTolerance}.Complete()
	if err != nil {
		return nil, err
	}
	first, last := kernel.Held(layout, n)
	if err := process.Reserve(matrix.Bytes[float32](last-first, k) + 8*int64(n)); err != nil {
		return nil, err
	}
	return newInferrer(matrix.NewShared[float32](layout, n, k), joint, o), nil
}

// Table returns the rows of B, each divided by its greatest value: N×K. They belong to the Inferrer, and change in
// Renew.
func (t *Inferrer) Table() *matrix.Single { return t.table }

// Copy sets t to the topics of some items of another Inferrer: item j is its item items[j], and row j of table, which
// then belongs to t, is that item's row of its Table. The prior remains that of the other one, and changes with it. t
// may be the zero value. Its workers remain, and none may be at work.
func (t *Inferrer) Copy(of *Inferrer, table *matrix.Single, items []int32) {
	if table.Rows() != len(items) || table.Cols() != of.k {
		panic("infer: shapes of copied topics do not fit")
	}
	scales := resize(t.scales, len(items))
	for j, item := range items {
		scales[j] = of.scales[item]
	}
	*t = *of
	t.table, t.scales = table, scales
}
