// This file has the step of the randomized subspace iteration of Options.Power, and divides its passes among tasks:
// each adds up what its documents give to a pass.

package sketch

import (
	"context"
	"fmt"
	"slices"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// Iteration is the subspace iteration of Options.Power between two passes; the zero value is before the first. It finds
// the bits that Accumulate, Krylov and MeasureEvidence find in one process, if no pass is in single precision.
type Iteration struct {
	Marginals Marginals // of all documents, from the first step on
	Passes    int       // made, without that of the evidence
	// Basis is Q, N×L, for the next product C·Q; nil before the first pass, which takes C·Ω, and after the last.
	Basis     *matrix.Tall
	Shift     float64   // σ of Options.Power
	Residuals []float64 // of the wanted pairs after the last step, relative to the greatest eigenvalue
	Eigen     *Eigen    // after the last product: the next pass is that of the evidence
}

// What a Round holds.
const (
	RoundSums     = "sums"     // of the documents of tasks in a pass
	RoundEvidence = "evidence" // the same in the pass of the evidence
	RoundBasis    = "basis"    // that the next pass multiplies with
	RoundPairs    = "pairs"    // of which the evidence is to be measured
	RoundSurvey   = "survey"   // sums of the first pass of a refinement
	RoundRefined  = "topics"   // the same of other passes
)

// Round is the record of a part of an Iteration, as a manifest has it.
type Round struct {
	Holds   string  `json:"holds"`
	Pass    int     `json:"pass"`                   // of sums: which it is, from 1; of others: how many there were
	Passes  int     `json:"passes,omitempty"`       // that there are to be; 0 for as many as accuracy needs
	Columns int     `json:"columns,omitempty"`      // of the sums or the basis
	Shift   float64 `json:"shift,omitempty"`        // σ of Options.Power
	Start   string  `json:"start_sha256,omitempty"` // of the manifest.json of what the tasks of sums started from
	For     string  `json:"for,omitempty"`          // refine.Purpose of a refinement; empty of others
	Path    string  `json:"-"`                      // from which it was read, and the SHA-256 of its manifest.json
	SHA256  string  `json:"-"`
}

// IsSums reports whether there are sums, of the evidence, a refinement or another pass; nil has none.
func (r *Round) IsSums() bool {
	return r != nil && (r.Holds == RoundSums || r.Holds == RoundEvidence || r.For != "")
}

// Sums are what some documents add to a pass. All but Product are integers, and the terms of Product are multiples of a
// unit for each row: sums of different documents add up without rounding, in any order.
type Sums struct {
	// Whole has N integers each: in the first pass document and term frequencies, RowSums and Diagonal, for the evidence
	// Σ a, Σ a² and Σ a²·‖ξ‖² (see Evidence), the latter two and three in units of each item; in other passes none.
	Whole     [][]int64
	Product   *matrix.Tall // M·(C + Ĥ_diag)·Q, N×L; nil of the evidence. Of a refinement refine.Sums.Tokens
	Totals    *matrix.Tall // refine.Sums.Totals; nil of others
	Documents int64        // in the first pass: those with a pair
}

// Sum makes the next pass over some documents, by Columns, Seed, Workers, Weights and PairPrior of the options. The
// counts of the vocabulary must include those of the documents; else the error is a *corpus.DataError.
func (it *Iteration) Sum(ctx context.Context, pass corpus.Pass, v *corpus.Vocabulary, opts Options) (*Sums, error) {
	if it.Eigen != nil {
		g := newGathering(ctx, &it.Marginals, it.Eigen, EvidenceOptions{Workers: opts.Workers})
		return &Sums{Whole: [][]int64{g.sums, g.squares, g.lengths}}, g.pass(ctx, pass)
	}
	if it.Passes > 0 {
		sums, err := it.product(ctx, matrix.Like(it.Basis), opts.Workers)
		if err == nil {
			err = sums.pass(ctx, pass, nil)
		}
		return &Sums{Product: sums.out}, err
	}
	m := NewMarginals(v.Len(), opts.Weights, opts.PairPrior)
	sums := omega{seed: opts.Seed, cols: opts.Columns}.product(v.Key, &opts)
	sums.out, sums.tally = matrix.NewTall(v.Len(), opts.Columns), newTally(m, v.DocumentFrequency, mostShare)
	sums.units = sums.tally.units
	if err := sums.pass(ctx, pass, nil); err != nil {
		return nil, err
	}
	s := &Sums{Whole: [][]int64{m.DocumentFrequency, m.TermFrequency, sums.tally.rowSums, sums.tally.diagonal},
		Product: sums.out, Documents: m.Documents}
	return s, s.check(v, sums.tally.most)
}

// product returns the sums of a pass with the basis before the first document.
func (it *Iteration) product(ctx context.Context, out *matrix.Tall, workers int) (product, error) {
	greatest, err := greatestMagnitude(ctx, it.Basis, workers)
	return product{out: out, rows: denseRows(it.Basis), workers: workers, itemWeights: it.Marginals.Weights,
		pairPrior: it.Marginals.PairPrior, units: it.Marginals.units(greatest)}, err
}

// check returns a *corpus.DataError if sums of the first pass may be beyond the units that the vocabulary fixed, or if
// most, the greatest share of an item, is.
func (s *Sums) check(v *corpus.Vocabulary, most float64) error {
	for i, df := range s.Whole[0] {
		if df > v.DocumentFrequency[i] || most > mostShare {
			return &corpus.DataError{Lack: corpus.Miscounted, Reason: fmt.Sprintf("%d documents have the item %.40q, of which "+
				"the vocabulary counts %d", df, v.ID(i), v.DocumentFrequency[i])}
		}
	}
	return nil
}

// Step makes the step after a pass from the sums over all documents, which it uses up. After the last pass, by
// opts.Passes or Tolerance as for Krylov, it sets Eigen, of k pairs; of sums of the evidence it returns that. The error
// is a *corpus.DataError as of Sum, a *RankError where fewer than k eigenvalues are positive, or that of ctx.
func (it *Iteration) Step(ctx context.Context, s *Sums, v *corpus.Vocabulary, k int, opts Options) (*Evidence, error) {
	m := &it.Marginals
	if it.Eigen != nil {
		g := newGathering(ctx, m, it.Eigen, EvidenceOptions{Workers: opts.Workers})
		g.sums, g.squares, g.lengths = s.Whole[0], s.Whole[1], s.Whole[2]
		rows, err := g.squaredRows(ctx, k, opts.Workers)
		return g.finish(rows), err
	}
	opts.Power = true
	b := basis{marginals: m, k: k, opts: opts, shift: it.Shift}
	defer b.release()
	if it.Passes++; it.Passes == 1 {
		if err := s.check(v, 0); err != nil {
			return nil, err
		}
		*m = *NewMarginals(v.Len(), opts.Weights, opts.PairPrior)
		m.Documents, m.DocumentFrequency, m.TermFrequency = s.Documents, s.Whole[0], s.Whole[1]
		for i, u := range newTally(m, v.DocumentFrequency, mostShare).units {
			m.RowSums[i], m.Diagonal[i] = u.Value(s.Whole[2][i]), u.Value(s.Whole[3][i])
		}
		sums := omega{seed: opts.Seed, cols: opts.Columns}.product(v.Key, &opts)
		sums.out = s.Product
		err := sums.finish(ctx, m, 1)
		if err == nil {
			err = b.begin(ctx, &Sketch{Marginals: *m, Product: s.Product})
		}
		it.Basis = s.Product
		return nil, err
	}
	sums, err := it.product(ctx, s.Product, opts.Workers)
	if err == nil {
		err = sums.finish(ctx, m, 1/m.Total())
	}
	if b.blocks, b.width = []*matrix.Tall{it.Basis}, it.Basis.Cols(); err == nil {
		err = b.absorb(ctx, s.Product)
	}
	switch it.Residuals = b.residuals; {
	case err != nil:
	case b.done(it.Passes):
		it.Eigen, err = b.eigen(ctx, it.Passes)
	default:
		err = b.shorten(ctx)
		it.Basis, it.Shift = b.blocks[0], b.shift
	}
	return nil, err
}

// replace makes an orthonormal basis of (C+σ·I)·Q the only block. The parts of the product are known: C·Q = Q·H + Q'·R
// with the last block Q'.
func (b *basis) replace(ctx context.Context) error {
	b.raiseShift()
	cols := b.applied
	factor := append(slices.Clone(b.h), b.coupling...)
	for i := range cols {
		factor[i*cols+i] += b.shift
	}
	product := kernel.Combined(ctx, b.blocks, factor, cols, b.opts.Workers, nil)
	b.blocks, b.applied, b.h, b.coupling = []*matrix.Tall{product}, 0, nil, nil
	_, err := kernel.Orthonormalize(ctx, product, b.opts.Workers)
	return err
}

// raiseShift raises σ where negative eigenvalues crowd out wanted ones. The iteration turns to the eigenvalues of
// greatest modulus. Without its diagonal, C can have enough negative ones among these that fewer than K columns are
// left. If −μ is the least Ritz value, σ = μ/2 makes −μ no greater in modulus than an eigenvalue 0, at the least cost
// to the gaps of the others: a shift makes the iteration slower. It is never lowered, or the negative ones would come
// back. (The authors' program shifts by λ₁/10 always, which leaves hardly a gap between small eigenvalues.)
func (b *basis) raiseShift() {
	positive := slices.IndexFunc(b.values, func(v float64) bool { return v <= 0 })
	if positive >= 0 && positive < min(b.k, b.applied) {
		b.shift = max(b.shift, -b.values[len(b.values)-1]/2)
	}
}
