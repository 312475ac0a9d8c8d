// This file holds the topics while they are refined, and how they follow from the sums over the documents.

package refine

import (
	"context"
	"math"

	"anchorage/bayes/infer"
	"anchorage/bayes/internal/batch"
	"anchorage/corpus"
	"anchorage/internal/aligned"
	"anchorage/internal/checkpoint"
	"anchorage/internal/kernel"
	"anchorage/internal/visit"
	"anchorage/matrix"
)

// refiner is a refinement in progress.
type refiner struct {
	start   *Start
	options Options
	pass    corpus.Pass
	n, k    int
	layout  matrix.Layout
	point   *checkpoint.Point
	only    func(document uint64) bool // the documents of a half, for predict; nil for all

	state
	inferrer *infer.Inferrer // B, which follows from the state
	shares   []float64       // p(topic), likewise
	// concentration is that of the Dirichlet distribution with the mean and the variance of the items' mixtures, over
	// tokens.
	concentration float64
	near          near
	moved         float64 // by the last pass, as Result.Moved
	exact         *Sums   // of the documents of a task, in place of n; nil for others
	mostTokens    float64 // bounds those of all documents, for tasks

	scratch
}

// state is what a refinement knows between two steps: checkpoints keep it, and all else follows from it.
type state struct {
	earlier func(dst []float64, i int) // Start.Earlier; nil if the passes do not begin there
	epoch   int                        // epochs that have ended
	part    int                        // parts of the next epoch that have ended
	partial passSums                   // over these parts
	step    int                        // parts learned from

	samples samples

	sums  *matrix.Single // n: N×K
	alpha []float64
	// what the topics were computed from, beside n
	computedFrom struct{ alpha, shares []float64 }
	carried      carried // topics of documents of this process, by their numbers in its pass
	found        Result
	last         float64 // log-likelihood of the last pass, in nats per token
	gain         float64 // what it gained
	meanWeight   float64 // of a token, for reading
	dispersion   float64 // s, for prediction
	meanLength   float64 // of a document as it is counted, for reading; 0 while documents count by their length
}

// scratch is memory that is used again for every batch.
type scratch struct {
	idle    chan *infer.Worker // workers of near that infer nothing at the moment
	batch   *batch.Batch
	numbers []int64   // of the documents of the batch, among those of this process
	queue   []int64   // of the documents to come, where several processes share the rows
	a       []float32 // a row of a per document of the batch
	gamma   []float32 // a row of responsibilities of each entry
	scaled  []float32 // of each entry: its count
	values  []float64 // of each document: its log-likelihood
	tokens  []float64 // of each document: its tokens as they are counted
	weights []float64 // of each document: what a token of it adds to n
	squares []float32 // a row of Σ_i X_i·γ_i² per document; nil if nobody asks for them
	// of each document, for prediction
	repetitions []repetitions
}

func newRefiner(ctx context.Context, pass corpus.Pass, start *Start, o Options) (*refiner, error) {
	n, k := start.Mixtures.Dims()
	if len(start.Frequency) != n || len(start.Joint) != k*k || start.Weights != nil && len(start.Weights) != n {
		panic("refine: shapes of the topics to refine do not fit")
	}
	r := &refiner{start: start, options: o.withDefaults(start.Documents), pass: pass, n: n, k: k,
		layout: start.Mixtures.Layout(), point: checkpoint.PointOf(ctx), shares: infer.Shares(start.Joint, k)}
	r.batch, r.a = batch.New(0), make([]float32, batchDocuments*aligned.Columns[float32](k))
	r.dispersion = mostDispersion
	tokens := int64(1)
	for _, tf := range start.Frequency {
		tokens += tf
	}
	r.samples.wanted = Samples(tokens)
	r.sums = matrix.NewShared[float32](r.layout, n, k)
	here := start.Here
	if r.layout == nil {
		here = start.Documents
	}
	r.carried = newCarried(start.Before, here)
	r.earlier, r.alpha = start.Earlier, infer.MatchDirichlet(start.Joint, k)
	r.expect(func(i int) float64 { return float64(start.Frequency[i]) })
	var err error
	if r.inferrer, err = infer.NewShared(r.layout, n, k, start.Joint); err != nil {
		return nil, err
	}
	r.prepare()
	return r, r.renew(ctx)
}

// expect sets n to the counts to expect if the mixtures to start from were true, given the number of tokens of item i.
func (r *refiner) expect(tokens func(i int) float64) {
	first, last := r.sums.HeldRows()
	for i := first; i < last; i++ {
		row, n := r.sums.Row(i), tokens(i)
		for k, p := range r.start.Mixtures.Row(i) {
			row[k] = float32(n * ((1-blur)*max(p, 0) + blur*r.shares[k]))
		}
		if r.earlier != nil {
			r.countsOf(row, i, n)
		}
	}
}

// countsOf sets row to the counts of which mixture makes the earlier mixture of item i, as far as counts that are not
// negative can. They add up to the given number of tokens.
func (r *refiner) countsOf(row []float32, i int, tokens float64) {
	values, mean, sum := make([]float64, r.k), make([]float64, r.k), 0.0
	r.earlier(values, i)
	strength := r.prior(mean, i, tokens)
	for k, p := range values {
		values[k] = max((1-earlierBlur)*(max(p, 0)*(tokens+strength)-strength*mean[k])+earlierBlur*tokens*r.shares[k], 0)
		sum += values[k]
	}
	if !(sum > 0) {
		return // an item without tokens
	}
	for k, v := range values {
		row[k] = float32(v * tokens / sum)
	}
}

// mixture sets dst to B̆ of item i, K values, and returns n_i.
func (r *refiner) mixture(dst []float64, i int) (total float64) {
	row := r.sums.Row(i)
	for _, v := range row {
		total += float64(v)
	}
	strength := r.prior(dst, i, total)
	inverse := 1 / (total + strength)
	for k, v := range row {
		dst[k] = (float64(v) + strength*dst[k]) * inverse
	}
	return total
}

// prior sets mean to m_i, K values, and returns c_i of item i, given its number of tokens.
func (r *refiner) prior(mean []float64, i int, tokens float64) (strength float64) {
	if r.found.For != ForReading {
		copy(mean, r.shares)
		return concentration
	}
	from := r.start.Mixtures.Row(i)
	for k, share := range r.shares {
		mean[k] = (1-blur)*max(from[k], 0) + blur*share
	}
	if r.only != nil { // the halves are not held
		return concentration
	}
	return concentration + hold*tokens
}

// each calls fn for every item whose row is held. row has room for K values.
func (r *refiner) each(ctx context.Context, fn func(row []float64, i int)) error {
	return kernel.EachHeld(ctx, r.sums, r.options.Workers, func(b int) error {
		row := make([]float64, r.k)
		_, first, last := r.sums.Block(b)
		for i := first; i < last; i++ {
			fn(row, i)
		}
		return ctx.Err()
	})
}

// total returns width sums, to which fn adds what item i has. row has room for K values. The sums are those of all
// ranks.
func (r *refiner) total(ctx context.Context, width int, fn func(sums, row []float64, i int)) ([]float64, error) {
	sums := kernel.SumRows(ctx, r.sums, width, r.options.Workers, func(sums []float64, first, last int) {
		row := make([]float64, r.k)
		for i := first; i < last; i++ {
			fn(sums, row, i)
		}
	})
	return sums, ctx.Err()
}

// renew computes the topics again from n.
func (r *refiner) renew(ctx context.Context) error {
	r.computedFrom.alpha, r.computedFrom.shares = r.alpha, r.shares
	sums, err := r.total(ctx, r.k+2, func(sums, row []float64, i int) {
		n := r.mixture(row, i)
		sums[r.k] += n
		for k, v := range row {
			sums[k] += n * v
			sums[r.k+1] += n * v * v
		}
	})
	if err != nil {
		return err
	}
	total := sums[r.k]
	shares, squares := make([]float64, r.k), 0.0
	for k := range shares {
		shares[k] = max(sums[k]/total, 1e-6/float64(r.k)) // no topic divides by 0
		squares += shares[k] * shares[k]
	}
	within := sums[r.k+1] / total
	r.concentration = (1 - within) / max(within-squares, 1e-9)
	each := make([]float64, r.k)
	for k, share := range shares {
		each[k] = 1 / (total * share)
	}
	err = r.inferrer.Renew(ctx, r.options.Workers, r.alpha, func(dst []float64, i int) {
		of := r.mixture(dst, i)
		for k, v := range each {
			dst[k] *= of * v
		}
	})
	r.shares = shares
	return err
}

// finish replaces the mixtures to start from. Nothing can fail once it has begun to.
func (r *refiner) finish(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tokens := make([]float64, r.n) // n_i
	err := r.each(ctx, func(_ []float64, i int) {
		for _, v := range r.sums.Row(i) {
			tokens[i] += float64(v)
		}
	})
	if err == nil {
		err = kernel.Complete(ctx, r.layout, tokens)
	}
	if err != nil {
		return err
	}
	for i := range r.start.Reliability {
		own := tokens[i] / (tokens[i] + r.concentration)
		if r.found.For == ForReading {
			held := hold / (1 + hold)
			own = (1-held)*own + held*r.start.Reliability[i]
		}
		r.start.Reliability[i] = own
	}
	err = r.each(context.WithoutCancel(ctx), func(row []float64, i int) {
		r.mixture(row, i)
		copy(r.start.Mixtures.Row(i), row)
	})
	r.found.Alpha, r.found.Shares = r.alpha, r.shares
	if r.found.For == ForPrediction {
		r.found.Dispersion = r.dispersion
	}
	return err
}

// Bytes returns about how many bytes Topics holds at its peak on each rank beside its start, for N items, K topics,
// the given number of workers and the documents and entries of the rank, 0 if they are not known. A document with more
// than 2 million/K distinct items takes 4·K bytes more for each of them.
func Bytes(n, k, workers, ranks int, documents, entries int64) int64 {
	width := int64(aligned.Columns[float32](k))
	batch := batchBytes + batchDocuments*(2*matrix.Bytes[float64](1, k)+80) + 40*batchBytes/(4*width)
	held, near := n, int64(0)
	if ranks > 1 {
		held = min(n, (n+ranks-1)/ranks+n/matrix.MostSections+matrix.BlockRows) // a rank has whole sections
		near = visit.Bytes(n, ranks, math.MaxInt64, int64(visitBytes(k)), int64(8*k))
	}
	kept := 4*carriedTopics*min(documents, mostCarried) + 8*documents + 2*min(2*entries, mostDrawn)
	return 4*matrix.Bytes[float32](held, k) + 12*int64(n) + near + batch + kept +
		int64(kernel.Workers(workers))*12*width*1000
}
