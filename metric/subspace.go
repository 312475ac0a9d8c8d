// This file holds the columns by which C is multiplied if it is too large to be held: a basis of a subspace in which
// distances are exact, and random columns orthogonal to it; and the estimates made of such products, with their
// standard errors.

package metric

import (
	"cmp"
	"context"
	"math"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/internal/random"
	"anchorage/internal/toplist"
	"anchorage/matrix"
)

// subspace is [F, Q, Ω], N×columns. F are the unit vectors of the most frequent items, Q (N×K or less) an orthonormal
// basis of the rest of B's columns, and Ω random signs projected on the complement of both.
//
// For any matrix E of N columns ‖E‖_F² = ‖E·F‖² + ‖E·Q‖² + ‖E·P‖² with P the projection on that complement, and
// ‖E·Ω‖²/L is an unbiased estimate of the last term (Hutchinson, Commun. Stat. Simul. Comput. 18, 1989; the split is
// that of Hutch++: Meyer et al., SOSA 2021). The same is true of every row of E.
type subspace struct {
	frequent   []int  // items of F
	isFrequent []bool // of every item
	topics     *matrix.Tall
	random     int // L
	seed       uint64
	key        func(item int) uint64
	workers    int
}

func newSubspace(ctx context.Context, t *Topics, p []float64, opts *Options) (*subspace, error) {
	n, k := t.Items.Dims()
	s := &subspace{isFrequent: make([]bool, n), random: opts.columns(), seed: opts.Seed, key: opts.Key,
		workers: opts.Workers}
	best := toplist.New(cmp.Or(opts.Frequent, DefaultFrequent))
	for i, probability := range p {
		best.Offer(i, probability)
	}
	s.topics = t.Items.Copy(k)
	for _, e := range best.Sorted() {
		s.frequent, s.isFrequent[e.Item] = append(s.frequent, e.Item), true
		clear(s.topics.Row(e.Item))
	}
	if len(s.frequent) == n {
		s.random = 0 // F is all of the space
		slices.Sort(s.frequent)
	}
	_, err := kernel.Orthonormalize(ctx, s.topics, opts.Workers)
	return s, err
}

// fixed returns the number of columns of F and Q.
func (s *subspace) fixed() int { return len(s.frequent) + s.topics.Cols() }

// columns returns the number of columns in all.
func (s *subspace) columns() int { return s.fixed() + s.random }

// fill sets x to its number of columns of [F, Q, Ω] from first on, and columns after the last to zero.
func (s *subspace) fill(ctx context.Context, x *matrix.Tall, first int) error {
	x.Clear()
	for a := first; a < min(first+x.Cols(), len(s.frequent)); a++ {
		x.Row(s.frequent[a])[a-first] = 1
	}
	err := kernel.Parallel(ctx, s.workers, x.Blocks(), func(b int) error {
		_, low, high := x.Block(b)
		for i := low; i < high; i++ {
			if !s.isFrequent[i] {
				s.fillRow(x.Row(i), i, first)
			}
		}
		return nil
	})
	if err != nil || s.topics.Cols() == 0 || s.random == 0 {
		return err
	}
	onTopics := kernel.Gram(ctx, s.topics, x, s.workers) // Qᵀ·X
	for a := range min(max(s.fixed()-first, 0), x.Cols()) {
		for q := range s.topics.Cols() {
			onTopics[q*x.Cols()+a] = 0
		}
	}
	kernel.MultiplyAdd(ctx, x, -1, s.topics, onTopics, s.workers)
	return nil
}

// onItems returns tᵀ·x for N×K t, K×columns, where x are the columns from first on.
func (s *subspace) onItems(ctx context.Context, t, x *matrix.Tall, first int) []float64 {
	width := x.Cols()
	if first+width > len(s.frequent) {
		return kernel.Gram(ctx, t, x, s.workers)
	}
	product := make([]float64, t.Cols()*width) // of unit vectors
	for j, item := range s.frequent[first : first+width] {
		for k, v := range t.Row(item) {
			product[k*width+j] = v
		}
	}
	return product
}

// fillRow sets row i of the columns from first on, except those of F, to Q and random signs.
func (s *subspace) fillRow(row []float64, i, first int) {
	for j := range row {
		switch at := first + j; {
		case at < len(s.frequent):
		case at < s.fixed():
			row[j] = s.topics.Row(i)[at-len(s.frequent)]
		case at < s.columns():
			signs := row[j:min(s.columns()-first, len(row))]
			random.Signs(signs, s.seed, random.MetricSigns, random.KeyOf(s.key, i), at-s.fixed())
			return
		}
	}
}

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

// add adds the values of row i in the columns from first on, times a factor.
func (s *squares) add(i, first int, values []float64, factor float64) {
	at := first - s.basis.fixed() // among the random columns
	fixed := min(max(-at, 0), len(values))
	sum := s.fixed[i]
	for _, v := range values[:fixed] {
		v *= factor
		sum += v * v
	}
	s.fixed[i] = sum
	for j, v := range values[fixed:] {
		v *= factor
		s.random.Row(i)[(at+fixed+j)%groups] += v * v
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
