// This file estimates ‖C‖_F², and how much of it is the noise of the sample, without C.

package sketch

import (
	"context"
	"math"

	"anchorage/corpus"
	"anchorage/internal/kernel"
)

// PairNorms adds up ‖C_m‖_F² over documents, where C_m has the entries w_m·ω_i·ω_j·h_im·(h_jm − δ_ij): a document's part of C, which is
// the mean of all by the documents' weights v. It belongs to one pass.
type PairNorms struct {
	Weights []float64 // ω, as in Options
	// Squares is Σ_m v_m²·‖C_m‖_F², and Documents the number of documents with a pair. Mass is Σ_m v_m of these, SquaredMass Σ_m v_m².
	Squares           float64
	Documents         int64
	Mass, SquaredMass float64
}

// Watch returns a pass that adds up the norms of the documents that it delivers.
func (n *PairNorms) Watch(pass corpus.Pass) corpus.Pass {
	return func(ctx context.Context, fn func(*corpus.Documents) error) error {
		return pass(ctx, func(docs *corpus.Documents) error {
			for d := range docs.Documents() {
				items, counts := docs.Row(d)
				n.add(items, counts, docs.Weight(d))
			}
			return fn(docs)
		})
	}
}

// add adds a document of weight v. With g_i = ω_i·h_i, ‖C_m‖_F²/w_m² = (Σ g_i²)² − Σ g_i⁴ + Σ (g_i² − ω_i·g_i)².
func (n *PairNorms) add(items, counts []int32, v float64) {
	_, w := PairWeight(items, counts, n.Weights)
	if w == 0 {
		return
	}
	w *= v
	squares, diagonal := 0.0, 0.0
	for t, item := range items {
		omega := 1.0
		if n.Weights != nil {
			omega = n.Weights[item]
		}
		g := omega * float64(counts[t])
		off := g*g - omega*g
		squares += g * g
		diagonal += off*off - g*g*g*g
	}
	n.Squares += w * w * (squares*squares + diagonal)
	n.Documents++
	n.Mass += v
	n.SquaredMass += v * v
}

// Noise returns E‖C − E C‖_F² over samples of documents, given ‖C‖_F²: C is a mean of independent matrices, so that this is
// (Σ_m v_m²·‖C_m‖_F²/S − ‖C‖_F²)/(M²/S − 1) with M = Σ_m v_m and S = Σ_m v_m². M²/S is how many documents of equal weight would say
// as much; without weights it is their number.
func (n *PairNorms) Noise(square float64) float64 {
	if n.Documents < 2 {
		return math.Inf(1)
	}
	return max(n.Squares/n.SquaredMass-square, 0) / max(n.Mass*n.Mass/n.SquaredMass-1, math.SmallestNonzeroFloat64)
}

// ColumnSquares returns ‖C·Ω_j‖² of every column of the sketch. It must come before Krylov, which uses the sketch up.
func (s *Sketch) ColumnSquares(workers int) []float64 {
	s.mustHaveProduct()
	m := s.Marginals.Total()
	parts := make([][]float64, s.Product.Blocks())
	// Neither the context nor the function can make this fail.
	_ = kernel.Parallel(context.Background(), workers, len(parts), func(b int) error {
		sums := make([]float64, s.Product.Cols())
		_, first, last := s.Product.Block(b)
		for i := first; i < last; i++ {
			for j, v := range s.Product.Row(i) {
				sums[j] += v * v
			}
		}
		parts[b] = sums
		return nil
	})
	squares := make([]float64, s.Product.Cols())
	for _, sums := range parts {
		for j, sum := range sums {
			squares[j] += sum / (m * m)
		}
	}
	return squares
}

// Rest estimates ‖C − V·D·Vᵀ‖_F², what the eigenpairs leave of C, from the squares that ColumnSquares returned, and the standard error
// of the estimate. As C·V = V·D, and Ω has columns of independent signs,
//
//	‖(C − V·D·Vᵀ)·Ω_j‖² = ‖C·Ω_j‖² − ‖D·Vᵀ·Ω_j‖²
//
// has the wanted mean for every j (Hutchinson, Commun. Stat. Simul. Comput. 18, 1989), and its variance is that of the rest alone.
func (s *Sketch) Rest(ctx context.Context, e *Eigen, columnSquares []float64, workers int) (square, deviation float64) {
	l, k := len(columnSquares), e.Vectors.Cols()
	signs := omega{seed: s.Seed, cols: l}
	onOmega := kernel.GramGenerated(ctx, e.Vectors, l, workers, func(dst []float64, i int) { signs.row(dst, s.vocabulary.Key(i)) })
	values := make([]float64, l)
	for j, all := range columnSquares {
		values[j] = all
		for t := range k {
			part := e.Values[t] * onOmega[t*l+j]
			values[j] -= part * part
		}
		square += values[j] / float64(l)
	}
	for _, v := range values {
		deviation += (v - square) * (v - square)
	}
	return max(square, 0), math.Sqrt(deviation / float64(max(l-1, 1)) / float64(l))
}
