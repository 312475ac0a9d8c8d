// This file holds the methods that recommendations are compared with. All are made of full pair counts.

package items

import "math"

// Popularity recommends the items of most documents, whatever the basket.
func Popularity(p *Pairs) Method {
	return Method{"popularity", shared(func(dst []float64, _ []int32) {
		for j, c := range p.Counts {
			dst[j] = float64(c)
		}
	})}
}

// shared makes a Method's New of a scorer without scratch.
func shared(s Scorer) func() Scorer { return func() Scorer { return s } }

// byPairs returns a method whose score is the mean over the basket of a value of each pair: of(c_ij, c_i, c_j).
func byPairs(name string, p *Pairs, of func(together, first, second float64) float64) Method {
	return Method{name, shared(func(dst []float64, basket []int32) {
		clear(dst)
		for _, i := range basket {
			others, together, _ := p.Row(int(i))
			for x, j := range others {
				dst[j] += of(float64(together[x]), float64(p.Counts[i]), float64(p.Counts[j])) / float64(len(basket))
			}
		}
	})}
}

// Cosine recommends by the mean of c_ij/√(c_i·c_j) over the basket.
func Cosine(p *Pairs) Method {
	return byPairs("item-item cosine", p,
		func(together, first, second float64) float64 { return together / math.Sqrt(first*second) })
}

// Conditional recommends by the mean of c_ij/(c_i + 20) over the basket.
func Conditional(p *Pairs) Method {
	return byPairs("mean of c_ij/(c_i+20)", p, func(together, first, _ float64) float64 { return together / (first + 20) })
}

// ByTopics recommends by the mean of p(k | i) over the basket and p(j | k): Σ_k B_jk·mean_i p(k | i).
func ByTopics(t *Topics) Method {
	return Method{"topics", func() Scorer {
		mixture := make([]float64, t.K())
		return func(dst []float64, basket []int32) { t.mean(dst, mixture, basket) }
	}}
}

// mean sets dst to Σ_k B_jk·mean_i p(k | i). mixture is scratch of K values.
func (t *Topics) mean(dst, mixture []float64, basket []int32) {
	clear(mixture)
	for _, i := range basket {
		t.addMixture(mixture, 1/float64(len(basket)), i)
	}
	for j := range dst {
		dst[j] = t.at(mixture, j)
	}
}

// HalfAndHalf adds half of Conditional and half of ByTopics and divides by p_j^0.3, p_j = c_j/M.
func HalfAndHalf(p *Pairs, t *Topics) Method {
	return Method{"half pairs, half topics, /p^0.3", func() Scorer {
		conditional, topics := Conditional(p).New(), make([]float64, p.Items())
		mixture := make([]float64, t.K())
		return func(dst []float64, basket []int32) {
			conditional(dst, basket)
			t.mean(topics, mixture, basket)
			for j := range dst {
				share := max(float64(p.Counts[j]), 0.5) / float64(p.Documents)
				dst[j] = (dst[j] + topics[j]) / 2 / math.Pow(share, 0.3)
			}
		}
	}}
}
