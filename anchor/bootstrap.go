// This file prepares the search for topics in bootstrap resamples of the documents: it changes coordinates and picks the items to search.

package anchor

import (
	"cmp"
	"context"
	"math"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/internal/toplist"
	"anchorage/matrix"
)

// ResamplingOptions say how topics are found again.
type ResamplingOptions struct {
	// Probabilities are the row sums of C, and SamplingVariance the noise of Options, N values each.
	Probabilities, SamplingVariance []float64
	// MinDF and DocumentFrequency are as in Options.
	MinDF             int64
	DocumentFrequency []int64
	// Candidates is how many items per topic may become anchors of a resample; 0 for CandidatesPerTopic.
	Candidates int
	Workers    int // goroutines; 0 for as many as there are processors
}

// CandidatesPerTopic is the usual number of items per topic that are searched for anchors in every resample.
const CandidatesPerTopic = 20

// MostCandidates returns the greatest number of items that are searched for anchors, for k topics and so many per topic.
func MostCandidates(k, perTopic int) int { return k * (perTopic + 1) }

// ResamplingBytes returns the memory of a Resampling of n items, k topics and some candidates, and of what Evaluate takes for resamples,
// without the sums.
func ResamplingBytes(n, k, candidates, resamples, workers int) int64 {
	const numbers = 3 * 8 // probabilities, scaled noise, scores
	return numbers*int64(n) + 16*int64(resamples)*int64(k) + int64(3+kernel.Workers(workers))*matrix.Bytes[float64](candidates, k)
}

// Resampling finds topics again in resamples of the documents, from the rows of some items, the candidates, and the mean row of all.
type Resampling struct {
	Items []int // the candidates, increasing

	topics         *Topics
	toRow, toBasis []float64 // as in basis, K×K
	mean           []float64 // the mean row of the rectified C̄, Σ_i d_i·X_i / Σ_i d_i
	noise          []float64 // of the candidates' rows
	scale          []float64 // p_i/d_i of the candidates
	rows, mixtures []float64 // of the candidates, those of the factor and of Mixtures, K values each
	workers        int
}

// Resampling prepares the search. It leaves the topics as they are. Topics of a dense C panic. Several ranks have the same of everything in a
// Resampling. The error is that of ctx.
func (t *Topics) Resampling(ctx context.Context, opts ResamplingOptions) (*Resampling, error) {
	if t.factor == nil {
		panic("anchor: topics of a dense C cannot be resampled")
	}
	n := len(t.RowSums)
	if len(opts.Probabilities) != n || len(opts.SamplingVariance) != n || opts.MinDF > 1 && len(opts.DocumentFrequency) != n {
		panic("anchor: number of probabilities or variances is not the number of items")
	}
	ctx = t.within(ctx)
	r := &Resampling{topics: t, workers: opts.Workers}
	if err := r.changeCoordinates(ctx); err != nil {
		return nil, err
	}
	noise := scaledNoise(opts.SamplingVariance, opts.Probabilities, t.RowSums)
	if err := r.choose(ctx, noise, &opts); err != nil {
		return nil, err
	}
	for _, i := range r.Items {
		r.noise = append(r.noise, resampledVariance*noise[i])
		r.scale = append(r.scale, opts.Probabilities[i]/t.RowSums[i])
	}
	var err error
	if r.rows, err = kernel.RowsOf(ctx, t.factor, r.Items); err != nil {
		return nil, err
	}
	r.mixtures, err = kernel.RowsOf(ctx, t.Mixtures, r.Items)
	return r, err
}

// mixture returns the mixture of a candidate.
func (r *Resampling) mixture(place int) []float64 {
	k := r.topics.K
	return r.mixtures[place*k : (place+1)*k]
}

// resampledVariance is how many times the variance of a row's sample a row of a resample varies around the truth: that of the sample
// and, once more, that of the resample around it.
const resampledVariance = 2

// changeCoordinates sets toRow and toBasis, from the eigenpairs W·Σ²·Wᵀ of YᵀY, and the mean row.
func (r *Resampling) changeCoordinates(ctx context.Context) error {
	y, k := r.topics.factor, r.topics.K
	values, vectors, err := kernel.SymmetricEigen(ctx, kernel.Gram(ctx, y, y, r.workers), k, r.workers)
	if err != nil {
		return err
	}
	r.toRow, r.toBasis = make([]float64, k*k), make([]float64, k*k)
	for at, w := range vectors {
		length := math.Sqrt(max(values[at%k], machinePrecision*values[0]))
		r.toRow[at], r.toBasis[at] = w*length, w/length
	}
	total := 0.0
	for _, d := range r.topics.RowSums {
		total += d
	}
	r.mean = make([]float64, k)
	r.rotate(r.mean, kernel.ColumnSums(ctx, y, r.workers), r.toRow, 1/total)
	return ctx.Err()
}

// rotate sets dst to scale times row, a row of K values, times a K×K matrix.
func (r *Resampling) rotate(dst, row, by []float64, scale float64) {
	clear(dst)
	for j, v := range row {
		for at, w := range by[j*len(row):][:len(dst)] {
			dst[at] += scale * v * w
		}
	}
}

// choose sets Items: the anchors, the items that make up most of every topic, and those whose rows are longest beyond their noise.
func (r *Resampling) choose(ctx context.Context, noise []float64, opts *ResamplingOptions) error {
	t, k := r.topics, r.topics.K
	scores := make([]float64, len(t.RowSums))
	err := eachRange(ctx, r.workers, len(scores), func(_, first, last int) error {
		row := make([]float64, k)
		for i := first; i < last; i++ {
			if d := t.RowSums[i]; d > 0 && opts.Probabilities[i] > 0 && (opts.MinDF <= 1 || opts.DocumentFrequency[i] >= opts.MinDF) {
				r.rotate(row, t.factor.Row(i), r.toRow, 1/d)
				scores[i] = max(dot(row, row)-boundDeviations*boundDeviations*noise[i], 0)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	most := cmp.Or(opts.Candidates, CandidatesPerTopic)
	lists, err := toplist.Shared(ctx, len(scores), k, most/2, r.workers, func(dst []float64, i int) { // half of them by topic
		for topic, share := range t.Mixtures.Row(i) {
			if dst[topic] = 0; scores[i] > 0 {
				dst[topic] = share * share * t.RowSums[i]
			}
		}
	})
	if err != nil {
		return err
	}
	longest, err := toplist.Shared(ctx, len(scores), 1, (most-most/2)*k, r.workers, func(dst []float64, i int) { dst[0] = scores[i] })
	if err != nil {
		return err
	}
	r.Items = slices.Clone(t.Anchors)
	for _, list := range append(lists, longest...) {
		for _, e := range list {
			if e.Score > 0 {
				r.Items = append(r.Items, e.Item)
			}
		}
	}
	slices.Sort(r.Items)
	r.Items = slices.Compact(r.Items)
	return ctx.Err()
}
