// This file holds the options of rectifiers and their results.

package rectify

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"anchorage/internal/checkpoint"
	"anchorage/matrix"
)

const (
	// DefaultTolerance is the relative change at which AP, PALM and IPALM have converged.
	DefaultTolerance = 1e-4
	// ENNTolerance is that of ENN, which bounds also the negative entries, as a share of the sum of all. Topics do not
	// become better with a smaller one: docs/decisions/enn.md.
	ENNTolerance = 1e-3
	// DefaultIterations bounds the iterations where the tolerance decides when to stop.
	DefaultIterations = 150
	// PublishedIterations is the number of iterations with which ENN meets the figures of the papers.
	PublishedIterations = 50
	// DefaultCorrectionBytes is how much of E is held in memory by default.
	DefaultCorrectionBytes = 1 << 30
)

// FactorRectifier is a rectifier that starts from a factor y, N×K with C ≈ y·yᵀ: ENN, PALM and IPALM. It uses y up;
// Result.Factor has its memory or replaces it.
type FactorRectifier func(ctx context.Context, y *matrix.Tall, opts Options) (*Result, error)

// Options say how co-occurrences are rectified. The zero value is the default.
type Options struct {
	// Iterations is the exact number of iterations. With 0, ENN makes steps of growing length until it has settled, at
	// most all of Stages; AP stops by Tolerance, after at most DefaultIterations; PALM and IPALM after at most
	// DefaultPALMIterations.
	Iterations int
	// Stages are the numbers of stages of ENN's steps, one after the other; nil for the default. They mean nothing if
	// Iterations is given. See docs/decisions/enn.md.
	Stages []int
	// Truncated makes every iteration of ENN a truncated eigendecomposition to TruncatedTolerance, as published, in place
	// of one product with the vectors that are carried along. It takes several products each, and memory for a basis of
	// four blocks more.
	Truncated bool
	Tolerance float64 // relative change of a converged matrix, see Result.Converged; 0 for the default
	Rows      int     // ENN: |I|, the rows that corrections are sought in; 0 for 10K+1000
	MostBytes int64   // what the dense C of AP may take; 0 for sketch.DefaultDenseBytes
	Seed      uint64  // of the columns that eigenvector iterations carry beyond K
	// Key returns the key of row i in random numbers: the hash of the item's id, corpus.Vocabulary.Key, so that results
	// do not depend on how items are numbered. Nil means the row numbers.
	Key     func(i int) uint64
	Workers int // goroutines; 0 for as many as there are processors
	// Marginals are p, N values that are not negative and sum to 1. With them ENN normalizes by r·ppᵀ and then by scaling;
	// with nil, by r·eeᵀ, as published.
	Marginals   []float64
	Corrections Corrections // ENN: where E is kept
	// Multiply is the product with C that PALM and IPALM need: Dense for a matrix that is held, the Multiply of a
	// sketch.Operator for passes over documents. Without it they panic. The others do not use it.
	Multiply Operator
	PALM     PALMOptions // of PALM and IPALM
	// Report, if not nil, is called after every iteration.
	Report func(Iteration)

	// point is where ENN, PALM and IPALM keep their state between iterations: the checkpoint that their context carries,
	// if it does. If it resumes, the factor to start from is not used, and may be nil. Rectifiers of a dense C keep
	// nothing.
	point *checkpoint.Point
}

// PALMOptions are only for PALM and IPALM. The zero value is the default.
type PALMOptions struct {
	Coupling  float64 // s, the weight of ‖X − Y‖²; 0 for DefaultCoupling, and of IPALM for one that adapts
	KeepSigns bool    // start from the columns with the signs they have
}

// Iteration says what one iteration of a rectifier did. Fields that do not apply to a rectifier are 0.
type Iteration struct {
	Number int `json:"number"` // from 1
	Of     int `json:"-"`      // how many there will be, for ENN at most; 0 where the tolerance decides
	// Change is the relative change that Tolerance bounds. ENN: how far one published iteration would move the factor,
	// ‖G(Y)·Q − Y‖_F / ‖G(Y)‖_F with the rotation Q for which that is least.
	Change float64 `json:"change"`
	// Density is the share of the entries checked that were negative; ENN: of the N×|I| candidates of E.
	Density float64 `json:"density"`
	Shift   float64 `json:"shift"` // r: what is added to every entry, or times p_i·p_j, so that all entries sum to 1
	// CorrectionsSum is Σ_ij E_ij: the sum of the negative entries among those checked, with the sign changed.
	CorrectionsSum float64 `json:"corrections_sum"`
	// Epsilon is ENN's ε: the greatest ‖y_i‖² of a row i outside of I. No entry among those that are not checked is below
	// −ε.
	Epsilon  float64 `json:"epsilon"`
	Distance float64 `json:"-"` // ENN: ‖E‖_F, from the nearest matrix without negative entries among those checked
	// Applications is how often ENN has multiplied by Y·Yᵀ + E + r·eeᵀ, and Residual the greatest residual of its K
	// eigenpairs relative to the greatest eigenvalue, which is known only with Options.Truncated.
	Applications int     `json:"applications,omitempty"`
	Residual     float64 `json:"residual,omitempty"`
	Objective    float64 `json:"-"` // PALM and IPALM: J(X, Y) − ½‖C‖²_F
	Coupling     float64 `json:"-"` // PALM and IPALM: s
	Apart        float64 `json:"-"` // PALM and IPALM: ‖X − Y‖_F/‖X‖_F
	FactorSum    float64 `json:"-"` // PALM and IPALM: ‖Xᵀe‖², the sum of all entries of X·Xᵀ
	Restarted    bool    `json:"-"` // IPALM: J rose with inertia, and the iteration was repeated without it
	// Corrections says where ENN kept E, as far as there was room. Of several ranks, each speaks of its own part.
	Corrections     CorrectionsMode `json:"corrections,omitempty"`
	CorrectionBytes int64           `json:"corrections_bytes,omitempty"` // kept, in memory or in the spill file
}

// Result is the result of a rectifier.
type Result struct {
	// Y, N×K; except from PALM and IPALM, its columns are orthogonal, in order of decreasing length
	Factor     *matrix.Tall
	Matrix     *matrix.Tall // the rectified C, N×N, from AP; nil from a FactorRectifier
	Iterations []Iteration
	Products   int // ENN: products with the rectified matrix; PALM and IPALM: with C
	// Converged says that the last change was within the tolerance. ENN: and that CorrectionsSum was, relative to the sum
	// of all entries.
	Converged  bool
	Norm       float64    // ‖Y·Yᵀ‖_F
	Negativity Negativity // ENN: the negative entries that are left
}

// repeat calls step with the number of each iteration, from the first that r does not have, and records what it
// returns, until ends says that an iteration was the last, at most limit in all. Errors begin with the name of the
// rectifier. state returns a function that takes the state between two iterations to a checkpoint; nil for a rectifier
// that keeps none.
func (r *Result) repeat(name string, limit int, opts Options, state func() func(*checkpoint.Values),
	step func(number int) (Iteration, error), ends func(Iteration) bool) error {
	for number := len(r.Iterations) + 1; number <= limit; number++ {
		if state != nil && number > 1 {
			opts.point.Reached(r.keeping(state()))
		}
		done, err := step(number)
		if err != nil {
			return fmt.Errorf("%s iteration %d: %w", name, number, err)
		}
		done.Number, done.Of = number, opts.Iterations
		r.Iterations = append(r.Iterations, done)
		if opts.Report != nil {
			opts.Report(done)
		}
		if ends(done) {
			break
		}
	}
	return nil
}

// tolerance returns Tolerance, or its default.
func (o *Options) tolerance() float64 { return cmp.Or(o.Tolerance, DefaultTolerance) }

func norm(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v * v
	}
	return math.Sqrt(sum)
}
