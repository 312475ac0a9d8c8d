// This file measures the convex hull of the anchors.

package metric

import (
	"context"
	"math"

	"anchorage/internal/kernel"
	"anchorage/internal/random"
	"anchorage/matrix"
	"anchorage/sketch"
)

// DefaultHulls is the default number of random hulls with which that of the anchors is compared. Their log volumes differ little: by
// less than 1 for K = 50 and thousands of items.
const DefaultHulls = 10

// LogRelativeVolume is ln vol(S) − mean ln vol(R): it compares the volume of the convex hull of the anchors' rows of C̄, K points in
// N dimensions, with the volumes of opts.Hulls random hulls of K points drawn uniformly from the simplex of N
// dimensions. High is good: the anchors are far apart. (Lee et al. 2021, section 5.)
//
// Profiles is N×K, with row s_k of C̄ as column k. Random points are functions of opts.Seed and the items' keys. The (K−1)-dimensional volume of a
// hull is √det(DᵀD)/(K−1)!, where D (N×(K−1)) are the differences from one of its points. Determinants are products of
// eigenvalues of a Gram matrix in float64. So the volume of a hull flatter than about 1e-7 in some direction cannot be told from
// 0, and the figure is −∞. It holds one more matrix of the size of profiles. The error is that of ctx.
func LogRelativeVolume(ctx context.Context, profiles *matrix.Tall, opts Options) (float64, error) {
	n, k := profiles.Dims()
	hulls, workers := opts.hulls(), opts.Workers
	own, err := logVolume(ctx, profiles.Copy(k), workers)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for hull := range hulls {
		points := matrix.NewTall(n, k)
		if err := fillUniform(ctx, points, hull, &opts); err != nil {
			return 0, err
		}
		volume, err := logVolume(ctx, points, workers)
		if err != nil {
			return 0, err
		}
		sum += volume
	}
	return own - sum/float64(hulls), nil
}

// fillUniform sets the columns of points to independent points of the simplex, uniformly distributed: exponential numbers
// over their sum.
func fillUniform(ctx context.Context, points *matrix.Tall, hull int, opts *Options) error {
	err := eachBlockRow(ctx, points, opts.Workers, func(i int, row []float64) {
		key := random.KeyOf(opts.Key, i)
		for k := range row {
			row[k] = -math.Log(random.Uniform(opts.Seed, random.MetricHulls, key, uint64(hull)<<32|uint64(k)))
		}
	})
	if err != nil {
		return err
	}
	sums := kernel.ColumnSums(points, opts.Workers)
	return eachBlockRow(ctx, points, opts.Workers, func(_ int, row []float64) {
		for k := range row {
			row[k] /= sums[k]
		}
	})
}

// logVolume returns the logarithm of (K−1)! times the volume of the hull of the columns of points, which it overwrites.
func logVolume(ctx context.Context, points *matrix.Tall, workers int) (float64, error) {
	err := eachBlockRow(ctx, points, workers, func(_ int, row []float64) {
		for k := 1; k < len(row); k++ {
			row[k] -= row[0]
		}
		row[0] = 0
	})
	if err != nil {
		return 0, err
	}
	k := points.Cols()
	all := kernel.Gram(ctx, points, points, workers)
	sum := 0.0
	scaled := make([]float64, 0, (k-1)*(k-1)) // the Gram matrix of the differences, each of length 1
	for a := 1; a < k; a++ {
		if all[a*k+a] == 0 {
			return math.Inf(-1), nil
		}
		sum += math.Log(all[a*k+a]) / 2
		for b := 1; b < k; b++ {
			scaled = append(scaled, all[a*k+b]/math.Sqrt(all[a*k+a])/math.Sqrt(all[b*k+b]))
		}
	}
	values, _, err := kernel.LeadingEigen(ctx, scaled, k-1, 0, workers)
	if err != nil {
		return 0, err
	}
	for _, value := range values {
		if value <= 0x1p-50*float64(k)*values[0] { // rounding of the Gram matrix
			return math.Inf(-1), nil
		}
		sum += math.Log(value) / 2
	}
	return sum, nil
}

// eachBlockRow calls fn with every row of t, on several goroutines.
func eachBlockRow(ctx context.Context, t *matrix.Tall, workers int, fn func(i int, row []float64)) error {
	return kernel.Parallel(ctx, workers, t.Blocks(), func(b int) error {
		_, first, last := t.Block(b)
		for i := first; i < last; i++ {
			fn(i, t.Row(i))
		}
		return nil
	})
}

// denseProfiles returns the anchors' rows of C̄ as columns, N×K. Those of anchors with p = 0 are zero.
func denseProfiles(c *matrix.Tall, p []float64, anchors []int) *matrix.Tall {
	profiles := matrix.NewTall(c.Rows(), len(anchors))
	for k, s := range anchors {
		if p[s] > 0 {
			for i, v := range c.Row(s) {
				profiles.Row(i)[k] = v / p[s]
			}
		}
	}
	return profiles
}

// profiles returns the same as denseProfiles without C, in one pass.
func profiles(ctx context.Context, c *sketch.Operator, p []float64, anchors []int) (*matrix.Tall, error) {
	columns, profiles := matrix.NewTall(len(p), len(anchors)), matrix.NewTall(len(p), len(anchors))
	for k, s := range anchors {
		if p[s] > 0 {
			columns.Row(s)[k] = 1 / p[s]
		}
	}
	return profiles, c.Multiply(ctx, profiles, columns)
}
