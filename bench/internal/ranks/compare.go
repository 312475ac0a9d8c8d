// This file compares the models of two fits.

package ranks

import (
	"context"
	"math"
	"slices"

	"anchorage/model"
)

// Difference says how far a model is from another of as many topics.
type Difference struct {
	Files, EqualFiles int     // tables, and those with the same bytes
	SameAnchors       int     // topics with the same anchor in the same place
	Values            float64 // the greatest relative difference of an eigenvalue
	Joint             float64 // of an entry of A, relative to the greatest entry
	Topics            float64 // ‖B − B'‖_F/‖B‖_F
	Probabilities     float64 // the greatest difference of a p(topic)
}

// compare holds the model at path against the one at want.
func compare(ctx context.Context, want, path string) (d Difference, err error) {
	a, err := model.Load(ctx, want)
	if err != nil {
		return d, err
	}
	b, err := model.Load(ctx, path)
	if err != nil {
		return d, err
	}
	for _, file := range a.Manifest.Outputs {
		d.Files++
		if slices.Contains(b.Manifest.Outputs, file) {
			d.EqualFiles++
		}
	}
	for k, item := range a.Anchors {
		if k < len(b.Anchors) && a.Vocabulary.ID(item) == b.Vocabulary.ID(b.Anchors[k]) {
			d.SameAnchors++
		}
	}
	for i, v := range a.Eigenvalues {
		d.Values = max(d.Values, math.Abs(b.Eigenvalues[i]-v)/math.Abs(v))
	}
	greatest := 0.0
	for i, v := range a.TopicJoint {
		d.Joint, greatest = max(d.Joint, math.Abs(b.TopicJoint[i]-v)), max(greatest, math.Abs(v))
	}
	d.Joint /= greatest
	for k, p := range a.Shares {
		d.Probabilities = max(d.Probabilities, math.Abs(b.Shares[k]-p))
	}
	moved, square := 0.0, 0.0
	for i := range a.Items.Rows() {
		other := b.Items.Row(i)
		for k, v := range a.Items.Row(i) {
			moved += (v - other[k]) * (v - other[k])
			square += v * v
		}
	}
	d.Topics = math.Sqrt(moved / square)
	return d, nil
}
