// This file uses the evidence: how much of an item's mixture is its own.

package anchor

import (
	"context"
	"math"

	"anchorage/internal/aligned"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// notePivots keeps the anchors' norms and margins and, with noise, whether they stood out.
func (t *Topics) notePivots(pivots []pivot) {
	for _, p := range pivots {
		t.Pivots = append(t.Pivots, p.norm)
		t.Margins = append(t.Margins, p.margin)
		if t.Reliability != nil {
			t.Certain = append(t.Certain, p.certain)
		}
	}
}

func itemsOf(pivots []pivot) []int {
	items := make([]int, len(pivots))
	for i, p := range pivots {
		items[i] = p.item
	}
	return items
}

// reliabilities returns ρ_i = s_i/(s_i + σ²_i) of the rows of x̃ = diag(d)·X, with s_i = ‖X_i − X̄‖² and X̄ = Σ x̃_i/Σ
// d_i, by their first width coordinates. noise has σ².
func reliabilities[T aligned.Real](ctx context.Context, x *matrix.TallOf[T], width int, weights, noise []float64,
	workers int) ([]float64, error) {
	mean, err := sumRanges(ctx, x.Layout(), workers, len(weights), width+1, func(sum []float64, first, last int) {
		for i := first; i < last; i++ {
			if weights[i] > 0 {
				for j, v := range x.Row(i)[:width] {
					sum[j] += float64(v)
				}
				sum[width] += weights[i]
			}
		}
	})
	if err != nil {
		return nil, err
	}
	reliability := make([]float64, len(weights))
	err = eachItem(ctx, x.Layout(), workers, len(weights), func(i int) error {
		if weights[i] <= 0 {
			return nil
		}
		signal := 0.0
		for j, v := range x.Row(i)[:width] {
			difference := float64(v)/weights[i] - mean[j]/mean[width]
			signal += difference * difference
		}
		if signal > 0 {
			reliability[i] = signal / (signal + noise[i])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return reliability, kernel.Complete(ctx, x.Layout(), reliability)
}

// shrink draws the mixtures towards the prior: B̆_i becomes ρ_i·B̆_i + (1−ρ_i)·p(topic). Masses and Prior change with
// them.
func (t *Topics) shrink(ctx context.Context, opts *Options) error {
	if t.Reliability == nil {
		return nil
	}
	err := kernel.EachRow(ctx, t.Mixtures, opts.Workers, func(i int, row []float64) {
		own := t.Reliability[i]
		for k, p := range row {
			row[k] = own*p + (1-own)*t.Prior[k]
		}
	})
	if err != nil {
		return err
	}
	return t.Reweigh(ctx)
}

// scaledNoise returns the noise of rows that are divided by weights instead of the true row sums, nil without noise.
// Where the weight is greater the noise stays as it is: the factor makes the row of a rare item longer, but not more
// certain.
func scaledNoise(noise, rowSums, weights []float64) []float64 {
	if noise == nil {
		return nil
	}
	scaled := make([]float64, len(noise))
	for i, variance := range noise {
		scaled[i] = math.Inf(1)
		if weights[i] > 0 {
			ratio := max(rowSums[i]/weights[i], 1)
			scaled[i] = variance * ratio * ratio
		}
	}
	return scaled
}
