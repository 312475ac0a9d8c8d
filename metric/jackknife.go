// This file holds estimates made of squared projections, and their standard errors.

package metric

import (
	"math"

	"anchorage/matrix"
)

// groups is the number of groups of random columns for the standard errors: enough to know them within a fifth.
const groups = 16

// squares are the squared norms of the rows of an N×N matrix E, added up from columns of E·[F, Q, Ω].
type squares struct {
	basis  *subspace
	fixed  []float64    // of every row, ‖E_i·F‖² + ‖E_i·Q‖²
	random *matrix.Tall // N×groups, of every row, ‖E_i·Ω‖² by groups of columns
}

func newSquares(n int, basis *subspace) *squares {
	return &squares{basis: basis, fixed: make([]float64, n), random: matrix.NewTall(n, groups)}
}

// add adds the value of row i in a column.
func (s *squares) add(i, column int, value float64) {
	if at := column - s.basis.fixed(); at < 0 {
		s.fixed[i] += value * value
	} else {
		s.random.Row(i)[at%groups] += value * value
	}
}

// row returns the estimate of ‖E_i‖² without one group of columns; −1 leaves out none.
func (s *squares) row(i, without int) float64 {
	if s.basis.random == 0 {
		return s.fixed[i]
	}
	sum, columns := 0.0, s.basis.random
	for g, v := range s.random.Row(i) {
		if g != without {
			sum += v
		}
	}
	if without >= 0 {
		columns -= columns / groups // L is a multiple of groups
	}
	return s.fixed[i] + sum/float64(columns)
}

// total returns the estimate of ‖E‖_F².
func (s *squares) total(without int) float64 {
	sum := 0.0
	for i := range s.fixed {
		sum += s.row(i, without)
	}
	return sum
}

// estimate evaluates a figure on all columns. For the standard error it evaluates it without each group of columns in
// turn: the jackknife, √((g−1)/g·Σ_j (θ_(j) − θ̄)²) (Efron & Stein, Ann. Stat. 9, 1981).
func (s *subspace) estimate(figure func(without int) float64) Estimate {
	e := exactly(figure(-1))
	if s.random == 0 {
		return e
	}
	var parts [groups]float64
	for g := range parts {
		parts[g] = figure(g)
	}
	mean, sum := total(parts[:])/groups, 0.0
	for _, part := range parts {
		sum += (part - mean) * (part - mean)
	}
	e.StandardError = math.Sqrt(sum * (groups - 1) / groups)
	return e
}
