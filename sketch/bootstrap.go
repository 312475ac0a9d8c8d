// This file holds the bootstrap pass: the rows of some items and the mean row of all, under resamples of the documents.

package sketch

import (
	"context"
	"slices"

	"anchorage/corpus"
	"anchorage/internal/aligned"
	"anchorage/internal/kernel"
	"anchorage/internal/resample"
	"anchorage/matrix"
)

// ResampleOptions say what the bootstrap pass adds up.
type ResampleOptions struct {
	Seed      uint64 // of the resamples
	Resamples int    // n
	Items     []int  // the items whose rows are kept, increasing
	Workers   int    // goroutines; 0 for as many as there are processors
}

// Resamples are sums over documents under n bootstrap resamples, in which document m of weight v_m counts w_mr times, and, as number n, over each
// document once. With Y the N×L matrix of MeasureResamples in place of V, a_im and ξ_im are as in Evidence.
type Resamples struct {
	Items []int
	Sums  []float64 // Σ_m w_mr·a_im of each item, (n+1)×len(Items)
	Rows  []float64 // Σ_m w_mr·a_im·ξ_im, (n+1)×len(Items)×L
	// Means are the mean rows Σ_m w_mr·Σ_i a_im·ξ_im / Σ_m w_mr·v_m, (n+1)×L. A resample without documents has that of all documents.
	Means []float64
}

// MeasureResamples makes the bootstrap pass over the documents of the marginals. Y is N×L.
//
// A document is known by its number in the order of the pass. So two equal documents are in different resamples, unlike in Halves.
func MeasureResamples(ctx context.Context, pass corpus.Pass, marginals *Marginals, y *matrix.Tall, opts ResampleOptions) (*Resamples, error) {
	mustBeAlone(ctx)
	n, l := y.Dims()
	if len(marginals.RowSums) != n {
		panic("sketch: number of marginals is not the number of items")
	}
	sampler := resample.NewSampler(opts.Seed, opts.Resamples)
	b := resampling{opts: &opts, sampler: sampler, sums: resample.NewSums(sampler, l), stride: y.Stride(),
		place: placesOf(opts.Items, n)}
	b.product = product{out: y, rows: denseRows(y), workers: opts.Workers, itemWeights: marginals.Weights}
	all := (opts.Resamples + 1) * len(opts.Items)
	b.rowSums, b.own, b.rows = make([]float64, all), make([]float64, all), make([]float64, all*b.stride)
	if err := pass(ctx, func(docs *corpus.Documents) error { return b.add(ctx, docs) }); err != nil {
		return nil, err
	}
	return b.finish(), nil
}

// placesOf returns where each of n items stands in a list of items, −1 for those that do not.
func placesOf(items []int, n int) []int32 {
	place := make([]int32, n)
	for i := range place {
		place[i] = -1
	}
	for at, i := range items {
		place[i] = int32(at)
	}
	return place
}

// resampling is the bootstrap pass under way.
type resampling struct {
	product product
	opts    *ResampleOptions
	sampler *resample.Sampler
	sums    *resample.Sums
	place   []int32 // where an item stands in opts.Items, or −1
	stride  int     // of rows

	rowSums, own, rows []float64 // of resample r and place p at r·len(opts.Items)+p; rows stride apart, without own times the item's row of Y

	documents int64     // before the chunk
	times     []uint8   // how often each document of the chunk is in each resample
	vectors   []float64 // the vectors of the documents of the chunk
}

// add adds documents. As in product.add, every sum belongs to one worker, which adds in the order of the documents.
func (b *resampling) add(ctx context.Context, docs *corpus.Documents) error {
	p := &b.product
	return p.chunks(docs, func(first, last int) error {
		if err := p.project(ctx, docs, first, last); err != nil {
			return err
		}
		if err := b.describe(ctx, docs, first, last); err != nil {
			return err
		}
		b.documents += int64(last - first)
		if err := b.sums.AddAll(ctx, p.workers, b.vectors, b.times, func(d int) float64 {
			if p.weights[d] == 0 {
				return 0
			}
			return p.own[d]
		}); err != nil {
			return err
		}
		if err := p.sorted.sort(ctx, docs, first, last, p.weights, p.out.Rows(), p.workers); err != nil {
			return err
		}
		return p.sorted.byRange(ctx, p.workers, func(part []entry) error {
			taken, shares := make([]int32, 0, len(part)), make([]float64, 0, len(part))
			for at := 0; at < len(part); {
				end := at + 1
				for end < len(part) && part[end].item == part[at].item {
					end++
				}
				if place := b.place[part[at].item]; place >= 0 {
					b.addItem(int(place), part[at:end], taken, shares)
				}
				at = end
			}
			return nil
		})
	})
}

// describe sets how often documents [first, last) are in each resample, and their vectors.
func (b *resampling) describe(ctx context.Context, docs *corpus.Documents, first, last int) error {
	const group = 64 // documents that one call of the parallel loop handles
	p, n, count, width := &b.product, last-first, b.sampler.Resamples(), b.sums.Stride()
	b.times = slices.Grow(b.times[:0], n*count)[:n*count]
	b.vectors = slices.Grow(b.vectors[:0], n*width)[:n*width]
	return kernel.Parallel(ctx, p.workers, (n+group-1)/group, func(part int) error {
		var shares []float64
		for d := part * group; d < min((part+1)*group, n); d++ {
			b.sampler.Weights(b.times[d*count:][:count], b.documents+int64(d))
			items, counts := docs.Row(first + d)
			shares = slices.Grow(shares[:0], len(items))[:len(items)]
			b.describeOne(b.vectors[d*width:][:width], shares, d, items, counts)
		}
		return nil
	})
}

// describeOne sets vector to Σ_i a_im·ξ_im of document d of the chunk, whose v_m·w_m·Z_m is in product.z. Shares is scratch of a value per
// item of the document.
func (b *resampling) describeOne(vector, shares []float64, d int, items, counts []int32) {
	p, sum := &b.product, 0.0
	clear(vector)
	for t, item := range items {
		h := p.weighted(item, counts[t])
		sum += h
		shares[t] = -p.weights[d] * h * p.itemWeight(item)
	}
	kernel.CombineRows(vector, p.out, items, shares)
	for j := range p.out.Cols() {
		vector[j] += sum * p.z[d*p.out.Stride()+j]
	}
}

// addItem adds the entries of an item in the chunk to its sums. The last two are scratch.
func (b *resampling) addItem(place int, part []entry, taken []int32, shares []float64) {
	p, count, omega := &b.product, b.sampler.Resamples(), b.product.itemWeight(part[0].item)
	for r := range count + 1 {
		at := r*len(b.opts.Items) + place
		taken, shares = taken[:0], shares[:0]
		for _, e := range part {
			times := 1.0
			if r < count {
				times = float64(b.times[int(e.document)*count+r])
			}
			if times == 0 {
				continue
			}
			h, w := times*p.weighted(e.item, e.count), p.weights[e.document]
			taken, shares = append(taken, e.document), append(shares, h)
			b.rowSums[at] += w * h * (p.tokens[e.document] - omega)
			b.own[at] += w * h * omega
		}
		kernel.Combine(taken, shares, p.z, b.rows[at*b.stride:][:b.stride])
	}
}

// finish turns the sums into the result.
func (b *resampling) finish() *Resamples {
	y, l, items := b.product.out, b.product.out.Cols(), b.opts.Items
	r := &Resamples{Items: items, Sums: b.rowSums, Rows: b.rows[:0]}
	for at := range b.rowSums { // rows move to the front in place
		row := b.rows[at*b.stride:][:l]
		for j, v := range y.Row(items[at%len(items)]) {
			row[j] -= b.own[at] * v
		}
		r.Rows = append(r.Rows, row...)
	}
	n := b.sampler.Resamples()
	r.Means = make([]float64, (n+1)*l)
	for s := range n + 1 {
		if mean := r.Means[s*l:][:l]; !b.sums.Mean(mean, s) {
			b.sums.Mean(mean, n)
		}
	}
	return r
}

// ResampleBytes returns the memory of MeasureResamples and its result, for N items, Y of l columns, candidates whose rows are kept, and n
// resamples, without Y and the marginals.
func ResampleBytes(items, l, candidates, n int, c corpus.Size) int64 {
	row := int64(8 * (aligned.Columns[float64](l) + 2))
	documents := min(c.BlockDocuments(), max(zBytes/max(matrix.Bytes[float64](1, l), 1), 64))
	return 4*int64(items) + int64(n+1)*int64(candidates)*row + resample.SumsBytes(n, l) +
		documents*(matrix.Bytes[float64](1, l)+int64(n)) + c.PassBytes() + chunkBytes(l, c.BlockDocuments(), c)
}
