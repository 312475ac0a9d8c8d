// This file measures the convex hull of the anchors.

package metric

import (
	"context"
	"math"

	"anchorage/internal/kernel"
)

// DefaultHulls is the default number of random hulls with which that of the anchors is compared, for up to
// hullItems/DefaultHulls items; with more items they are fewer, at least leastHulls. Their log volumes differ little,
// and the less the more items there are: by 0.2 with N = 250 and K = 20, and about in proportion to K/√N.
const DefaultHulls = 10

const (
	hullItems  = 1 << 17
	leastHulls = 2
)

// LogRelativeVolume is ln vol(S) − mean ln vol(R): it compares the volume of the convex hull of the anchors' rows of
// C̄, K points in N dimensions, with the volumes of opts.Hulls random hulls. High is good: the anchors are far apart.
// (Lee et al. 2021, section 5.)
//
// A random hull is that of the anchors of a random C̄: every row is drawn uniformly from the simplex of N dimensions,
// and QR with column pivoting selects K of the rows; see randomVolume for what is left out if N is large. Random
// numbers are functions of opts.Seed and the items' keys.
//
// The (K−1)-dimensional volume of a hull is √det(DᵀD)/(K−1)!, where D (N×(K−1)) are the differences from one of its
// points. Determinants are products of eigenvalues of a Gram matrix in float64. So the volume of a hull flatter than
// about 1e-7 in some direction cannot be told from 0, and the figure is −∞. Memory: that of one random hull; see
// randomVolume. The error is that of ctx.
func LogRelativeVolume(ctx context.Context, rows *AnchorRows, opts Options) (float64, error) {
	return logRelativeVolume(ctx, rows, opts, usualLimits)
}

// logRelativeVolume is LogRelativeVolume with other limits for random hulls.
func logRelativeVolume(ctx context.Context, rows *AnchorRows, opts Options, limits hullLimits) (float64, error) {
	own, err := logVolume(ctx, rows.differences(), len(rows.Rows)-1, opts.Workers)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	hulls := opts.hulls(rows.Items)
	for hull := range hulls {
		volume, err := randomVolume(ctx, rows.Items, len(rows.Rows), hull, &opts, limits)
		if err != nil {
			return 0, err
		}
		sum += volume
	}
	return own - sum/float64(hulls), nil
}

// logVolume returns the logarithm of d! times the volume of a simplex of d dimensions, given the inner products, d×d,
// of the differences of its other points from one of them.
func logVolume(ctx context.Context, differences []float64, d, workers int) (float64, error) {
	if d == 0 {
		return 0, nil
	}
	sum := 0.0
	scaled := make([]float64, 0, d*d) // for differences of length 1
	for a := range d {
		length := differences[a*d+a]
		if !(length > 0) {
			return math.Inf(-1), nil
		}
		sum += math.Log(length) / 2
		for b := range d {
			scaled = append(scaled, differences[a*d+b]/math.Sqrt(length)/math.Sqrt(differences[b*d+b]))
		}
	}
	values, _, err := kernel.LeadingEigen(ctx, scaled, d, 0, workers)
	if err != nil {
		return 0, err
	}
	for _, value := range values {
		if value <= 0x1p-50*float64(d+1)*values[0] { // rounding of the inner products
			return math.Inf(-1), nil
		}
		sum += math.Log(value) / 2
	}
	return sum, nil
}
