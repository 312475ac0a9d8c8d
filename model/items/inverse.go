// This file computes the neighbourhood inverse: every item's linear regression on its neighbours.

package items

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/gonum"

	"anchorage/internal/kernel"
)

const (
	// ridge is added to the diagonal of every Gram matrix, whose other entries have the size of √v. 10, as published,
	// loses a tenth where histories are long, and 200 where documents are texts.
	ridge = 30
	// MostInverse is m, the greatest number of neighbours on which an item is regressed, unless all pairs are known.
	MostInverse = 200
	// CompleteItems is the greatest number of items of which all pairs are kept by default, and inverted at once.
	CompleteItems = 2500
)

// Invert sets Inverse: for each item j the coefficients b of its strongest neighbours i, at most MostInverse, that
// solve
//
//	(G + 30·I)·x = g,  b_ij = x_i·(v_j/v_i)^¼,
//	G_ik = (c_ik − c_i·c_k/M)/(v_i·v_k)^¼,  g_i = G_ij,  v_i = c_i·(1 − c_i/M)
//
// over the neighbours (Steck, Markov Random Fields for Collaborative Filtering, NeurIPS 2019). The covariance of two
// neighbours whose pair was not kept is taken to be 0. If all pairs of at most CompleteItems items are kept, one
// inverse P of all is solved instead, x_i = −P_ij/P_jj. The error is that of ctx.
func (p *Pairs) Invert(ctx context.Context, workers int) error {
	p.Inverse = make([]float32, len(p.Others))
	if n := p.Items(); n <= CompleteItems && len(p.Others) > 0 && p.Complete() {
		return p.invertAll(ctx)
	}
	all := p.regressors()
	return kernel.ParallelWith(ctx, workers, p.Items(), func() func(j int) {
		s := &solver{p: p, all: all, member: make([]uint64, p.Items()/64+1), place: make([]uint8, p.Items())}
		return s.solve
	})
}

// variance returns v_i, more than 0.
func (p *Pairs) variance(i int) float64 {
	c := float64(p.Counts[i])
	return max(c*(1-c/float64(max(p.Documents, 1))), 1e-9)
}

// covariance returns c_ik − c_i·c_k/M.
func (p *Pairs) covariance(i, k int, together int32) float64 {
	return float64(together) - float64(p.Counts[i])*float64(p.Counts[k])/float64(max(p.Documents, 1))
}

// solver is the scratch of one goroutine.
type solver struct {
	p          *Pairs
	all        []regressor // of all items, which solvers share
	member     []uint64    // a bit for each item: set if it is a neighbour
	place      []uint8     // of each neighbour among them, at most MostInverse
	regressors []regressor // of the neighbours
	hits       []int32
	gram, x    []float64
	conjugate  [4][]float64
	lapack     gonum.Implementation
}

// solve sets the coefficients of item j.
func (s *solver) solve(j int) {
	p := s.p
	others, together, _ := p.Row(j)
	m := min(len(others), MostInverse)
	if m == 0 {
		return
	}
	s.fill(j, others[:m], together)
	if !s.iterate(m) && !s.factorize(m) {
		return // the covariances that are missing made the matrix indefinite: the item keeps no coefficients
	}
	for a, x := range s.x {
		p.Inverse[p.Offsets[j]+int64(a)] = float32(x * s.regressors[a].inverse / s.all[j].inverse)
	}
}

// fill sets gram to G + 30·I of the neighbours of item j, m×m with both triangles, and x to g.
func (s *solver) fill(j int, neighbours, together []int32) {
	const ahead = 2 // by how many rows the memory is asked before they are read
	p, m := s.p, len(neighbours)
	s.gram = slices.Grow(s.gram[:0], m*m)[:m*m]
	clear(s.gram)
	s.x = slices.Grow(s.x[:0], m)[:m]
	s.regressors = slices.Grow(s.regressors[:0], m)[:m]
	for a, i := range neighbours {
		s.place[i] = uint8(a)
		s.member[i>>6] |= 1 << (i & 63)
		s.regressors[a] = s.all[i]
		s.x[a] = p.covariance(int(i), j, together[a]) * s.regressors[a].inverse * s.all[j].inverse
	}
	for a := range s.regressors {
		if a+ahead < m {
			next := &s.regressors[a+ahead]
			kernel.PrefetchValues(p.Others[next.first:next.last])
			kernel.PrefetchValues(p.Together[next.first:next.last])
		}
		i := &s.regressors[a]
		row := s.gram[a*m:][:m]
		row[a] = 1/(i.inverse*i.inverse) + ridge
		others, counts := p.Others[i.first:i.last], p.Together[i.first:i.last]
		for _, at := range s.among(others) {
			b := int(s.place[others[at]])
			k := &s.regressors[b]
			row[b] = (float64(counts[at]) - i.count*k.share) * i.inverse * k.inverse
			s.gram[b*m+a] = row[b]
		}
	}
	for _, i := range neighbours {
		s.member[i>>6] = 0
	}
}

// among returns where the neighbours are in a row. There is no branch, which would often be taken for the wrong one.
func (s *solver) among(row []int32) []int32 {
	if len(s.hits) <= len(row) {
		s.hits = make([]int32, len(row)+1)
	}
	n, hits, member := 0, s.hits, s.member
	for at, k := range row {
		hits[n] = int32(at)
		n += int(member[k>>6] >> (k & 63) & 1)
	}
	return hits[:n]
}

// regressor is what a regression takes from an item.
type regressor struct {
	first, last int64 // its row
	count       float64
	share       float64 // c_i/M
	inverse     float64 // v_i^−¼
}

// regressors returns those of all items.
func (p *Pairs) regressors() []regressor {
	all := make([]regressor, p.Items())
	for i := range all {
		c := float64(p.Counts[i])
		all[i] = regressor{p.Offsets[i], p.Offsets[i+1], c, c / float64(max(p.Documents, 1)),
			1 / math.Sqrt(math.Sqrt(p.variance(i)))}
	}
	return all
}

const (
	// Conjugate gradients end when the residual is less than solvedTo of what it began with, which the single precision
	// of coefficients hides. Regressions on frequent items may take more than mostSteps, and are then factorized.
	solvedTo, mostSteps = 1e-6, 64
)

// iterate replaces x by the solution of gram·y = x, by conjugate gradients with the diagonal as the preconditioner. The
// ridge makes most matrices so well conditioned that a few products with them cost less than a factorization. It
// reports false, and leaves x, if they do not suffice or the matrix is seen to be indefinite.
func (s *solver) iterate(m int) bool {
	for x := range s.conjugate {
		s.conjugate[x] = slices.Grow(s.conjugate[x][:0], m)[:m]
	}
	solution, residual, direction, image := s.conjugate[0], s.conjugate[1], s.conjugate[2], s.conjugate[3]
	clear(solution)
	clear(direction)
	copy(residual, s.x)
	before, first := 0.0, 0.0
	for step := range mostSteps {
		after := 0.0
		for a, v := range residual {
			after += v * v / s.gram[a*m+a]
		}
		if step == 0 {
			first, before = after, after
		}
		if after <= solvedTo*solvedTo*first {
			copy(s.x, solution)
			return true
		}
		for a, v := range residual {
			direction[a] = v/s.gram[a*m+a] + after/before*direction[a]
		}
		before = after
		blas64.Implementation().Dgemv(blas.NoTrans, m, m, 1, s.gram, m, direction, 1, 0, image, 1)
		curvature := floats.Dot(direction, image)
		if curvature <= 0 {
			return false
		}
		floats.AddScaled(solution, after/curvature, direction)
		floats.AddScaled(residual, -after/curvature, image)
	}
	return false
}

// factorize replaces x by the solution of gram·y = x, and gram by its Cholesky factor. It reports false if the matrix
// is not positive definite.
func (s *solver) factorize(m int) bool {
	if !s.lapack.Dpotrf(blas.Lower, m, s.gram, m) {
		return false
	}
	s.lapack.Dpotrs(blas.Lower, m, 1, s.gram, m, s.x, 1)
	return true
}

// invertAll inverts the Gram matrix of all items.
func (p *Pairs) invertAll(ctx context.Context) error {
	n := p.Items()
	all, gram := p.regressors(), make([]float64, n*n)
	for i := range n {
		for k := range i {
			gram[i*n+k] = p.covariance(i, k, 0) * all[i].inverse * all[k].inverse
		}
		gram[i*n+i] = math.Sqrt(p.variance(i)) + ridge
		others, together, _ := p.Row(i)
		for x, k := range others {
			if int(k) < i {
				gram[i*n+int(k)] = p.covariance(i, int(k), together[x]) * all[i].inverse * all[k].inverse
			}
		}
	}
	var ok bool
	kernel.Await(ctx, func() {
		lapack := gonum.Implementation{}
		if ok = lapack.Dpotrf(blas.Lower, n, gram, n); ok {
			ok = lapack.Dpotri(blas.Lower, n, gram, n)
		}
	})
	if err := ctx.Err(); err != nil || !ok {
		return err
	}
	for j := range n {
		others, _, _ := p.Row(j)
		for x, i := range others {
			at := max(j, int(i))*n + min(j, int(i))
			p.Inverse[p.Offsets[j]+int64(x)] = float32(-gram[at] / gram[j*n+j] * all[i].inverse / all[j].inverse)
		}
	}
	return nil
}
