// This file counts the anchors' rows of C̄ in the documents: what really occurs together with each anchor.

package metric

import (
	"context"
	"slices"

	"anchorage/corpus"
	"anchorage/internal/toplist"
	"anchorage/sketch"
)

// SparseRow is a row of C̄: its items, increasing, with their values, which are positive and sum to 1. The row of an
// item that no document holds with another token is empty.
type SparseRow struct {
	Items  []int32
	Values []float64
}

// AnchorRows are the rows of C̄ of some anchors, exact and sparse.
type AnchorRows struct {
	Items int // N
	Rows  []SparseRow
}

// CountAnchorRows counts the rows of C̄ of the given anchors in one pass over the documents of the marginals. Every
// entry that is not 0 takes 12 bytes, and up to 60 while it is counted. The error is that of pass or ctx.
func CountAnchorRows(ctx context.Context, pass corpus.Pass, m *sketch.Marginals, anchors []int,
	workers int) (*AnchorRows, error) {
	once := slices.Compact(slices.Sorted(slices.Values(anchors)))
	c := newRowCounter(m, once, workers)
	if err := c.count(ctx, pass); err != nil {
		return nil, err
	}
	rows := make([]SparseRow, len(once))
	for r, t := range c.rows {
		rows[r] = t.row()
	}
	all := &AnchorRows{Items: len(m.RowSums)}
	for _, s := range anchors {
		all.Rows = append(all.Rows, rows[c.place[int32(s)]])
	}
	return all, nil
}

// ItemProbability is an item with its p(item | anchor).
type ItemProbability struct {
	Item        int
	Probability float64
}

// Characteristic returns, for every topic, the count items that occur most with its anchor, in decreasing order, with
// their value in the anchor's row of C̄ (Lee et al. 2021, section 5). The anchor is one of them if documents hold it
// several times. Of equal items the first comes first.
func (a *AnchorRows) Characteristic(count int) [][]ItemProbability {
	lists := make([][]ItemProbability, len(a.Rows))
	for k, row := range a.Rows {
		best := toplist.New(count)
		for at, item := range row.Items {
			best.Offer(int(item), row.Values[at])
		}
		for _, e := range best.Sorted() {
			lists[k] = append(lists[k], ItemProbability{e.Item, e.Score})
		}
	}
	return lists
}

// differences returns the inner products of the rows less the first one, (K−1)×(K−1).
func (a *AnchorRows) differences() []float64 {
	d := len(a.Rows) - 1
	less := make([]SparseRow, d)
	for k := range less {
		less[k] = subtract(a.Rows[1+k], a.Rows[0])
	}
	products := make([]float64, d*d)
	for k := range d {
		for l := range k + 1 {
			v := less[k].inner(less[l])
			products[k*d+l], products[l*d+k] = v, v
		}
	}
	return products
}

// subtract returns x − y.
func subtract(x, y SparseRow) SparseRow {
	var z SparseRow
	put := func(item int32, v float64) { z.Items, z.Values = append(z.Items, item), append(z.Values, v) }
	at := 0
	for i, item := range x.Items {
		for ; at < len(y.Items) && y.Items[at] < item; at++ {
			put(y.Items[at], -y.Values[at])
		}
		v := x.Values[i]
		if at < len(y.Items) && y.Items[at] == item {
			v -= y.Values[at]
			at++
		}
		put(item, v)
	}
	for ; at < len(y.Items); at++ {
		put(y.Items[at], -y.Values[at])
	}
	return z
}

// inner returns the inner product of two rows.
func (x SparseRow) inner(y SparseRow) float64 {
	sum, at := 0.0, 0
	for i, item := range x.Items {
		for at < len(y.Items) && y.Items[at] < item {
			at++
		}
		if at == len(y.Items) {
			break
		}
		if y.Items[at] == item {
			sum += x.Values[i] * y.Values[at]
		}
	}
	return sum
}
