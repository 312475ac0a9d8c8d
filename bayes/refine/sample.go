// This file ends a refinement with passes that draw the topics of tokens, whose mean is free of the bias that expected
// responsibilities have.

package refine

import (
	"context"
	"slices"

	"anchorage/bayes/infer"
	"anchorage/matrix"
)

const (
	// leastSamples and mostSamples are how many passes draw topics at least and at most. The fewer tokens there are, the
	// more a draw strays: between these bounds, all passes together draw about samplesOfTokens topics. The topics are the
	// mean of all but the first quarter, which leaves what the passes before have found.
	leastSamples, mostSamples, samplesOfTokens = 8, 24, 10_000_000
	// mostDrawn is of how many tokens the topics are kept from pass to pass: those of the first documents of a process, in
	// 256 MiB. Those of later documents begin with Expect in each pass.
	mostDrawn = 1 << 27
)

// samples are what the passes that draw topics have found.
type samples struct {
	wanted int            // passes to make
	passes int            // of them, those that were begun
	sums   *matrix.Single // Σ n over all but the first quarter; nil before the first
	joint  []float64      // Σ A, likewise
	topics []uint16       // of the tokens of this process's documents, as infer.Worker.Sample has them
	ends   []int64        // where those of a document end
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

// keep makes room for the topics of the documents of the batch, which come in the same order in every pass.
func (r *refiner) keep() {
	s := &r.samples
	for d, number := range r.numbers {
		groups := 0
		for _, count := range r.scaled[r.batch.Offsets[d]:r.batch.Offsets[d+1]] {
			groups += infer.Groups(count)
		}
		if number != int64(len(s.ends)) || len(s.topics)+groups > mostDrawn {
			return
		}
		s.topics = append(s.topics, slices.Repeat([]uint16{infer.Unknown}, groups)...)
		s.ends = append(s.ends, int64(len(s.topics)))
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
		r.found.Samples, s.sums, s.topics, s.ends = s.passes, nil, nil, nil
	}
	return r.renew(ctx)
}
