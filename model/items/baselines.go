// This file holds the methods that recommendations are compared with. All but topics are made of full pair counts.

package items

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"anchorage/internal/toplist"
)

// Baselines returns the methods that a recommender is compared with. full should have all pairs; from a table of
// neighbours the methods know only those, and without pairs those that need some are left out. topics may be nil.
func Baselines(full *Pairs, topics *Topics) []Method {
	c := func(i int32) float64 { return float64(full.Counts[i]) }
	w := func(i int32) float64 { return full.Weighted[i] }
	pairs := func(name string, of func(i, j int32, together, weight float64) float64) Method {
		return Method{name, shared(func(dst []float64, basket []int32) {
			clear(dst)
			for _, i := range basket {
				others, together, weights := full.Row(int(i))
				for x, j := range others {
					dst[j] += of(i, j, float64(together[x]), float64(weights[x]))
				}
			}
		})}
	}
	damped := make([]float64, full.Items())
	for j := range damped {
		damped[j] = math.Pow(full.Weighted[j]+shrink, -0.3)
	}
	methods := []Method{
		{"popularity", shared(func(dst []float64, _ []int32) {
			for j, c := range full.Counts {
				dst[j] = float64(c)
			}
		})},
		pairs("item-item cosine", func(i, j int32, together, _ float64) float64 { return together / math.Sqrt(c(i)*c(j)) }),
		pairs("c_ij/(c_i+20)", func(i, _ int32, together, _ float64) float64 { return together / (c(i) + 20) }),
		pairs("w_ij/(w_i+5)", func(i, _ int32, _, weight float64) float64 { return weight / (w(i) + shrink) }),
		pairs("w_ij/(w_i+5)/(w_j+5)^0.3",
			func(i, j int32, _, weight float64) float64 { return weight / (w(i) + shrink) * damped[j] }),
	}
	if len(full.Others) == 0 {
		methods = methods[:1]
	}
	if topics != nil {
		methods = append(methods, ByTopics(topics))
	}
	return methods
}

// shared makes a Method's New of a scorer without scratch.
func shared(s Scorer) func() Scorer { return func() Scorer { return s } }

// ByTopics recommends by the mean of p(k | i) over the basket and p(j | k): Σ_k B_jk·mean_i p(k | i).
func ByTopics(t *Topics) Method {
	return Method{"topics", func() Scorer {
		mixture := make([]float64, t.K())
		return func(dst []float64, basket []int32) {
			clear(mixture)
			for _, i := range basket {
				floats.Add(mixture, t.mixtures.Row(int(i)))
			}
			for j := range dst {
				dst[j] = floats.Dot(mixture, t.items.Row(j))
			}
		}
	}}
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
