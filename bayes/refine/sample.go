// This file ends a refinement with passes that draw the topics of tokens, whose mean is free of the bias that expected
// responsibilities have.

package refine

import (
	"context"

	"anchorage/bayes/infer"
	"anchorage/matrix"
)

const (
	// samplePasses is how many passes draw topics. The first burnIn of them leave what the passes before have found; the
	// topics are the mean of the others.
	samplePasses, burnIn = 6, 2
	// sweeps is how often such a pass draws the topic of each token again.
	sweeps = 1
)

// samples are what the passes that draw topics have found.
type samples struct {
	passes int
	sums   *matrix.Single // Σ n over the passes after burnIn; nil before the first
	joint  []float64      // Σ A, likewise
}

// draws reports whether a pass that draws topics comes next. The local step of documents whose words come in bursts is
// another.
func (r *refiner) draws() bool {
	return r.found.For == ForPrediction && r.found.Burstiness < BurstyRatio && r.options.Passes == 0 && r.samples.passes < samplePasses
}

// sample makes a pass that draws the topics of tokens. After the last, n and A are the means.
func (r *refiner) sample(ctx context.Context) error {
	s := &r.samples
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
			if s.passes == samplePasses {
				values[i] = total[i] / (samplePasses - burnIn)
			}
		}
	}
	for i, v := range r.found.Joint {
		s.joint[i] += v
	}
	if s.passes == samplePasses {
		for i, v := range s.joint {
			r.found.Joint[i] = v / (samplePasses - burnIn)
		}
		r.alpha = infer.MatchDirichlet(r.found.Joint, r.k)
		r.found.Samples, s.sums = s.passes, nil
	}
	return r.renew(ctx)
}
