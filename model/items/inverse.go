// This file computes the neighbourhood inverse: every item's linear regression on its neighbours.

package items

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
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
	return kernel.ParallelWith(ctx, workers, p.Items(), func() func(j int) {
		return (&solver{p: p, place: make([]int32, p.Items())}).solve
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
	place      []int32 // 1 + the place of each item among the neighbours; 0 of others
	gram, x    []float64
	scales     []float64
	lapack     gonum.Implementation
	neighbours []int32
}

// solve sets the coefficients of item j.
func (s *solver) solve(j int) {
	p := s.p
	others, together, _ := p.Row(j)
	m := min(len(others), MostInverse)
	if m == 0 {
		return
	}
	s.neighbours = others[:m]
	s.gram = slices.Grow(s.gram[:0], m*m)[:m*m]
	s.x, s.scales = slices.Grow(s.x[:0], m)[:m], slices.Grow(s.scales[:0], m)[:m]
	clear(s.gram)
	own := math.Pow(p.variance(j), 0.25)
	for a, i := range s.neighbours {
		s.place[i] = int32(a) + 1
		s.scales[a] = math.Pow(p.variance(int(i)), 0.25)
	}
	for a, i := range s.neighbours {
		s.gram[a*m+a] = math.Sqrt(p.variance(int(i))) + ridge
		s.x[a] = p.covariance(int(i), j, together[a]) / (s.scales[a] * own)
		also, counts, _ := p.Row(int(i))
		for y, k := range also {
			if b := int(s.place[k]) - 1; b >= 0 && b != a {
				s.gram[max(a, b)*m+min(a, b)] = p.covariance(int(i), int(k), counts[y]) / (s.scales[a] * s.scales[b])
			}
		}
	}
	for _, i := range s.neighbours {
		s.place[i] = 0
	}
	if !s.lapack.Dpotf2(blas.Lower, m, s.gram, m) {
		return // the covariances that are missing made the matrix indefinite: the item keeps no coefficients
	}
	solve := blas64.Implementation()
	solve.Dtrsv(blas.Lower, blas.NoTrans, blas.NonUnit, m, s.gram, m, s.x, 1)
	solve.Dtrsv(blas.Lower, blas.Trans, blas.NonUnit, m, s.gram, m, s.x, 1)
	first := p.Offsets[j]
	for a, x := range s.x {
		p.Inverse[first+int64(a)] = float32(x * own / s.scales[a])
	}
}

// invertAll inverts the Gram matrix of all items.
func (p *Pairs) invertAll(ctx context.Context) error {
	n := p.Items()
	s := &solver{p: p, gram: make([]float64, n*n), scales: make([]float64, n)}
	for i := range n {
		s.scales[i] = math.Pow(p.variance(i), 0.25)
	}
	for i := range n {
		for k := range i {
			s.gram[i*n+k] = p.covariance(i, k, 0) / (s.scales[i] * s.scales[k])
		}
		s.gram[i*n+i] = math.Sqrt(p.variance(i)) + ridge
		others, together, _ := p.Row(i)
		for x, k := range others {
			if int(k) < i {
				s.gram[i*n+int(k)] = p.covariance(i, int(k), together[x]) / (s.scales[i] * s.scales[k])
			}
		}
	}
	var ok bool
	kernel.Await(ctx, func() {
		if ok = s.lapack.Dpotrf(blas.Lower, n, s.gram, n); ok {
			ok = s.lapack.Dpotri(blas.Lower, n, s.gram, n)
		}
	})
	if err := ctx.Err(); err != nil || !ok {
		return err
	}
	for j := range n {
		others, _, _ := p.Row(j)
		for x, i := range others {
			at := max(j, int(i))*n + min(j, int(i))
			p.Inverse[p.Offsets[j]+int64(x)] = float32(-s.gram[at] / s.gram[j*n+j] * s.scales[j] / s.scales[i])
		}
	}
	return nil
}
