// This file ends a refinement with passes that draw the topics of tokens, whose mean is free of the bias that expected
// responsibilities have.

package refine

import (
	"context"
	"slices"

	"anchorage/bayes/infer"
	"anchorage/bayes/internal/batch"
	"anchorage/matrix"
)

const (
	// leastSamples and mostSamples are how many passes draw topics at least and at most. The fewer tokens there are, the
	// more a draw strays: between these bounds, all passes together draw about samplesOfTokens topics. The topics are the
	// mean of all but the first quarter, which leaves what the passes before have found.
	leastSamples, mostSamples, samplesOfTokens = 12, 24, 20_000_000
	// mostDrawn is of how many tokens the topics are kept from pass to pass: those of the first documents of a process, in
	// 256 MiB. Those of later documents begin with Expect in each pass.
	mostDrawn = 1 << 27
)

// Samples returns how many passes draw the topics of the given number of tokens, where words do not come in bursts.
func Samples(tokens int64) int {
	return int(min(max(samplesOfTokens/max(tokens, 1), leastSamples), mostSamples))
}

// samples are what the passes that draw topics have found.
type samples struct {
	wanted int            // passes to make
	passes int            // of them, those that were begun
	sums   *matrix.Single // Σ n over all but the first quarter; nil before the first
	joint  []float64      // Σ A, likewise
	topics []uint16       // of the tokens of this process's documents, as infer.Worker.Sample has them
	ends   []int64        // where those of a document end
	drawn  []uint16       // those of the batch
	starts []int32        // where those of an entry of the batch begin; one more for the end
}

// of returns the topics of a document; nil if they are not kept.
func (s *samples) of(document int64) []uint16 {
	if document >= int64(len(s.ends)) {
		return nil
	}
	first := int64(0)
	if document > 0 {
		first = s.ends[document-1]
	}
	return s.topics[first:s.ends[document]]
}

// deal makes room for the topics of the documents of the batch, which come in the same order in every pass, and for
// keeping them.
func (r *refiner) deal() {
	s, b := &r.samples, r.batch
	s.starts = batch.Resize(s.starts, len(b.Rows)+1)
	for e, at := 0, int32(0); e <= len(b.Rows); e++ {
		if s.starts[e] = at; e < len(b.Rows) {
			at += int32(infer.Groups(float32(b.Counts[e])))
		}
	}
	s.drawn = batch.Resize(s.drawn, int(s.starts[len(b.Rows)]))
	for d, number := range r.numbers {
		groups := int(s.starts[b.Offsets[d+1]] - s.starts[b.Offsets[d]])
		if number != int64(len(s.ends)) || len(s.topics)+groups > mostDrawn {
			return
		}
		s.topics = append(s.topics, slices.Repeat([]uint16{infer.Unknown}, groups)...)
		s.ends = append(s.ends, int64(len(s.topics)))
	}
}

// draw draws the topics of the tokens of document d of the batch, which has some, and sets a.
func (r *refiner) draw(w *infer.Worker, d int, a []float32, items []int32, uniform func() float32) {
	s, first, last := &r.samples, r.batch.Offsets[d], r.batch.Offsets[d+1]
	topics, kept := s.drawn[s.starts[first]:s.starts[last]], s.of(r.numbers[d])
	if topics[0] = infer.Unknown; kept != nil {
		copy(topics, kept)
	}
	begins, alpha := topics[0] == infer.Unknown, r.near.inferrer.Prior()
	if begins {
		r.carried.begin(a, alpha, r.numbers[d], r.tokens[d])
	}
	w.Sample(a, items, r.scaled[first:last], topics, uniform)
	if copy(kept, topics); kept == nil {
		r.carried.keep(a, alpha, r.numbers[d], r.tokens[d])
	}
}

// count adds the weighted tokens of entries to the topics that were drawn for them.
func (r *refiner) count(to []float32, entries []int32, weights []float64) {
	s := &r.samples
	for i, e := range entries {
		topics := s.drawn[s.starts[e]:s.starts[e+1]]
		share := float32(weights[i] / float64(len(topics)))
		for _, k := range topics {
			to[k] += share
		}
	}
}

// draws reports whether a pass that draws topics comes next. The local step of documents whose words come in bursts is
// another.
func (r *refiner) draws() bool {
	return r.found.For == ForPrediction && r.found.Burstiness < BurstyRatio && r.options.Passes == 0 &&
		r.k < infer.Unknown && r.samples.passes < r.samples.wanted
}

// sample makes a pass that draws the topics of tokens. After the last, n and A are the means.
func (r *refiner) sample(ctx context.Context) error {
	s := &r.samples
	burnIn, last := s.wanted/4, s.passes+1 == s.wanted
	if s.sums == nil {
		s.sums, s.joint = matrix.Like(r.sums), make([]float64, r.k*r.k)
	}
	s.passes++
	var sums passSums
	if err := r.learn(ctx, &sums, 1, 0, allParts); err != nil {
		return err
	}
	r.note(&sums)
	if s.passes <= burnIn {
		return r.renew(ctx)
	}
	for b := range r.sums.Held() {
		values, _, _ := r.sums.Block(b)
		total, _, _ := s.sums.Block(b)
		for i, v := range values {
			total[i] += v
			if last {
				values[i] = total[i] / float32(s.wanted-burnIn)
			}
		}
	}
	for i, v := range r.found.Joint {
		s.joint[i] += v
	}
	if last {
		for i, v := range s.joint {
			r.found.Joint[i] = v / float64(s.wanted-burnIn)
		}
		r.alpha = infer.MatchDirichlet(r.found.Joint, r.k)
		r.found.Samples, *s = s.passes, samples{wanted: s.wanted, passes: s.passes}
	}
	return r.renew(ctx)
}
