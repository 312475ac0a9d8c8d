// This file takes the first of many eigenpairs, with what the evidence pass has measured for them, so that one sketch
// serves several numbers of topics.

package sketch

import (
	"slices"
)

// Cut is what the evidence says in only the first K eigenvectors. Effective sample sizes do not depend on them.
type Cut struct {
	K                int
	SamplingVariance []float64 // as Evidence.SamplingVariance
}

// checkCuts panics unless the cuts increase from 1 to less than k.
func checkCuts(cuts []int, k int) {
	least := 1
	for _, c := range cuts {
		if c < least || c >= k {
			panic("sketch: cuts must increase from 1 to less than K")
		}
		least = c + 1
	}
}

// First returns the first k eigenpairs, with copies of their vectors, N×k, and without Leading.
func (e *Eigen) First(k int) *Eigen {
	return &Eigen{Values: slices.Clone(e.Values[:k]), Vectors: e.Vectors.Copy(k), Residuals: slices.Clone(e.Residuals[:k]),
		Estimated: e.Estimated, Passes: e.Passes}
}

// First returns the evidence in the first k eigenvectors of all. It reports false unless k is all or one of the
// cuts. The result shares nothing that depends on k.
func (e *Evidence) First(k, all int) (*Evidence, bool) {
	first := &Evidence{EffectiveSampleSize: e.EffectiveSampleSize}
	if at := slices.IndexFunc(e.Cuts, func(c Cut) bool { return c.K == k }); at >= 0 {
		first.SamplingVariance = e.Cuts[at].SamplingVariance
	} else if k == all {
		first.SamplingVariance = e.SamplingVariance
	} else {
		return nil, false
	}
	first.SamplingVariance = slices.Clone(first.SamplingVariance)
	return first, true
}
