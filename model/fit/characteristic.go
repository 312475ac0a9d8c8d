// This file lists the characteristic items of topics: those that occur most beside the anchors.

package fit

import (
	"context"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/internal/toplist"
	"anchorage/matrix"
	"anchorage/metric"
	"anchorage/model"
)

// Where characteristic items are from; see model.AnchorRecord.Characteristic.
const (
	OfDocuments = "documents"
	OfFactor    = "factor"
	OfBoth      = "both"
)

// characterize sets the characteristic items of topics with anchors: by the anchors' rows of C̄ as it was counted, in a
// pass over the documents, or by those of the factor where docs is nil.
func (f *Fitted) characterize(ctx context.Context, docs *corpus.Corpus, whole bool) (err error) {
	t := f.Topics
	f.Manifest.Anchor.WholeRow = whole
	if docs == nil {
		f.Manifest.Anchor.Characteristic = OfFactor
		f.Characteristic, err = f.besideOfFactor(ctx, whole)
		return err
	}
	f.Manifest.Anchor.Characteristic = OfDocuments
	lists, err := metric.CountBeside(ctx, f.run.watched(docs, "rows"), &f.Marginals, t.Anchors,
		metric.BesideOptions{Count: model.TopItems, Hidden: func(item int) bool { return f.hidden[item] }, Whole: whole,
			Bytes: rowsBytes(len(t.RowSums)/kernel.Sharers(docs.Layout()), t.K), Workers: f.run.Workers,
			Layout: docs.Layout()})
	if err != nil {
		return err
	}
	f.Characteristic = make([][]model.Listed, t.K)
	for k, list := range lists {
		for _, b := range list {
			f.Characteristic[k] = append(f.Characteristic[k], model.Listed{Item: b.Item, Probability: b.Whole,
				Weighted: b.Probability})
		}
	}
	return nil
}

// rowsBytes returns about how much the counted rows of k anchors may take at once, where a process holds n rows of
// other matrices: less than the search for the anchors took before, unless these are small. What takes more is counted
// in several passes.
func rowsBytes(n, k int) int64 { return max(matrix.Bytes[float32](n, k), leastRowsBytes) }

const leastRowsBytes = 8 << 20

// besideOfFactor returns, for every topic, the items that co-occur most with its anchor in the rectified
// co-occurrences, without the anchor unless itself is true. The error is that of ctx.
func (f *Fitted) besideOfFactor(ctx context.Context, itself bool) ([][]model.Listed, error) {
	t, whole := f.Topics, f.thinning(ctx)
	out := make([][]model.Listed, t.K)
	row := make([]float64, len(t.RowSums))
	for k := range out {
		if err := t.CharacteristicRow(ctx, row, k); err != nil {
			return nil, err
		}
		scale := whole.Scale(ctx, t.Mixtures.Layout(), row)
		best, err := toplist.Shared(ctx, t.Mixtures.Layout(), len(row), 1, model.TopItems, 0, func(dst []float64, i int) {
			if dst[0] = row[i]; i == t.Anchors[k] && !itself || f.hidden[i] {
				dst[0] = 0
			}
		})
		if err != nil {
			return nil, err
		}
		for _, e := range best[0] {
			out[k] = append(out[k], model.Listed{Item: e.Item, Probability: whole.Item(e.Score, e.Item, scale),
				Weighted: e.Score})
		}
	}
	return out, ctx.Err()
}
