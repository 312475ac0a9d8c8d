// This file holds the sketch that several passes begin with: the result of the first.

package sketch

import (
	"context"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// Marginals are sums over documents for each item. Slices have length N. With a prior of pairs, M is Total.
type Marginals struct {
	Documents int64 // the documents with at least two tokens
	// Σ_m ω_i²·h_im·w_m, without weights Σ_m h_im/(n_m(n_m−1)): M times the diagonal of Ĥ_diag
	Diagonal          []float64
	RowSums           []float64 // Σ_m ω_i·h_im·(n_m−ω_i)·w_m, without weights Σ_m h_im/n_m: M times the row sums of C
	DocumentFrequency []int64   // documents with the item, among the M
	TermFrequency     []int64   // Σ_m h_im
	// Weights are the ω of Options.Weights; nil if every item weighs 1.
	Weights   []float64
	PairPrior float64 // κ of Options.PairPrior
}

// grow appends zeros until there are n items.
func (m *Marginals) grow(n int) {
	more := n - len(m.Diagonal)
	if more <= 0 {
		return
	}
	m.Diagonal = append(m.Diagonal, make([]float64, more)...)
	m.RowSums = append(m.RowSums, make([]float64, more)...)
	m.DocumentFrequency = append(m.DocumentFrequency, make([]int64, more)...)
	m.TermFrequency = append(m.TermFrequency, make([]int64, more)...)
}

// merge adds the marginals of other documents.
func (m *Marginals) merge(other *Marginals) {
	m.Documents += other.Documents
	for i := range m.Diagonal {
		m.Diagonal[i] += other.Diagonal[i]
		m.RowSums[i] += other.RowSums[i]
		m.DocumentFrequency[i] += other.DocumentFrequency[i]
		m.TermFrequency[i] += other.TermFrequency[i]
	}
}

// Total returns what C is divided by: M, the number of documents, or with a prior of pairs Σ_m v_m, which is the sum of
// RowSums; 1 without any document. It takes O(N) then.
func (m *Marginals) Total() float64 {
	if m.PairPrior == 0 || m.Documents == 0 {
		return float64(max(m.Documents, 1))
	}
	total := 0.0
	for _, sum := range m.RowSums {
		total += sum
	}
	return total
}

// Probabilities returns p_i = Σ_m h_im/(n_m·M), the row sums of C, which sum to 1.
func (m *Marginals) Probabilities() []float64 {
	p, total := make([]float64, len(m.RowSums)), m.Total()
	for i, sum := range m.RowSums {
		p[i] = sum / total
	}
	return p
}

// Sketch is the result of the first of several passes over documents: M·C·Ω and the marginals. Krylov continues it.
type Sketch struct {
	Seed      uint64
	Marginals Marginals
	Product   *matrix.Tall // M·C·Ω, N×L; nil after Krylov

	vocabulary *corpus.Vocabulary
	start      *matrix.Tall // the block to start from; nil if the sketch starts only from Ω
}

// Options say how a sketch is made and used.
type Options struct {
	Columns   int     // L, the columns of Ω, those of Start among them; at least the number of topics
	Seed      uint64  // of Ω
	Workers   int     // goroutines; 0 for one per processor
	Tolerance float64 // Krylov: largest residual of a wanted pair, relative to the K-th eigenvalue; 0 for DefaultTolerance
	Passes    int     // Krylov: passes in all, the sketch's among them; 0 for as many as Tolerance asks for
	// Power makes Krylov a randomized subspace iteration, as the papers have it: each pass replaces an orthonormal basis Q
	// of L columns by one of C·Q, and the result is the Ritz pairs in the last (Halko, Martinsson & Tropp, SIAM Review 53,
	// 2011, Algorithms 4.4 and 5.3). Where negative eigenvalues crowd out the wanted ones, it is one of (C+σ·I)·Q, with σ
	// up to half of the greatest of them in modulus.
	Power     bool
	MaxBlocks int // Krylov: N×L blocks held before the basis is compressed, at least 2; 0 for up to 8, by size
	// SpillDir is a folder for the blocks of the Krylov basis, of which memory then holds only the last one and its
	// product. The result is the same. Empty to hold them all.
	SpillDir string
	// Weights are ω: a positive weight for every item; nil means 1 each. They make C the co-occurrences of thinned
	// documents, in which a token of item i is kept with a probability in proportion to ω_i. With n_m = Σ_i ω_i·h_im and
	// w_m = 1/(n_m² − Σ_i ω_i²·h_im),
	//
	//	C_ij = (1/M) Σ_m w_m·ω_i·ω_j·h_im·(h_jm − δ_ij)
	//
	// As without weights, every document has the share 1/M in C. No token is paired with itself.
	Weights []float64
	// PairPrior is κ ≥ 0: a document of t tokens has in C the weight v = t(t−1)/(t(t−1)+κ) instead of 1, and C is divided
	// by Σ_m v_m instead of M. With equal weights the pairs of the shortest documents, which are few and say as much as
	// those of long ones, are most of C's noise. No expectation of C changes if topics do not depend on lengths.
	PairPrior float64
	// Layout says which rows of the product this process holds, and with whom it shares the documents:
	// corpus.Corpus.Layout.
	Layout matrix.Layout
	// Start, if not nil, has vectors that the passes start from beside Ω.
	Start *Start
	// Report, if not nil, is called after every pass with its number and the largest residual, relative to the greatest
	// eigenvalue.
	Report func(pass int, residual float64)
}

// Accumulate makes a sketch in one pass over the documents, whose items the vocabulary has. The sketch refers to the
// vocabulary and the weights, which must stay as they are afterwards. The error is that of the pass.
//
// The document frequencies of the vocabulary bound the sums, which are then exact (docs/decisions/exact-sums.md). Where
// the documents prove them too small, and for a vocabulary that is not counted, Accumulate makes the pass again.
func Accumulate(ctx context.Context, pass corpus.Pass, vocabulary *corpus.Vocabulary, opts Options) (*Sketch, error) {
	if opts.Columns < 1 {
		panic("sketch: no columns")
	}
	n := vocabulary.Len()
	if opts.Weights != nil && len(opts.Weights) != n {
		panic("sketch: number of weights is not the number of items")
	}
	s := &Sketch{Seed: opts.Seed, vocabulary: vocabulary}
	s.Marginals.Weights, s.Marginals.PairPrior = opts.Weights, opts.PairPrior
	signs := omega{seed: opts.Seed, cols: opts.Columns}
	sums := signs.product(vocabulary.Key, &opts)
	from := signs.keyed(vocabulary.Key)
	if opts.Start == nil {
		s.Product = matrix.NewShared[float64](opts.Layout, n, opts.Columns)
	} else {
		var err error
		if s.start, err = newStart(ctx, vocabulary, &opts); err != nil {
			return nil, err
		}
		s.Product = matrix.Like(s.start)
		sums.rows, from = denseRows(s.start), fetched(s.start)
	}
	sums.out = s.Product
	if err := s.accumulate(ctx, pass, &sums, from); err != nil {
		return nil, err
	}
	return s, sums.finish(ctx, &s.Marginals, 1)
}

// accumulate makes the first pass: once, or again if the vocabulary's frequencies turn out to be too small.
func (s *Sketch) accumulate(ctx context.Context, pass corpus.Pass, sums *product, from source) error {
	n := s.vocabulary.Len()
	frequency, share := s.vocabulary.DocumentFrequency, float64(mostShare)
	if !s.vocabulary.Counted {
		frequency = make([]int64, n)
	}
	for {
		s.Marginals = *NewMarginals(n, s.Marginals.Weights, s.Marginals.PairPrior)
		sums.tally = newTally(&s.Marginals, frequency, share)
		sums.units = sums.tally.units
		if err := sums.pass(ctx, pass, from); err != nil {
			return err
		}
		ok, err := sums.tally.finish(ctx, s.Product.Layout())
		if ok || err != nil {
			return err
		}
		frequency, share = s.Marginals.DocumentFrequency, sums.tally.most
		s.Product.Clear()
	}
}

// normalize divides the product by M: then it is C·Ω.
func (s *Sketch) normalize(ctx context.Context, workers int) error {
	scale := 1 / s.Marginals.Total()
	return kernel.EachRow(ctx, s.Product, workers, func(_ int, row []float64) {
		for j := range row {
			row[j] *= scale
		}
	})
}
