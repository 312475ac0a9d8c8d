// This file holds the linear methods that recommendations are compared with: PureSVD and EASE.

package items

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"anchorage/internal/kernel"
	"anchorage/internal/random"
	"anchorage/internal/toplist"
	"anchorage/matrix"
)

// LowRank returns PureSVD (Cremonesi, Koren & Turrin, RecSys 2010): scores x·V·Vᵀ, where x is the basket and V, N×k,
// has the leading right singular vectors of the documents as rows of zeros and ones. If idf is set, the columns of the
// documents are multiplied by ln(M/c_i) first. V comes from 10 steps of subspace iteration on the co-occurrences, so p
// must have all pairs. The error is that of ctx.
func LowRank(ctx context.Context, p *Pairs, k int, idf bool, seed uint64, workers int) (Method, error) {
	name := fmt.Sprintf("PureSVD, %d dimensions", k)
	factors := make([]float64, p.Items())
	for i, c := range p.Counts {
		if factors[i] = 1; idf {
			factors[i] = math.Log(float64(p.Documents) / max(float64(c), 0.5))
		}
	}
	if idf {
		name += ", idf"
	}
	v, err := singularVectors(ctx, p, factors, min(k, p.Items()), seed, workers)
	return Method{name, func() Scorer {
		sum := make([]float64, v.Cols())
		return func(dst []float64, basket []int32) {
			clear(sum)
			for _, i := range basket {
				for a, value := range v.Row(int(i)) {
					sum[a] += factors[i] * value
				}
			}
			for j := range dst {
				dst[j] = 0
				for a, value := range v.Row(j) {
					dst[j] += value * sum[a]
				}
			}
		}
	}}, err
}

// singularVectors returns the leading k eigenvectors of the matrix of c_ij·f_i·f_j, with c_i·f_i² on its diagonal.
func singularVectors(ctx context.Context, p *Pairs, factors []float64, k int, seed uint64,
	workers int) (*matrix.Tall, error) {
	const steps = 10
	v := matrix.NewTall(p.Items(), k)
	for i := range v.Rows() {
		for a := range v.Row(i) {
			v.Row(i)[a] = random.Symmetric(seed, random.BaselineStart, uint64(i), uint64(a))
		}
	}
	for step := range steps + 1 {
		if _, err := kernel.Orthonormalize(ctx, v, workers); err != nil || step == steps {
			return v, err
		}
		next := matrix.Like(v)
		err := inParts(ctx, v.Rows(), workers, func() func(int) {
			return func(i int) {
				row := next.Row(i)
				add := func(j int, c float64) {
					for a, value := range v.Row(j) {
						row[a] += c * value
					}
				}
				add(i, float64(p.Counts[i])*factors[i]*factors[i])
				others, together, _ := p.Row(i)
				for x, j := range others {
					add(int(j), float64(together[x])*factors[i]*factors[j])
				}
			}
		})
		if err != nil {
			return v, err
		}
		v = next
	}
	return v, nil
}

// EASE returns the method of Steck (WWW 2019): scores x·W, W_ij = −P_ij/P_jj and W_jj = 0, where P is the inverse of
// the co-occurrences with c_i + λ on the diagonal. P is dense; of more items than limit only the most frequent take
// part. p must have all pairs. The error is that of a matrix that cannot be inverted.
func EASE(p *Pairs, lambda float64, limit int) (Method, error) {
	list := toplist.New(limit)
	for i, c := range p.Counts {
		list.Offer(i, float64(c))
	}
	chosen := list.Sorted()
	place := map[int32]int{}
	for x, e := range chosen {
		place[int32(e.Item)] = x
	}
	n := len(chosen)
	gram := mat.NewSymDense(n, nil)
	for x, e := range chosen {
		gram.SetSym(x, x, e.Score+lambda)
		others, together, _ := p.Row(e.Item)
		for at, j := range others {
			if y, in := place[j]; in {
				gram.SetSym(x, y, float64(together[at]))
			}
		}
	}
	name := fmt.Sprintf("EASE, λ = %g", lambda)
	if n < p.Items() {
		name += fmt.Sprintf(", %d most frequent items", n)
	}
	var factor mat.Cholesky
	var inverse mat.SymDense
	if !factor.Factorize(gram) {
		return Method{}, fmt.Errorf("items: the co-occurrences of EASE cannot be inverted with λ = %g", lambda)
	}
	if err := factor.InverseTo(&inverse); err != nil {
		return Method{}, fmt.Errorf("items: inverting the co-occurrences of EASE: %w", err)
	}
	return Method{name, shared(func(dst []float64, basket []int32) {
		for j := range dst {
			dst[j] = math.Inf(-1)
		}
		for y, e := range chosen {
			dst[e.Item] = 0
			for _, i := range basket {
				if x, in := place[i]; in {
					dst[e.Item] -= inverse.At(x, y) / inverse.At(y, y)
				}
			}
		}
	})}, nil
}
