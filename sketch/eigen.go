// This file holds the result of a sketch: leading eigenpairs. The first of many, with what the evidence pass has
// measured for them, serve several numbers of topics.

package sketch

import (
	"context"
	"fmt"
	"math"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// Eigen are the K greatest eigenvalues of C, all positive, with their eigenvectors.
type Eigen struct {
	Values  []float64    // in decreasing order
	Vectors *matrix.Tall // N×K with orthonormal columns
	// ‖C·v − λ·v‖₂/λ₁ of each pair; those of Krylov are from before its last half step, which makes them smaller
	Residuals []float64
	// Leading are the vectors and, less accurate, the next GuardColumns Ritz vectors: what a later sketch may start from
	// (Start). Only Krylov sets it.
	Leading *matrix.Single
	// GuardValues are the Ritz values of the vectors of Leading beyond the first K, as far as they are positive.
	GuardValues []float64
	Estimated   bool // the residuals are estimated from the sketch; otherwise a pass has measured them
	Passes      int  // passes over the documents
	Singles     int  // those of them in single precision
}

// RankError says that fewer positive eigenvalues of C were found than topics were asked for.
type RankError struct {
	Topics  int // K
	Rank    int // positive eigenvalues that were found; those of C if Columns is 0
	Columns int // of the single pass that found no more; 0 if all of C was looked at
}

// Error names both numbers. That of a single pass does not say that C has no more.
func (e *RankError) Error() string {
	switch {
	case e.Columns > 0 && e.Rank == 0:
		return fmt.Sprintf("a single pass of %d columns finds no positive eigenvalue of the co-occurrence matrix", e.Columns)
	case e.Columns > 0 && e.Rank == 1:
		return fmt.Sprintf("a single pass of %d columns finds only one positive eigenvalue of the co-occurrence matrix, "+
			"which is too few for %d topics", e.Columns, e.Topics)
	case e.Columns > 0:
		return fmt.Sprintf("a single pass of %d columns finds %d positive eigenvalues of the co-occurrence matrix, which "+
			"is too few for %d topics", e.Columns, e.Rank, e.Topics)
	case e.Rank == 0:
		return "the co-occurrence matrix has no positive eigenvalue: no two items occur together often enough for any topic"
	case e.Rank == 1:
		return "the co-occurrence matrix has only one positive eigenvalue: all documents look alike, which leaves nothing " +
			"to tell two topics apart"
	}
	return fmt.Sprintf("%d topics are more than the data supports: the co-occurrence matrix has %d positive "+
		"eigenvalues, so there can be at most %d topics", e.Topics, e.Rank, e.Rank)
}

// rankFloor is the least eigenvalue, relative to the greatest and per row of the small problem, that is more than
// rounding.
const rankFloor = 0x1p-50

// checkRank returns a *RankError with the given columns unless the first k of n decreasing eigenvalues are positive.
func checkRank(values []float64, k, columns int) error {
	if rank := kernel.RankAbove(values, rankFloor*float64(len(values))); rank < k {
		return &RankError{Topics: k, Rank: rank, Columns: columns}
	}
	return nil
}

// Factor returns Y = V·√D, N×K, so that Y·Yᵀ = V·D·Vᵀ. It uses the eigenvectors up: Vectors is nil afterwards, and a
// second call panics.
func (e *Eigen) Factor(workers int) *matrix.Tall {
	if e.Vectors == nil {
		panic("sketch: the eigenvectors were used up")
	}
	y := e.Vectors
	e.Vectors = nil
	roots := make([]float64, y.Cols())
	for j, value := range e.Values {
		roots[j] = math.Sqrt(value)
	}
	// The context cannot make this fail.
	_ = kernel.EachRow(context.Background(), y, workers, func(_ int, row []float64) {
		for j, root := range roots {
			row[j] *= root
		}
	})
	return y
}

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
