// This file takes the first of many eigenpairs, with what the evidence pass has measured for them, so that one sketch
// serves several numbers of topics.

package sketch

import (
	"cmp"
	"context"
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

// First returns the evidence in the first k eigenvectors, given the eigenpairs that it was measured in. It reports
// false unless k is K or one of the cuts. Halves has the HalvedItems(n, k) of its items that stand out most in k
// coordinates. The result shares nothing that depends on k. The eigenvectors must be whole.
func (e *Evidence) First(k int, marginals *Marginals, eigen *Eigen, workers int) (*Evidence, bool) {
	first := &Evidence{EffectiveSampleSize: e.EffectiveSampleSize}
	if at := slices.IndexFunc(e.Cuts, func(c Cut) bool { return c.K == k }); at >= 0 {
		first.SamplingVariance = e.Cuts[at].SamplingVariance
	} else if k == len(eigen.Values) {
		first.SamplingVariance = e.SamplingVariance
	} else {
		return nil, false
	}
	first.SamplingVariance = slices.Clone(first.SamplingVariance)
	if len(e.Halves.Items) > 0 {
		if !eigen.Vectors.Whole() {
			panic("sketch: the first eigenvectors of a part")
		}
		// Neither the context nor the function can make this fail.
		rows, _ := (&gathering{marginals: marginals, eigen: eigen}).squaredRows(context.Background(), k, workers)
		first.Halves = e.Halves.first(k, len(eigen.Values), halvedScores(rows, marginals.DocumentFrequency))
	}
	return first, true
}

// first returns the halves of the items of greatest score, as many as k topics need, in the first k of all coordinates.
func (h *Halves) first(k, all int, scores []float64) Halves {
	of := make([]float64, len(h.Items))
	for at, i := range h.Items {
		of[at] = scores[i]
	}
	kept := greatest(of, min(HalvedItems(len(scores), k), len(h.Items)))
	first := Halves{Items: make([]int, len(kept))}
	for half := range h.Rows {
		first.Sums[half] = make([]float64, len(kept))
		first.Rows[half] = make([]float64, len(kept)*k)
		for to, at := range kept {
			first.Items[to] = h.Items[at]
			first.Sums[half][to] = h.Sums[half][at]
			copy(first.Rows[half][to*k:][:k], h.Rows[half][at*all:])
		}
	}
	return first
}

// halvedScores returns ‖x_i‖²·df_i/(df_i + 4), which discounts the noise of rare items.
func halvedScores(squaredRows []float64, frequency []int64) []float64 {
	scores := make([]float64, len(squaredRows))
	for i, s := range squaredRows {
		df := float64(frequency[i])
		scores[i] = s * df / (df + 4)
	}
	return scores
}

// greatest returns the numbers of the count greatest scores, increasing.
func greatest(scores []float64, count int) []int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	order = slices.Clone(order[:count])
	slices.Sort(order)
	return order
}
