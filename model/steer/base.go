// This file reads a model with what its topics were found from, so that they can be changed without the documents.

package steer

import (
	"context"

	"anchorage/anchor"
	"anchorage/internal/objects"
	"anchorage/internal/toplist"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/model/thinning"
)

// base is the model of a session, with the rows in which its topics were found.
type base struct {
	*model.Model
	Rows *anchor.Rows
	// Tokens are the row sums d by which the topics weigh items: p(item | topic) is in proportion to p(topic | item)·d.
	// They are those of whole documents and sum to 1, N values; 0 for items without weight.
	Tokens []float64
	SHA256 string // of the model's manifest.json, in hexadecimal
}

// load reads a model to be steered.
func load(ctx context.Context, path string, run *fit.Run) (*base, error) {
	defer run.Stage("load")()
	m, err := model.Load(ctx, path)
	if err != nil {
		return nil, err
	}
	if m.Manifest.Anchor == nil || !m.HasFactor() {
		return nil, &model.InputError{Path: path, Reason: "is a model without anchors and a factor, which cannot be steered",
			Fault: model.NoFactor}
	}
	digest, _, err := objects.Digest(ctx, objects.Join(path, model.ManifestFile))
	if err != nil {
		return nil, err
	}
	b := &base{Model: m, SHA256: digest, Tokens: m.Tokens()}
	return b, b.readRows(ctx, path, run.Workers)
}

// readRows reads the evidence, and sets Rows.
func (b *base) readRows(ctx context.Context, path string, workers int) error {
	err := b.ReadRest(ctx)
	if err != nil {
		return err
	}
	y, leading := b.Factor, b.Eigen.Leading
	b.Factor, b.Eigen.Leading = nil, nil // only the rows are kept
	opts := anchor.RowsOptions{RowSums: anchor.RowSumsFactor, Probabilities: b.WeightedProbability,
		Reliability: b.Reliability, Workers: workers}
	if b.Manifest.Anchor.RowSums == "exact" {
		opts.RowSums = anchor.RowSumsExact
	}
	if b.Evidence != nil {
		opts.SamplingVariance = b.Evidence.SamplingVariance
	}
	// Guards are the leading vectors beyond those of the factor, where their values are known.
	values, rank := b.Manifest.Sketch.GuardValues, b.Manifest.Rank()
	if leading != nil && len(values) > 0 {
		if leading.Cols() < rank+len(values) {
			return &model.InputError{Path: path, Fault: model.Damaged, Reason: "has a manifest with more values than leading " +
				"vectors"}
		}
		opts.Guards, opts.GuardValues = matrix.NewSingle(leading.Rows(), len(values)), values
		for i := range leading.Rows() {
			copy(opts.Guards.Row(i), leading.Row(i)[rank:])
		}
	}
	b.Rows, err = anchor.NewRows(ctx, y, opts)
	return err
}

// normalize divides values by their sum.
func normalize(values []float64) {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	for i := range values {
		values[i] /= sum
	}
}

// beside returns the items that co-occur most with an item in the factor, without itself, and their probabilities. The
// error is that of ctx.
func (b *base) beside(ctx context.Context, item, count int) ([]model.Listed, error) {
	row := make([]float64, b.Vocabulary.Len())
	if err := b.Rows.Beside(ctx, row, item); err != nil {
		return nil, err
	}
	best := toplist.New(count)
	for i, p := range row {
		if i != item && p > 0 {
			best.Offer(i, p)
		}
	}
	whole := thinning.OfItems(b.Weights).Items(row)
	list := make([]model.Listed, 0, count)
	for _, e := range best.Sorted() {
		list = append(list, model.Listed{Item: e.Item, Probability: whole[e.Item], Weighted: e.Score})
	}
	return list, nil
}
