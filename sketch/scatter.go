// This file estimates from a single pass how far each item's row can be trusted.

package sketch

import (
	"context"
	"math"

	"anchorage/internal/kernel"
)

// Scatter are sums over documents for each item, of length N, from which a single pass estimates the evidence. With
// a_im and ξ_im as in Evidence, but ξ_im over all items and not in the coordinates of eigenvectors, which are unknown
// while documents are read: Σ_m a_im² and Σ_m a_im²·‖ξ_im‖².
type Scatter struct {
	Squares []float64
	Lengths []float64
}

// grow appends zeros until there are n items.
func (s *Scatter) grow(n int) {
	if more := n - len(s.Squares); more > 0 {
		s.Squares, s.Lengths = append(s.Squares, make([]float64, more)...), append(s.Lengths, make([]float64, more)...)
	}
}

// add adds an item of weight ω that occurs count times in a document with n and v·w, whose Σ_i ω_i²·h_im² is square.
func (s *Scatter) add(omega float64, item, count int32, n, w, square float64) {
	h, others := omega*float64(count), n-omega
	a := w * h * others
	if !(a > 0) {
		return
	}
	s.Squares[item] += a * a
	s.Lengths[item] += a * a * max(square-2*omega*h+omega*omega, 0) / (others * others)
}

// merge adds the sums of other documents.
func (s *Scatter) merge(other *Scatter) {
	for i := range s.Squares {
		s.Squares[i] += other.Squares[i]
		s.Lengths[i] += other.Lengths[i]
	}
}

// Estimate returns the evidence about the rows, in the coordinates of the given eigenvectors, without a further pass.
// The effective sample sizes are exact. The scatter T_i of an item's documents in K coordinates is that over all items,
// U_i, times the share of scatter that lies in the K coordinates. The share is taken to be the same for all items, and
// known on average: with S = C + Ĥ_diag the documents' mean of ‖Z_m/n_m‖² is tr(Vᵀ·S·V) = Σ_k λ_k + Σ_i Ĥ_ii·‖V_i‖²,
// except for their lengths.
func (s *Scatter) Estimate(ctx context.Context, marginals *Marginals, eigen *Eigen, workers int) (*Evidence, error) {
	n := len(s.Squares)
	e := &Evidence{SamplingVariance: make([]float64, n), EffectiveSampleSize: make([]float64, n)}
	documents := marginals.Total()
	inside := 0.0 // tr(Vᵀ·S·V)
	for _, value := range eigen.Values {
		inside += value
	}
	norms := kernel.SquaredNorms(ctx, eigen.Vectors, workers)
	for i, norm := range norms {
		inside += marginals.Diagonal[i] / documents * norm
	}
	squaredRows, err := (&gathering{marginals: marginals, eigen: eigen}).squaredRows(ctx, eigen.Vectors.Cols(), workers)
	if err != nil {
		return nil, err
	}
	between, outside, weight := 0.0, 0.0, 0.0 // Σ p·‖x‖², Σ p·U, Σ p
	for i, square := range s.Squares {
		if square <= 0 {
			continue
		}
		p := marginals.RowSums[i]
		e.EffectiveSampleSize[i] = p * p / square
		between += p * squaredRows[i]
		outside += p * s.Lengths[i] / square
		weight += p
	}
	if weight == 0 {
		weight = 1
	}
	mean := max(inside-between/weight, 0) // T̄
	share := 0.0
	if outside > 0 {
		share = mean / (outside / weight)
	}
	for i, size := range e.EffectiveSampleSize {
		if size == 0 {
			e.SamplingVariance[i] = math.Inf(1)
			continue
		}
		own := share * s.Lengths[i] / s.Squares[i] * max(1-1/size, 0)
		e.SamplingVariance[i] = (own + mean/size) / size
	}
	return e, nil
}
