// This file measures the noise of the sample: how great an eigenvalue the co-occurrences of documents have where there
// is no topic.

package choose

import (
	"context"
	"math"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/internal/random"
	"anchorage/matrix"
	"anchorage/sketch"
)

const (
	// noiseColumns is the width of a block of the Krylov space in which the edge of the noise is looked for.
	noiseColumns = 16
	// noiseProducts is how many products with D that space takes. Then the edge is known within about a hundredth.
	noiseProducts = 6
)

// noise is D = (1/total) Σ_m ε_m·w_m·(h_m·h_mᵀ − diag(h_m)): C with an independent multiplier ε_m for every document.
// The multipliers have the mean 0, so what documents have in common cancels; they have the variance and the third
// moment 1, so that sums of what documents differ in have the same second and third cumulants with and without them. So
// outside of the topics D is distributed nearly as C is: this is the wild bootstrap (Liu, Annals of Statistics 16,
// 1988), with the two-point multipliers of Mammen (Annals of Statistics 21, 1993).
type noise struct {
	operator sketch.Operator // D
	eigen    *sketch.Eigen   // of C
	seed     uint64
	key      func(item int) uint64
	workers  int
}

// newNoise makes one pass over the documents of which C has the given marginals and eigenpairs.
func newNoise(ctx context.Context, pass corpus.Pass, marginals *sketch.Marginals, eigen *sketch.Eigen, seed uint64,
	key func(item int) uint64, workers int) (*noise, error) {
	multiplied := multiply(pass, seed)
	counted, _, err := sketch.CountMarginals(ctx, multiplied, len(marginals.RowSums), marginals.Weights,
		marginals.PairPrior)
	if err != nil {
		return nil, err
	}
	of := &sketch.Marginals{Documents: marginals.Documents, Diagonal: counted.Diagonal,
		Weights: marginals.Weights, PairPrior: marginals.PairPrior}
	d := sketch.Operator{Pass: multiplied, Marginals: of, Total: marginals.Total(), Workers: workers}
	return &noise{operator: d, eigen: eigen, seed: seed, key: key, workers: workers}, nil
}

// The multipliers are short or long; short ones are more likely.
var (
	shortMultiplier = -(math.Sqrt(5) - 1) / 2
	longMultiplier  = (math.Sqrt(5) + 1) / 2
	shortOnes       = longMultiplier / math.Sqrt(5)
)

// multiply multiplies the weight of every document. A document is known by its number among those that count.
func multiply(pass corpus.Pass, seed uint64) corpus.Pass {
	return func(ctx context.Context, fn func(*corpus.Documents) error) error {
		number := uint64(0)
		var weights []float64
		return pass(ctx, func(docs *corpus.Documents) error {
			weights = weights[:0]
			for d := range docs.Documents() {
				by := longMultiplier
				if random.Uniform(seed, random.ChooseMultiplier, number, 0) < shortOnes {
					by = shortMultiplier
				}
				weights = append(weights, by*docs.Weight(d))
				number++
			}
			return fn(&corpus.Documents{Offsets: docs.Offsets, Items: docs.Items, Counts: docs.Counts, Weights: weights})
		})
	}
}

// edge returns the greatest eigenvalue of D outside of the first k eigenvectors of C. It makes noiseProducts passes.
func (o *noise) edge(ctx context.Context, k int) (float64, error) {
	var blocks []*matrix.Tall
	var h []float64 // Qᵀ·D·Q
	next, err := o.start(ctx, k)
	room := o.eigen.Vectors.Rows() - k // beyond which a block would be rounding
	for step := 0; step < noiseProducts && err == nil && next.Cols() > 0 && side(h)+next.Cols() <= room; step++ {
		blocks = append(blocks, next)
		w := matrix.Like(next)
		if err = o.operator.Multiply(ctx, w, next); err != nil {
			return 0, err
		}
		o.deflate(ctx, w, k)
		h = o.extend(ctx, h, blocks, w)
		_, err = kernel.Orthonormalize(ctx, w, o.workers)
		next = w
	}
	if err != nil {
		return 0, err
	}
	if len(h) == 0 {
		return 0, nil
	}
	values, _, err := kernel.SymmetricEigen(ctx, h, side(h), o.workers)
	if err != nil {
		return 0, err
	}
	return values[0], ctx.Err()
}

// start returns an orthonormal block outside of the first k eigenvectors.
func (o *noise) start(ctx context.Context, k int) (*matrix.Tall, error) {
	n := o.eigen.Vectors.Rows()
	q := matrix.NewTall(n, min(noiseColumns, n-k))
	err := kernel.Parallel(ctx, o.workers, q.Blocks(), func(b int) error {
		_, first, last := q.Block(b)
		for i := first; i < last; i++ {
			row, key := q.Row(i), random.KeyOf(o.key, i)
			for j := range row {
				row[j] = 1 - 2*float64(random.At(o.seed, random.ChooseStart, key, uint64(j))>>63)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	o.deflate(ctx, q, k)
	_, err = kernel.Orthonormalize(ctx, q, o.workers)
	return q, err
}

// deflate subtracts from w its part in the first k eigenvectors.
func (o *noise) deflate(ctx context.Context, w *matrix.Tall, k int) {
	part := kernel.Gram(ctx, o.eigen.Vectors, w, o.workers)
	clear(part[k*w.Cols():])
	kernel.MultiplyAdd(ctx, w, -1, o.eigen.Vectors, part, o.workers)
}

// extend subtracts from w, D times the last block, its part in the basis, twice for the sake of rounding, and returns
// Qᵀ·D·Q with as many columns more.
func (o *noise) extend(ctx context.Context, h []float64, blocks []*matrix.Tall, w *matrix.Tall) []float64 {
	coefficients := kernel.ProjectOut(ctx, w, blocks, o.workers)
	kernel.ProjectOut(ctx, w, blocks, o.workers)
	before, cols := side(h), w.Cols()
	n := len(coefficients) / max(cols, 1)
	grown := make([]float64, n*n)
	for i := range n {
		copy(grown[i*n:], h[min(i, before)*before:min(i+1, before)*before])
		for j := before; j < n; j++ {
			v := coefficients[i*cols+j-before]
			grown[i*n+j], grown[j*n+i] = v, v
		}
	}
	return grown
}

// side returns the number of rows of a square matrix.
func side(a []float64) int { return int(math.Round(math.Sqrt(float64(len(a))))) }
