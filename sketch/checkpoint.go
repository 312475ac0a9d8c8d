// This file takes sketches to checkpoints and back.

package sketch

import (
	"anchorage/checkpoint"
	"anchorage/corpus"
	"anchorage/matrix"
	"context"
)

// Checkpoint takes the marginals to a checkpoint or from one.
func (m *Marginals) Checkpoint(v *checkpoint.Values) {
	v.Int64(&m.Documents)
	v.Float(&m.Surplus)
	checkpoint.Slice(v, &m.Diagonal)
	checkpoint.Slice(v, &m.RowSums)
	checkpoint.Slice(v, &m.DocumentFrequency)
	checkpoint.Slice(v, &m.TermFrequency)
	checkpoint.Slice(v, &m.Weights)
}

// Checkpoint takes the evidence to a checkpoint or from one.
func (e *Evidence) Checkpoint(v *checkpoint.Values) {
	checkpoint.Slice(v, &e.SamplingVariance)
	checkpoint.Slice(v, &e.EffectiveSampleSize)
	v.Ints(&e.Halves.Items)
	for half := range 2 {
		checkpoint.Slice(v, &e.Halves.Sums[half])
		checkpoint.Slice(v, &e.Halves.Rows[half])
	}
	cuts := len(e.Cuts)
	if v.Int(&cuts); v.Reading() {
		e.Cuts = nil
	}
	for c := range cuts {
		if v.Reading() {
			e.Cuts = append(e.Cuts, Cut{})
		}
		v.Int(&e.Cuts[c].K)
		if checkpoint.Slice(v, &e.Cuts[c].SamplingVariance); v.Err() != nil {
			return
		}
	}
}

// Checkpoint takes the eigenpairs to a checkpoint or from one.
func (e *Eigen) Checkpoint(v *checkpoint.Values) {
	checkpoint.Slice(v, &e.Values)
	checkpoint.Matrix(v, &e.Vectors)
	checkpoint.Matrix(v, &e.Leading)
	checkpoint.Slice(v, &e.GuardValues)
	checkpoint.Slice(v, &e.Residuals)
	v.Bool(&e.Estimated)
	v.Int(&e.Passes, &e.Singles)
}

// Checkpoint takes the sums to a checkpoint or from one.
func (n *PairNorms) Checkpoint(v *checkpoint.Values) {
	checkpoint.Slice(v, &n.Weights)
	v.Float(&n.Squares, &n.Mass, &n.SquaredMass)
	v.Int64(&n.Documents)
}

// Restored returns the sketch that Accumulate has made of a vocabulary by the options, given what a checkpoint has of it. The product may
// be nil if Options.Checkpoint has what Krylov made of it.
func Restored(ctx context.Context, vocabulary *corpus.Vocabulary, opts Options, marginals Marginals, product *matrix.Tall) (*Sketch, error) {
	s := &Sketch{Seed: opts.Seed, Marginals: marginals, Product: product, vocabulary: vocabulary}
	if opts.Start == nil || product == nil {
		return s, nil
	}
	var err error
	s.start, err = newStart(ctx, vocabulary, &opts)
	return s, err
}

// checkpoint takes the basis, and the number of passes that have led to it.
func (b *basis) checkpoint(v *checkpoint.Values, passes *int) {
	v.Int(passes, &b.width, &b.applied, &b.singles)
	v.Float(&b.shift)
	blocks := len(b.blocks)
	if v.Int(&blocks); v.Reading() {
		b.blocks = nil
	}
	for i := range blocks {
		if v.Reading() {
			b.blocks = append(b.blocks, nil)
		}
		if checkpoint.Matrix(v, &b.blocks[i]); v.Err() != nil {
			return
		}
	}
	for _, values := range []*[]float64{&b.h, &b.values, &b.vectors, &b.residuals, &b.coupling} {
		checkpoint.Slice(v, values)
	}
}
