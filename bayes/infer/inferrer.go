// This file holds the topics in the form in which documents meet them.

package infer

import (
	"math"

	"anchorage/internal/aligned"
	"anchorage/internal/process"
	"anchorage/matrix"
)

// Inferrer finds the mixtures of documents under fixed topics and a fixed prior. It takes N×K values of single
// precision, with rows padded to 16, and does not change.
type Inferrer struct {
	options Options
	k       int
	table   *matrix.Single // row i is row i of B, divided by its greatest value
	scales  []float64      // of each row: that value; 0 if all of the row is
	alpha   []float64      // K: the Dirichlet prior
	total   float64        // Σ_k α_k
	shares  []float64      // K: E θ under the prior
	single  []float32      // padded: α
	weights []float32      // padded: the shares
}

// New returns an Inferrer for N items and K topics. row sets dst, K values, to row i of B; negative and invalid values
// count as 0. joint is A, K×K row-major. Both describe whole documents. The error is that of Options.Complete, or wraps
// syscall.ENOMEM if the process has a limit of memory and would exceed it.
func New(n, k int, row func(dst []float64, i int), joint []float64, o Options) (*Inferrer, error) {
	o, err := o.Complete()
	if err != nil {
		return nil, err
	}
	if err := process.Reserve(Bytes(n, k)); err != nil {
		return nil, err
	}
	t := newInferrer(matrix.NewSingle(n, k), joint, o)
	values := make([]float64, k)
	for i := range n {
		row(values, i)
		for a, v := range values {
			values[a] = float64(float32(v)) // as the tables of a model have it
		}
		t.scales[i] = setRow(t.table.Row(i), values)
	}
	return t, nil
}

// newInferrer returns an Inferrer with complete options and the prior that A gives. Its rows are yet to be set.
func newInferrer(table *matrix.Single, joint []float64, o Options) *Inferrer {
	n, k := table.Dims()
	t := &Inferrer{options: o, k: k, table: table, scales: make([]float64, n), alpha: MatchDirichlet(joint, k)}
	width := aligned.Columns[float32](k)
	t.single, t.weights, t.shares = make([]float32, width), make([]float32, width), make([]float64, k)
	t.setPrior(t.alpha)
	return t
}

// setRow sets dst to values divided by their maximum, and returns the maximum. Quotients below 10⁻³⁰ become 0: sums in
// single precision must not underflow.
func setRow(dst []float32, values []float64) float64 {
	greatest := 0.0
	for _, v := range values {
		if v > greatest && !math.IsInf(v, 1) {
			greatest = v
		}
	}
	inverse := 1 / greatest
	if math.IsInf(inverse, 1) {
		return 0
	}
	for k, v := range values {
		if q := v * inverse; q >= 1e-30 && q <= 1+1e-15 {
			dst[k] = float32(q)
		}
	}
	return greatest
}

// Options returns the options, with defaults in place of zero values.
func (t *Inferrer) Options() Options { return t.options }

// Topics returns K.
func (t *Inferrer) Topics() int { return t.k }

// Alpha returns a copy of the parameters of the Dirichlet prior, K values.
func (t *Inferrer) Alpha() []float64 { return append([]float64(nil), t.alpha...) }

// Row sets dst, K values, to row i of B divided by its greatest value; to 0 if all of the row is 0.
func (t *Inferrer) Row(dst []float64, i int) {
	for k, v := range t.table.Row(i)[:t.k] {
		dst[k] = float64(v)
	}
}

// Bytes returns about how many bytes an Inferrer of n items and k topics holds.
func Bytes(n, k int) int64 { return matrix.Bytes[float32](n, k) + 8*int64(n) }
