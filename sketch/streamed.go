// This file holds the sketch of documents that are read once.

package sketch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"anchorage/corpus"
	"anchorage/matrix"
)

// Streamed is the sketch of documents that are read once: M·S·Ω, with S = C + Ĥ_diag, the marginals, and the scatter of
// the documents. Its size does not depend on the number of documents, and sketches of disjoint sets of documents add
// up.
//
// Ω is diag(s)·R: independent signs R (see omega), and a scale s_i for every item, in proportion to √(ω_i·tf_i) by the
// counts of the vocabulary. So frequent items, on which the leading eigenvectors lie, weigh more than the noise of the
// many rare ones; see docs/decisions/passes.md. Where the vocabulary has no counts before the pass, s is 1. Besides Ω
// there are TestColumns columns of unscaled signs. Nothing is fitted to them, so they show how far the result is off.
type Streamed struct {
	Seed        uint64
	Fingerprint string // of the vocabulary, corpus.Vocabulary.Fingerprint
	Marginals   Marginals
	Scatter     Scatter
	// Scale is s, of length N; nil means 1 each.
	Scale []float64
	// Product is M·S·[T Ω], N×(TestColumns+L), T being the test columns; nil after Eigen.
	Product *matrix.Single
	Form    Form // of Eigen
	Normal  bool // R is normal, as in StreamOptions

	vocabulary *corpus.Vocabulary
}

// TestColumns is the number of columns that test the result.
const TestColumns = 16

// StreamOptions say how documents are streamed.
type StreamOptions struct {
	Columns int    // L, the columns of Ω; at least twice the number of topics
	Seed    uint64 // of Ω
	Workers int    // goroutines; 0 for as many as there are processors
	// Normal makes the entries of R normal, as published, in place of signs: no more accurate, and slow. Such a sketch
	// cannot be saved.
	Normal bool
	// Weights are ω, and PairPrior is κ, as in Options.
	Weights   []float64
	PairPrior float64
	// Fit, if not nil, returns how many columns are affordable for a number of items. It is called whenever a vocabulary
	// has grown; it must never return more for more items. A sketch that is too wide then drops its last columns: up to
	// rounding it becomes the sketch that was made with fewer from the beginning. The error of Fit ends the pass.
	Fit func(items int) (columns int, err error)
}

// Stream makes a sketch in one pass over the documents. The vocabulary may grow during the pass, as long as it holds
// every item of the documents delivered so far. The sketch refers to the vocabulary and the weights, which must stay as
// they are afterwards. The error is that of the pass or of Fit.
func Stream(ctx context.Context, pass corpus.Pass, vocabulary *corpus.Vocabulary,
	opts StreamOptions) (*Streamed, error) {
	if opts.Columns < 1 {
		panic("sketch: no columns")
	}
	if opts.Weights != nil && len(opts.Weights) != vocabulary.Len() {
		panic("sketch: number of weights is not the number of items")
	}
	s := &Streamed{Seed: opts.Seed, Product: matrix.NewSingle(0, TestColumns+opts.Columns),
		Scale: scaleOf(vocabulary, opts.Weights), Normal: opts.Normal, vocabulary: vocabulary}
	s.Marginals.Weights, s.Marginals.PairPrior = opts.Weights, opts.PairPrior
	sums := newStreaming(s, opts.Workers)
	err := pass(ctx, func(docs *corpus.Documents) error {
		if err := s.grow(&opts); err != nil {
			return err
		}
		return sums.add(ctx, docs)
	})
	if err != nil {
		return nil, err
	}
	if err := s.grow(&opts); err != nil {
		return nil, err
	}
	s.Fingerprint = vocabulary.Fingerprint()
	return s, sums.flush(ctx)
}

// grow makes room for the items of the vocabulary, and drops columns that have become too many.
func (s *Streamed) grow(opts *StreamOptions) error {
	n := s.vocabulary.Len()
	if opts.Fit != nil && n > s.Product.Rows() {
		columns, err := opts.Fit(n)
		if err != nil {
			return err
		}
		s.Product.Shrink(TestColumns + min(columns, s.Columns()))
	}
	s.Product.Grow(n)
	s.Marginals.grow(n)
	s.Scatter.grow(n)
	return nil
}

// scaleOf returns s of the items of a vocabulary, relative to the greatest; nil if it is not counted. The values are of
// single precision, since rows of Ω are made in either.
func scaleOf(v *corpus.Vocabulary, weights []float64) []float64 {
	if !v.Counted || v.Len() == 0 {
		return nil
	}
	scale, greatest := make([]float64, v.Len()), 0.0
	for i := range scale {
		scale[i] = float64(max(v.TermFrequency[i], 1))
		if weights != nil {
			scale[i] *= weights[i]
		}
		greatest = max(greatest, scale[i])
	}
	for i, v := range scale {
		scale[i] = float64(float32(math.Sqrt(v / greatest)))
	}
	return scale
}

// sameScale reports whether two scales are the same; nil means 1 each.
func sameScale(a, b []float64) bool {
	if a == nil {
		a, b = b, nil
	}
	if b == nil {
		return !slices.ContainsFunc(a, func(v float64) bool { return v != 1 })
	}
	return slices.Equal(a, b)
}

// RestoreStreamed returns a sketch that was saved, given its parts and the vocabulary that it was made with, all of
// which it refers to.
func RestoreStreamed(s Streamed, vocabulary *corpus.Vocabulary) (*Streamed, error) {
	n := vocabulary.Len()
	m := &s.Marginals
	lengths := []int{s.Product.Rows(), len(m.Diagonal), len(m.RowSums), len(m.DocumentFrequency), len(m.TermFrequency),
		len(s.Scatter.Squares), len(s.Scatter.Lengths)}
	for _, numbers := range [][]float64{m.Weights, s.Scale} {
		if numbers != nil {
			lengths = append(lengths, len(numbers))
		}
	}
	for _, length := range lengths {
		if length != n {
			return nil, fmt.Errorf("a sketch of %d items does not belong to a vocabulary of %d", length, n)
		}
	}
	if s.Product.Cols() <= TestColumns {
		return nil, errors.New("a sketch without columns")
	}
	s.Fingerprint, s.vocabulary = vocabulary.Fingerprint(), vocabulary
	return &s, nil
}

// Columns returns L.
func (s *Streamed) Columns() int { return s.Product.Cols() - TestColumns }

// Items returns N.
func (s *Streamed) Items() int { return s.Product.Rows() }

// Difference is what keeps two sketches from being added.
type Difference int

// The differences.
const (
	DifferentSeeds Difference = iota + 1
	DifferentColumns
	DifferentVocabularies
	DifferentWeights
	DifferentCounts
)

// MergeError says why two sketches cannot be added.
type MergeError struct {
	Difference Difference
	Ours       uint64 // where seeds or numbers of columns differ: that of the sketch that is added to
	Theirs     uint64 // and that of the other one
}

// Error names the difference.
func (e *MergeError) Error() string {
	switch e.Difference {
	case DifferentSeeds:
		return fmt.Sprintf("the sketches have different seeds, %d and %d", e.Ours, e.Theirs)
	case DifferentColumns:
		return fmt.Sprintf("the sketches have %d and %d columns", e.Ours, e.Theirs)
	case DifferentVocabularies:
		return "the sketches have different vocabularies"
	case DifferentCounts:
		return "the vocabularies of the sketches have the same items, but different counts"
	}
	return "the sketches weigh items or documents differently"
}

// Merge adds a sketch of other documents to s. It returns a *MergeError, and leaves s as it is, if the sketches were
// not made with the same seed, number of columns, vocabulary, weights and, by the scales, counts of the vocabulary.
func (s *Streamed) Merge(other *Streamed) error {
	return s.MergeRows(other, other.Columns(), func(add func(row []float32)) error {
		for i := range other.Product.Rows() {
			add(other.Product.Row(i))
		}
		return nil
	})
}

// MergeRows is Merge with a sketch of the given number of columns whose Product is elsewhere: rows calls add with each
// of its N rows, in order, TestColumns+L values each. If rows returns an error, so does MergeRows; then s is of no use
// any more.
func (s *Streamed) MergeRows(other *Streamed, columns int, rows func(add func(row []float32)) error) error {
	if err := s.checkMerge(other, columns); err != nil {
		return err
	}
	i := 0
	err := rows(func(row []float32) {
		for j, v := range s.Product.Row(i) {
			s.Product.Row(i)[j] = v + row[j]
		}
		i++
	})
	if err != nil {
		return err
	}
	if i != s.Product.Rows() {
		panic("sketch: number of rows is not the number of items")
	}
	s.Marginals.merge(&other.Marginals)
	s.Scatter.merge(&other.Scatter)
	return nil
}

// checkMerge returns a *MergeError unless a sketch of the given number of columns can be added to s.
func (s *Streamed) checkMerge(other *Streamed, columns int) error {
	switch {
	case s.Normal != other.Normal:
		panic("sketch: signs and normal numbers cannot be added")
	case s.Seed != other.Seed:
		return &MergeError{DifferentSeeds, s.Seed, other.Seed}
	case s.Columns() != columns:
		return &MergeError{DifferentColumns, uint64(s.Columns()), uint64(columns)}
	case s.Fingerprint != other.Fingerprint:
		return &MergeError{Difference: DifferentVocabularies}
	case !slices.Equal(s.Marginals.Weights, other.Marginals.Weights), s.Marginals.PairPrior != other.Marginals.PairPrior:
		return &MergeError{Difference: DifferentWeights}
	case !sameScale(s.Scale, other.Scale):
		return &MergeError{Difference: DifferentCounts}
	}
	return nil
}
