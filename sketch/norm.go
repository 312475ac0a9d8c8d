// This file estimates ‖C‖_F², and how much of it is the noise of the sample, without C.

package sketch

import (
	"context"
	"math"

	"anchorage/corpus"
	"anchorage/internal/exact"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// PairNorms adds up ‖C_m‖_F² over documents, where C_m has the entries w_m·ω_i·ω_j·h_im·(h_jm − δ_ij): a document's
// part of C, which is the mean of all. It belongs to one pass.
type PairNorms struct {
	Weights   []float64 // ω, as in Options
	Squares   float64   // Σ_m ‖C_m‖_F²
	Documents int64     // with a pair

	sum exact.Sum // of the squares, under way
}

// Watch returns a pass that adds up the norms of the documents that it delivers. The sums are exact until the end, when
// they are rounded once. They are those of the last pass if there are several. Processes that share the documents must
// call AddUp after the pass.
func (n *PairNorms) Watch(pass corpus.Pass) corpus.Pass {
	return func(ctx context.Context, fn func(*corpus.Documents) error) error {
		n.Documents, n.sum = 0, exact.Sum{}
		err := pass(ctx, func(docs *corpus.Documents) error {
			for d := range docs.Documents() {
				items, counts := docs.Row(d)
				n.add(items, counts)
			}
			return fn(docs)
		})
		n.Squares = n.sum.Value()
		return err
	}
}

// AddUp adds the norms of the documents of all processes that have the layout, after each has watched a pass over its
// documents. The error is that of ctx.
func (n *PairNorms) AddUp(ctx context.Context, layout matrix.Layout) error {
	documents := []int64{n.Documents}
	if err := kernel.AddUp(ctx, layout, documents); err != nil {
		return err
	}
	if err := exact.Share(ctx, layout, &n.sum); err != nil {
		return err
	}
	n.Documents, n.Squares = documents[0], n.sum.Value()
	return nil
}

// add adds a document. With g_i = ω_i·h_i, ‖C_m‖_F²/w_m² = (Σ g_i²)² − Σ g_i⁴ + Σ (g_i² − ω_i·g_i)².
func (n *PairNorms) add(items, counts []int32) {
	_, w := PairWeight(items, counts, n.Weights)
	if w == 0 {
		return
	}
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
	n.sum.Add(w * w * (squares*squares + diagonal))
	n.Documents++
}

// Noise returns E‖C − E C‖_F² over samples of documents, given ‖C‖_F²: C is a mean of independent matrices, so that
// this is (Σ_m ‖C_m‖_F²/M − ‖C‖_F²)/(M − 1).
func (n *PairNorms) Noise(square float64) float64 {
	if n.Documents < 2 {
		return math.Inf(1)
	}
	m := float64(n.Documents)
	return max(n.Squares/m-square, 0) / (m - 1)
}

// ColumnSquares returns ‖C·Ω_j‖² of every column of Ω: of vectors that the passes start from, which are not random, it
// says nothing. It must come before Krylov, which uses the sketch up. The error is that of ctx.
func (s *Sketch) ColumnSquares(ctx context.Context, workers int) ([]float64, error) {
	s.mustHaveProduct()
	m := s.Marginals.Total()
	if s.start != nil {
		squares := s.start.columnSquares(ctx, s.Product, workers)
		for j := range squares {
			squares[j] /= m * m
		}
		return squares, ctx.Err()
	}
	squares := kernel.SumRows(ctx, s.Product, s.Product.Cols(), workers, func(sums []float64, first, last int) {
		for i := first; i < last; i++ {
			for j, v := range s.Product.Row(i) {
				sums[j] += v * v
			}
		}
	})
	for j := range squares {
		squares[j] /= m * m
	}
	return squares, ctx.Err()
}

// Rest estimates ‖C − V·D·Vᵀ‖_F², what the eigenpairs leave of C, from the squares that ColumnSquares returned, and the
// standard error of the estimate. As C·V = V·D, and Ω has columns of independent signs,
//
//	‖(C − V·D·Vᵀ)·Ω_j‖² = ‖C·Ω_j‖² − ‖D·Vᵀ·Ω_j‖²
//
// has the wanted mean for every j (Hutchinson, Commun. Stat. Simul. Comput. 18, 1989), and its variance is that of the
// rest.
func (s *Sketch) Rest(ctx context.Context, e *Eigen, columnSquares []float64, workers int) (square, deviation float64) {
	l, k := len(columnSquares), e.Vectors.Cols()
	signs := omega{seed: s.Seed, cols: l}
	onOmega := kernel.GramGenerated(ctx, e.Vectors, l, workers, func(dst []float64, i int) {
		setRow(signs, dst, i, s.vocabulary.Key(i))
	})
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
