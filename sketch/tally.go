// This file adds up the marginals, and finds the units that shares are rounded to, so that no sum over documents
// depends on their order.

package sketch

import (
	"context"

	"anchorage/internal/exact"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// mostShare is what the shares of an item in the row sums, the diagonal and the product may be in one document, in the
// first pass: the mean over the item's documents, counted by the vocabulary. Without weights no share is above 2. If it
// is exceeded, the pass is made again.
const mostShare = 1 << 8

// units are the units of some sums, one for each row. The product of C with X, all of magnitude at most x, has in row i
// shares whose magnitudes sum to at most x·(RowSums_i + Diagonal_i).
type units []exact.Unit

// units returns the units of a product with vectors of magnitudes up to x.
func (m *Marginals) units(x float64) units {
	u := make(units, len(m.RowSums))
	for i, sum := range m.RowSums {
		u[i] = exact.UnitOf((sum + m.Diagonal[i]) * x)
	}
	return u
}

// tally adds up the marginals of one pass. The shares of an item are rounded to its unit, and added as integers.
type tally struct {
	marginals *Marginals // only counts until the end
	units     units
	rowSums   []int64
	diagonal  []int64
	most      float64 // the greatest share that an item can have in any of the documents
}

// newTally begins a pass over documents in which every item has at most as many documents as frequency says, with
// shares of at most mostShare on average.
func newTally(m *Marginals, frequency []int64, mostShare float64) *tally {
	n := len(frequency)
	t := &tally{marginals: m, units: make(units, n), rowSums: make([]int64, n), diagonal: make([]int64, n)}
	for i, df := range frequency {
		t.units[i] = exact.UnitOf(mostShare * float64(max(df, 1)))
	}
	return t
}

// addDocument adds a document with a pair, in which no item has a greater share than most.
func (t *tally) addDocument(most float64) {
	t.marginals.Documents++
	t.most = max(t.most, most)
}

// add is Marginals.Add.
func (t *tally) add(item, count int32, n, w float64) {
	diagonal, rowSum := t.marginals.shares(item, count, n, w, 1)
	u := t.units[item]
	t.diagonal[item] += u.Whole(diagonal)
	t.rowSums[item] += u.Whole(rowSum)
	t.marginals.DocumentFrequency[item]++
	t.marginals.TermFrequency[item] += int64(count)
}

// finish completes the marginals with the documents of all processes. It reports false if there were more shares, or
// greater ones, than the units are for; then only the counts and most are right.
func (t *tally) finish(ctx context.Context, layout matrix.Layout) (ok bool, err error) {
	m := t.marginals
	documents, most := []int64{m.Documents}, []float64{t.most}
	err = kernel.AddUp(ctx, layout, documents)
	if err == nil {
		err = kernel.Greatest(ctx, layout, most)
	}
	if err == nil {
		err = kernel.AddUpLong(ctx, layout, m.DocumentFrequency, m.TermFrequency, t.rowSums, t.diagonal)
	}
	if err != nil {
		return false, err
	}
	m.Documents, t.most, ok = documents[0], most[0], true
	for i, u := range t.units {
		m.RowSums[i], m.Diagonal[i] = u.Value(t.rowSums[i]), u.Value(t.diagonal[i])
		ok = ok && u.Holds(t.most*float64(m.DocumentFrequency[i]))
	}
	return ok, nil
}
