// This file takes the documents of a refinement through the local step, batch by batch, and adds up what they say of
// the topics.

package refine

import (
	"context"
	"math"
	"slices"

	"anchorage/bayes/infer"
	"anchorage/bayes/internal/batch"
	"anchorage/corpus"
	"anchorage/internal/exact"
	"anchorage/internal/kernel"
	"anchorage/internal/process"
	"anchorage/internal/random"
	"anchorage/matrix"
)

const (
	// A batch ends with this many documents, or when the responsibilities of its entries take this many bytes.
	batchDocuments = 1024
	batchBytes     = 8 << 20
	// How many documents, and items, one call of parallel work handles. Only the time depends on it.
	documentBlock = 16
	rowBlock      = 64
	// rowsAhead is how many rows of n are asked for before they are changed.
	rowsAhead = 4
	// allParts is the part that holds all documents.
	allParts = -1
)

// passSums are sums over the documents of a pass.
type passSums struct {
	likelihood, tokens float64
	documents          float64
	joint              []float64 // K×K: Σ_d a·aᵀ/(s(s+1))
	diagonal           []float64 // K: Σ_d a/(s(s+1))
	repetitions        repetitions
	squares            []float64 // K: Σ w_d X γ², if somebody asks for it
}

// jointMean returns A.
func (s *passSums) jointMean() []float64 {
	k := len(s.diagonal)
	out := make([]float64, k*k)
	for i, v := range s.joint {
		out[i] = v / s.documents
	}
	for a, v := range s.diagonal {
		out[a*k+a] += v / s.documents
	}
	return out
}

// learn moves n by rho towards what the documents of a part say.
func (r *refiner) learn(ctx context.Context, sums *passSums, rho float64, epoch, part int) error {
	r.point.Leave()
	for b := range r.sums.Held() {
		values, _, _ := r.sums.Block(b)
		for i := range values {
			values[i] *= float32(1 - rho)
		}
	}
	factor := rho
	if part != allParts {
		factor *= float64(r.options.Parts)
	}
	if sums.joint == nil {
		sums.joint, sums.diagonal = make([]float64, r.k*r.k), make([]float64, r.k)
	}
	if !kernel.CountsShared(r.layout) { // what the parts before have found
		clear(sums.joint)
		clear(sums.diagonal)
		clear(sums.squares)
		*sums = passSums{joint: sums.joint, diagonal: sums.diagonal, squares: sums.squares}
	}
	if err := r.batches(ctx, r.members(epoch, part), true, func() error { return r.add(ctx, sums, factor) }); err != nil {
		return err
	}
	return sums.addUp(ctx, r.layout)
}

// addUp adds the sums of all processes, in their order.
func (s *passSums) addUp(ctx context.Context, layout matrix.Layout) error {
	if layout == nil {
		return nil
	}
	all := slices.Concat([]float64{s.likelihood, s.tokens, s.documents, s.repetitions.slope, s.repetitions.curve},
		s.diagonal, s.joint, s.squares)
	if err := kernel.AddUp(ctx, layout, all); err != nil {
		return err
	}
	s.likelihood, s.tokens, s.documents = all[0], all[1], all[2]
	s.repetitions.slope, s.repetitions.curve = all[3], all[4]
	all = all[5:]
	for _, part := range [][]float64{s.diagonal, s.joint, s.squares} {
		all = all[copy(part, all):]
	}
	return nil
}

// members returns a function that reports whether a document, by its number among those of all processes, belongs to a
// part of an epoch, or to the documents of r; nil if all do.
func (r *refiner) members(epoch, part int) func(document uint64) bool {
	if part == allParts {
		return r.only
	}
	return func(document uint64) bool {
		return int(random.Uniform(r.options.Seed, random.RefineDeal, document,
			uint64(epoch))*float64(r.options.Parts)) == part
	}
}

// cut calls fn with the documents of a pass for which belongs is true, or all if it is nil, in r.batch, batch by batch.
func (r *refiner) cut(ctx context.Context, pass corpus.Pass, belongs func(document uint64) bool,
	fn func() error) error {
	flush := func() error {
		if r.batch.Documents() == 0 {
			return nil
		}
		err := fn()
		r.batch.Reset()
		r.numbers = r.numbers[:0]
		return err
	}
	r.batch.Reset()
	r.numbers = r.numbers[:0]
	document := uint64(0)
	err := pass(ctx, func(docs *corpus.Documents) error {
		for d := range docs.Documents() {
			if belongs == nil || belongs(document) {
				items, _ := docs.Row(d)
				if r.batch.Documents() == batchDocuments || 4*(len(r.batch.Rows)+len(items))*r.inferrer.Width() > batchBytes {
					if err := flush(); err != nil {
						return err
					}
				}
				r.batch.Add(docs, d, d+1)
				number := int64(document)
				if r.layout != nil {
					number, r.queue = r.queue[0], r.queue[1:]
				}
				r.numbers = append(r.numbers, number)
			}
			document++
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	return flush()
}

// scale sets the counts of entries [first, last) of the batch to what they count for.
func (r *refiner) scale(first, last int32) {
	for e := first; e < last; e++ {
		switch {
		case r.found.For != ForReading:
			r.scaled[e] = float32(r.batch.Counts[e])
		case r.start.Weights == nil:
			r.scaled[e] = 1
		default:
			r.scaled[e] = float32(r.start.Weights[r.near.item(r.batch.Items[r.batch.Rows[e]])] / r.meanWeight)
		}
	}
}

// local makes the local step of every document of the batch: it sets a, and the responsibilities, log-likelihoods and
// tokens. It calls fn, if that is not nil, with each document that is not empty.
func (r *refiner) local(ctx context.Context, fn func(w *infer.Worker, d int)) error {
	b := r.batch
	documents := b.Documents()
	r.scaled = batch.Resize(r.scaled, len(b.Counts))
	width := r.inferrer.Width()
	if long := 4 * int64(len(b.Rows)) * int64(width); r.samples.passes > 0 {
		r.deal()
	} else {
		if long > 2*batchBytes { // a separate document
			if err := process.Reserve(long); err != nil {
				return err
			}
		}
		r.gamma = batch.Resize(r.gamma, len(b.Rows)*width)
	}
	r.values = batch.Resize(r.values, documents)
	r.tokens, r.repetitions = batch.Resize(r.tokens, documents), batch.Resize(r.repetitions, documents)
	return kernel.Parallel(ctx, r.options.Workers, (documents+documentBlock-1)/documentBlock, func(block int) error {
		w := <-r.idle
		defer func() { r.idle <- w }()
		var items []int32
		var q []float64
		bursts := r.found.For == ForPrediction
		alpha, draws := r.near.inferrer.Prior(), random.NewSource()
		for d := block * documentBlock; d < min((block+1)*documentBlock, documents); d++ {
			first, last := b.Offsets[d], b.Offsets[d+1]
			r.scale(first, last)
			items = items[:0]
			r.tokens[d], r.values[d], r.repetitions[d] = 0, 0, repetitions{}
			for e := first; e < last; e++ {
				items = append(items, b.Items[b.Rows[e]])
				r.tokens[d] += float64(r.scaled[e])
			}
			a := r.a[d*width:][:width]
			if first == last {
				copy(a, alpha)
				continue
			}
			if r.samples.passes > 0 {
				draws.Seek(r.options.Seed, random.RefineSample,
					uint64(r.start.Before+r.numbers[d])<<8+uint64(r.samples.passes))
				r.draw(w, d, a, items, draws.Float32)
				continue
			}
			r.carried.begin(a, alpha, r.numbers[d], r.tokens[d])
			if q = batch.Resize(q, len(items)); bursts && r.dispersion < noBursts {
				w.Under(q, a, items)
				r.disperse(d, q)
			}
			gamma := r.gamma[int(first)*width : int(last)*width]
			switch w.Expect(a, gamma, items, r.scaled[first:last]); {
			case bursts:
				w.Probabilities(q)
				r.values[d] = r.judge(d, q)
			case r.only == nil: // nobody asks for the likelihood of a half
				r.values[d] = w.LogLikelihood()
			}
			r.carried.keep(a, alpha, r.numbers[d], r.tokens[d])
			if r.squares != nil {
				addSquares(r.squares[d*width:][:width], gamma, r.scaled[first:last])
			}
			if fn != nil {
				fn(w, d)
			}
		}
		return ctx.Err()
	})
}

// addSquares sets sums to Σ_i X_i·γ_i², of counts and responsibilities.
func addSquares(sums, gamma, counts []float32) {
	clear(sums)
	for i, count := range counts {
		for k, share := range gamma[i*len(sums):][:len(sums)] {
			sums[k] += count * share * share
		}
	}
}

// add makes the local step of the batch and adds what it says of the topics to n, times a factor, and to sums.
func (r *refiner) add(ctx context.Context, sums *passSums, factor float64) error {
	if err := r.local(ctx, nil); err != nil {
		return err
	}
	b, width := r.batch, r.inferrer.Width()
	b.Index()
	r.weights = batch.Resize(r.weights, b.Documents())
	for d := range r.weights {
		if r.weights[d] = factor; r.meanLength > 0 {
			r.weights[d] *= r.meanLength / r.tokens[d]
		}
	}
	rows := len(b.Items)
	err := kernel.Parallel(ctx, r.options.Workers, (rows+rowBlock-1)/rowBlock, func(block int) error {
		var weights []float64
		for row := block * rowBlock; row < min((block+1)*rowBlock, rows); row++ {
			if ahead := row + rowsAhead; ahead < rows && r.samples.passes == 0 { // draws change few values of a row
				kernel.Prefetch(r.near.sums, int(b.Items[ahead]))
			}
			first, last := b.Starts[row], b.Starts[row+1]
			weights = weights[:0]
			for at, e := range b.ByRow[first:last] {
				owner := b.Owner[int(first)+at]
				weights = append(weights, r.weights[owner]*float64(r.scaled[e]))
			}
			item := int(b.Items[row])
			if r.samples.passes > 0 {
				r.count(r.near.sums.Row(item), b.ByRow[first:last], weights)
				continue
			}
			table := r.gamma[:len(b.Rows)*width]
			if s := r.exact; s != nil {
				shift := exact.UnitOf(float64(r.start.Frequency[item]) * max(r.meanLength, 1)).Shift()
				kernel.CombineRounded(b.ByRow[first:last], weights, table, width, s.Tokens.PaddedRow(item), shift)
			} else {
				kernel.Combine(b.ByRow[first:last], weights, table, r.near.sums.PaddedRow(item))
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	return r.sum(ctx, sums)
}

// sum adds what the documents of the batch say of the likelihood and of A.
func (r *refiner) sum(ctx context.Context, sums *passSums) error {
	rows, width := matrix.NewTall(r.batch.Documents(), r.k), r.inferrer.Width()
	for d := range r.batch.Documents() {
		if r.tokens[d] == 0 {
			continue
		}
		a, s := r.a[d*width:][:r.k], 0.0
		for _, v := range a {
			s += float64(v)
		}
		root, square := 1/math.Sqrt(s*(s+1)), 1/(s*(s+1))
		row := rows.Row(d)
		for k, v := range a {
			row[k] = float64(v) * root
			sums.diagonal[k] += r.round(float64(v)*square, float64(r.start.Documents))
		}
		for k := range sums.squares {
			sums.squares[k] += r.weights[d] * float64(r.squares[d*width+k])
		}
		sums.likelihood += r.round(r.values[d], mostNats*r.mostTokens)
		if r.found.For != ForPrediction {
			sums.tokens += r.round(r.tokens[d], r.mostTokens)
		} else {
			sums.tokens += r.repetitions[d].tokens
			sums.repetitions.slope += r.round(r.repetitions[d].slope, 2*r.mostTokens/r.dispersion)
			sums.repetitions.curve += r.round(r.repetitions[d].curve, 2*r.mostTokens/(r.dispersion*r.dispersion))
		}
		sums.documents++
	}
	if r.exact != nil {
		return r.addJoint(ctx, rows)
	}
	for i, v := range kernel.Gram(ctx, rows, rows, r.options.Workers) {
		sums.joint[i] += v
	}
	return ctx.Err()
}
