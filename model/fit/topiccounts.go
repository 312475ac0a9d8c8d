// This file takes sketches of fewer topics from one sketch, which serves several numbers of topics.

package fit

import (
	"maps"
	"slices"

	"anchorage/model"
)

// cuts returns the numbers of topics below the greatest.
func (o *Options) cuts() []int {
	if len(o.TopicCounts) == 0 {
		return nil
	}
	return o.TopicCounts[:len(o.TopicCounts)-1]
}

// At returns a sketch of the first k eigenpairs, with the evidence about them: what Sketch finds for k topics, except
// the tolerance of the eigenpairs. k must be one of Options.TopicCounts, or the number of topics; the error is an
// *OptionError if it is neither and the evidence was measured, or if s holds C.
//
// The result has its own copy of the vectors, N×k, and shares the vocabulary, the marginals and the effective sample
// sizes. It has no vectors for later fits. Its stages are recorded in a separate Run, a copy of that of s so far, which
// has no checkpoint. s stays as it is: the memory of s and of one result at a time is what the memory limit covers.
func (s *Sketched) At(k int) (*Sketched, error) {
	if s.dense != nil {
		return nil, badOption("TopicCounts", "a method that holds all co-occurrences serves one number of topics")
	}
	if s.Eigen.Vectors == nil {
		panic("model: this sketch was already rectified")
	}
	if k < leastTopics || k > len(s.Eigen.Values) {
		return nil, badOption("TopicCounts", "the sketch is for %d to %d topics, not %d", leastTopics, len(s.Eigen.Values), k)
	}
	of := &Sketched{Model: &model.Model{Manifest: s.Manifest, Vocabulary: s.Vocabulary, Marginals: s.Marginals},
		run: s.run.branch(), begun: s.begun, multiply: s.multiply}
	if s.Evidence != nil {
		var known bool
		if of.Evidence, known = s.Evidence.First(k, len(s.Eigen.Values)); !known {
			return nil, badOption("TopicCounts", "the sketch has no evidence about %d topics", k)
		}
	}
	of.Eigen = *s.Eigen.First(k)
	if s.memory != nil {
		of.memory = s.memory.at(k)
	}
	r := &of.Manifest.Sketch
	r.Topics, r.Leading, r.GuardValues, r.LargestResidual = k, 0, nil, slices.Max(of.Eigen.Residuals)
	if r.Findings != nil {
		r.EstimatedError = of.Eigen.Error()
		r.Findings = &model.SketchFindings{Rough: r.EstimatedError >= roughError}
	}
	return of, nil
}

// branch returns a run that continues r without changing it, and keeps no checkpoint.
func (r *Run) branch() *Run {
	b := *r
	b.Checkpoint, b.kept, b.figures = nil, nil, nil
	b.modelled, b.stages = maps.Clone(r.modelled), slices.Clone(r.stages)
	b.iterations, b.passes = slices.Clone(r.iterations), slices.Clone(r.passes)
	return &b
}
