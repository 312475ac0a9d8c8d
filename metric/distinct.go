// This file holds figures of only B: how topics differ from each other and from the corpus.

package metric

import (
	"math"

	"anchorage/matrix"
)

// Specificity is (1/K) Σ_k Σ_i B_ik·ln(B_ik/p_i), in nats: the mean Kullback-Leibler divergence of the topics from the
// distribution of items in the corpus, the row sums p of C. High is good: topics differ from the corpus. (Lee et al.
// 2021, section 5.) Items with p = 0 are left out.
func Specificity(items *matrix.Tall, p []float64) float64 {
	if items.Rows() != len(p) {
		panic("metric: number of row sums is not the number of items")
	}
	sums := make([]float64, items.Cols())
	for i, q := range p {
		if q <= 0 {
			continue
		}
		for k, b := range items.Row(i) {
			if b > 0 {
				sums[k] += b * math.Log(b/q)
			}
		}
	}
	return total(sums) / float64(len(sums))
}

// Sparsity is (1/K) Σ_k (√N − ‖b_k‖₁/‖b_k‖₂)/(√N − 1) for the columns b_k of B: 0 where all items of a topic are
// equally likely, 1 where it has only one. High is good: topics concentrate on few items. (Hoyer, JMLR 5, 2004; Dong
// 2019, section 4.6.) N is the number of rows, at least 2. A topic without items counts as 0.
func Sparsity(items *matrix.Tall) float64 {
	sums, squares := make([]float64, items.Cols()), make([]float64, items.Cols())
	for i := range items.Rows() {
		for k, b := range items.Row(i) {
			sums[k] += math.Abs(b)
			squares[k] += b * b
		}
	}
	root, sum := math.Sqrt(float64(items.Rows())), 0.0
	for k := range sums {
		if squares[k] > 0 {
			sum += (root - sums[k]/math.Sqrt(squares[k])) / (root - 1)
		}
	}
	return sum / float64(len(sums))
}

// Exclusivity is the mean over topics, and over the items of each topic's list, of B_ik / Σ_l B_il: which share of an
// item's probability is in this topic, from 1/K to 1. High is good. (Bischof & Airoldi, ICML 2012, Equation 1, with
// equal weights for all topics.) Lists are the topics' top items.
func Exclusivity(items *matrix.Tall, lists [][]int) float64 {
	if len(lists) != items.Cols() {
		panic("metric: number of lists is not the number of topics")
	}
	sum := 0.0
	for k, list := range lists {
		sum += TopicExclusivity(k, list, items.Row)
	}
	return sum / float64(len(lists))
}

// TopicExclusivity is the exclusivity of topic k, whose top items are given; 0 for no items. of returns row i of B,
// valid until it is called again.
func TopicExclusivity(k int, list []int, of func(i int) []float64) float64 {
	sum := 0.0
	for _, i := range list {
		if row := of(i); row[k] > 0 {
			sum += row[k] / total(row)
		}
	}
	return sum / float64(max(len(list), 1))
}

// Dissimilarity is the mean number of a topic's top items that are in no other topic's list, at most the length of the
// lists. High is good. (Lee et al. 2021, section 5, with lists of 20.)
func Dissimilarity(lists [][]int) float64 {
	in := topicsOf(lists)
	unique := 0
	for _, list := range lists {
		for _, item := range list {
			if in[item] == 1 {
				unique++
			}
		}
	}
	return float64(unique) / float64(len(lists))
}

// TopicDiversity is the number of distinct items in all lists over the sum of their lengths, at most 1. High is good.
// (Dieng, Ruiz & Blei, TACL 8, 2020, with lists of 25.)
func TopicDiversity(lists [][]int) float64 {
	items := 0
	for _, list := range lists {
		items += len(list)
	}
	return float64(len(topicsOf(lists))) / float64(items)
}

// topicsOf returns in how many lists each item is. No list holds an item twice.
func topicsOf(lists [][]int) map[int]int {
	in := make(map[int]int)
	for _, list := range lists {
		for _, item := range list {
			in[item]++
		}
	}
	return in
}
