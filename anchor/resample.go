// This file finds topics again in bootstrap resamples of the documents, and estimates their shares anew.

package anchor

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"anchorage/internal/collective"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// Stability is what resamples say of the topics.
type Stability struct {
	// Found is, for every topic, the share of resamples in which it is found again. As in Topics.InHalves, one of the K anchors that are
	// selected by the rows of the resample stands out from noise and has the topic for at least half of its mixture. And its norm, less
	// its components along the anchors before it, must be more than that of all N rows by noise alone; see Resampling.chance.
	Found []float64
	// Moves are the differences of p(topic) in each resample to that of all documents, n×K; NaN where a resample does not have the topic.
	Moves []float64
}

// again is what one resample has found.
type again struct {
	found  []bool
	shares []float64 // NaN for topics that the resample does not have
}

// Evaluate finds the topics in n resamples, given the sums over documents that sketch.MeasureResamples returns for the factor and the
// candidates.
//
// The rows of a resample are those of the rectified C̄, moved as the resample moves the rows of C̄ (x_i in sketch.Evidence), and so is
// the mean row x̄. From them it goes the way of LAW with Polish: anchors, mixtures of the candidates, and the mean rows T of the
// candidates with a share of 0.6 or more in a topic. Other than in Polish, an anchor always belongs to its own topic, so that no topic
// is without a candidate. If all rows are mixtures of T, its shares s satisfy s·T = x̄. A topic of the
// resample is the topic of the fit that makes up at least half of the mixtures behind its row of T. The same way with all documents
// once gives the shares that Moves are counted from. Several ranks, each with all sums, divide the resamples among them. The error is that of
// ctx.
func (r *Resampling) Evaluate(ctx context.Context, n int, sums, rows, means []float64) (*Stability, error) {
	k := r.topics.K
	if len(sums) != (n+1)*len(r.Items) || len(rows) != len(sums)*k || len(means) != (n+1)*k {
		panic("anchor: shapes of the resamples do not fit")
	}
	results, err := r.all(r.topics.within(ctx), n, sums, rows, means)
	if err != nil {
		return nil, err
	}
	s := &Stability{Found: make([]float64, k), Moves: make([]float64, n*k)}
	for at, result := range results[:n] {
		for topic, found := range result.found {
			if found {
				s.Found[topic]++
			}
			s.Moves[at*k+topic] = result.shares[topic] - results[n].shares[topic]
		}
	}
	for topic := range s.Found {
		s.Found[topic] /= float64(n)
	}
	return s, nil
}

// all finds the topics in the n resamples and, at the end, in the documents themselves. Rank r of P takes those with a number of r modulo P.
func (r *Resampling) all(ctx context.Context, n int, sums, rows, means []float64) ([]again, error) {
	c, k := collective.From(ctx), r.topics.K
	own := make([]float64, (n+c.Size()-c.Rank())/c.Size()*2*k) // of each K values, 1 for found topics, and K shares
	err := kernel.Parallel(ctx, r.workers, len(own)/(2*k), func(turn int) error {
		result, err := r.once(collective.Alone(ctx), turn*c.Size()+c.Rank(), n, sums, rows, means)
		if err != nil {
			return err
		}
		of := own[turn*2*k:][:2*k]
		for topic, found := range result.found {
			if found {
				of[topic] = 1
			}
		}
		copy(of[k:], result.shares)
		return nil
	})
	if err != nil {
		return nil, err
	}
	all, err := collective.AllGather(ctx, c, own)
	if err != nil {
		return nil, err
	}
	results := make([]again, n+1)
	for at := range results {
		of := all[at%c.Size()][at/c.Size()*2*k:][:2*k]
		results[at] = again{make([]bool, k), of[k:]}
		for topic := range k {
			results[at].found[topic] = of[topic] == 1
		}
	}
	return results, nil
}

// once finds the topics in resample number at of n.
func (r *Resampling) once(ctx context.Context, at, n int, sums, rows, means []float64) (again, error) {
	k := r.topics.K
	result := again{make([]bool, k), make([]float64, k)}
	for topic := range result.shares {
		result.shares[topic] = math.NaN()
	}
	x, weights := r.rowsOf(at, n, sums, rows)
	scale := make([]float64, len(weights))
	for place, weight := range weights {
		if weight > 0 && finite(r.noise[place]) {
			scale[place] = 1
		}
	}
	pivots, err := selectPivots(ctx, x, scale, k, &Options{SamplingVariance: r.noise, Workers: 1})
	var rank *RankError
	if errors.As(err, &rank) {
		return result, nil // too few candidates for as many topics
	}
	if err != nil {
		return result, err
	}
	for step, p := range pivots {
		if p.certain && p.norm*p.norm > r.noise[p.item]/float64(k)*r.chance(k-step) {
			for topic, share := range r.mixture(p.item) {
				result.found[topic] = result.found[topic] || share >= 0.5
			}
		}
	}
	mean, move := make([]float64, k), make([]float64, k)
	for j := range move {
		move[j] = means[at*k+j] - means[n*k+j]
	}
	r.rotate(mean, move, r.toBasis, 1)
	addTo(mean, r.mean)
	r.share(result.shares, x, weights, mean, itemsOf(pivots))
	return result, nil
}

// rowsOf returns the rows of the candidates in a resample, K values each, and the sums by which they were divided, up to a factor: 0 where
// the resample has no document of the candidate.
func (r *Resampling) rowsOf(at, n int, sums, rows []float64) (x *matrix.Tall, weights []float64) {
	t, k := r.topics, r.topics.K
	x, weights = matrix.NewTall(len(r.Items), k), make([]float64, len(r.Items))
	difference, move := make([]float64, k), make([]float64, k)
	for place, i := range r.Items {
		here, all := at*len(r.Items)+place, n*len(r.Items)+place
		if !(sums[here] > 0) {
			continue
		}
		weights[place] = t.RowSums[i] * sums[here] / sums[all]
		for j := range k {
			difference[j] = rows[here*k+j]/sums[here] - rows[all*k+j]/sums[all]
		}
		r.rotate(move, difference, r.toBasis, r.scale[place])
		row := x.Row(place)
		r.rotate(row, r.rows[place*k:][:k], r.toRow, 1/t.RowSums[i])
		addTo(row, move)
	}
	return x, weights
}

// share sets dst to the shares of the topics in a resample with the given rows, weights, mean row, and candidates as anchors. Topics that
// the resample does not have keep their values, as do all if the mean rows of its topics do not tell them apart.
func (r *Resampling) share(dst []float64, x *matrix.Tall, weights, mean []float64, anchors []int) {
	k := len(dst)
	topicOf := r.assign(x, anchors)
	means, totals, origin := mat.NewDense(k, k, nil), make([]float64, k), make([]float64, k*k)
	for place, topic := range topicOf {
		if topic >= 0 && weights[place] > 0 {
			totals[topic] += weights[place]
			addScaled(means.RawRowView(int(topic)), weights[place], x.Row(place))
			addScaled(origin[int(topic)*k:][:k], weights[place], r.mixture(place))
		}
	}
	for topic, total := range totals {
		for j := range k {
			means.Set(topic, j, means.At(topic, j)/total)
		}
	}
	var shares mat.Dense
	err := shares.Solve(means.T(), mat.NewDense(k, 1, mean))
	var condition mat.Condition
	if err != nil && (!errors.As(err, &condition) || math.IsInf(float64(condition), 1)) {
		return
	}
	for topic, total := range totals {
		for of, weight := range origin[topic*k:][:k] {
			if weight < 0.5*total {
				continue
			}
			if math.IsNaN(dst[of]) {
				dst[of] = 0
			}
			dst[of] += shares.At(topic, 0)
		}
	}
}

// assign returns the topic of the resample that each candidate belongs to, −1 for none; anchors belong to their own.
func (r *Resampling) assign(x *matrix.Tall, anchors []int) []int32 {
	k := len(anchors)
	gram := make([]float64, k*k)
	for a, s := range anchors {
		for b, t := range anchors {
			gram[a*k+b] = dot(x.Row(s), x.Row(t))
		}
	}
	solver, products := newActiveSet(newSimplexPoints(gram, k)), make([]float64, k)
	topicOf := make([]int32, x.Rows())
	for place := range topicOf {
		for a, s := range anchors {
			products[a] = dot(x.Row(s), x.Row(place))
		}
		solver.solve(products)
		topicOf[place] = topicBy(solver.b[:k])
	}
	for a, s := range anchors {
		topicOf[s] = int32(a)
	}
	return topicOf
}

// chance returns what a chi-squared number of ν degrees of freedom exceeds with a probability of at most 1/(20·N): ν + 2·√(ν·x) + 2·x with
// x = ln(20·N) (Laurent & Massart, Ann. Stat. 28, 2000, Lemma 1). So none of the N rows is expected to be longer by noise alone.
func (r *Resampling) chance(directions int) float64 {
	x, nu := math.Log(20*float64(len(r.topics.RowSums))), float64(directions)
	return nu + 2*math.Sqrt(nu*x) + 2*x
}

// addScaled adds scale times v to sum.
func addScaled(sum []float64, scale float64, v []float64) {
	for j, value := range v {
		sum[j] += scale * value
	}
}
