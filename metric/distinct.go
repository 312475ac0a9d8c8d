// This file holds figures of only the topics: how they differ from each other and from the corpus, their joint
// probabilities, and how far anchors belong only to their own topics.

package metric

import (
	"math"
	"slices"

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

// Dominancy is (1/K) Σ_k A_kk / Σ_l A_kl: how much of a topic's co-occurrence is with itself. Low is good: the topics
// are correlated, as real topics are. (Dong 2019, section 4.6, with the division by row sums of the authors' program.)
// A is K×K row-major. A topic whose row is zero adds 0.
func Dominancy(a []float64) float64 {
	k := order(a)
	sum := 0.0
	for i := range k {
		if row := total(a[i*k : (i+1)*k]); row != 0 {
			sum += a[i*k+i] / row
		}
	}
	return sum / float64(k)
}

// DiagonalDominancy is (1/K) Σ_k A_kk, Dominancy as the thesis prints it. Low is good. It falls with K by itself, since
// all of A sums to
// 1. (Dong 2019, section 4.6.)
func DiagonalDominancy(a []float64) float64 {
	k := order(a)
	trace := 0.0
	for i := range k {
		trace += a[i*k+i]
	}
	return trace / float64(k)
}

// RelativeDominancy is (1/K) Σ_k A_kk / ‖A‖_F. Low is good, as with Dominancy. (Lee et al. 2021, section 5.)
func RelativeDominancy(a []float64) float64 {
	squares := 0.0
	for _, v := range a {
		squares += v * v
	}
	return DiagonalDominancy(a) / math.Sqrt(squares)
}

// JointSum is Σ_kl A_kl. Joint probabilities sum to 1, and so does A if C = B·A·Bᵀ: the nearer to 1, the better.
func JointSum(a []float64) float64 {
	order(a)
	return total(a)
}

// order returns K for a K×K matrix.
func order(square []float64) int {
	k := int(math.Sqrt(float64(len(square))))
	for k*k < len(square) {
		k++
	}
	if k == 0 || k*k != len(square) {
		panic("metric: not a square matrix")
	}
	return k
}

// AnchorQuality is the mean, over all topics k and l ≠ k, of the rank of anchor s_k among the items of topic l by
// decreasing p(item | topic l), from 1 to N. High is good: anchors contribute only to their own topics, as separability
// demands. (Dong 2019, section 4.6.) Items of equal probability, such as all items that a topic lacks, share the mean
// of their ranks. It is NaN for a single topic.
func AnchorQuality(items *matrix.Tall, anchors []int) float64 {
	n, k := items.Dims()
	if len(anchors) != k {
		panic("metric: number of anchors is not the number of topics")
	}
	if k < 2 {
		return math.NaN()
	}
	// The anchors' probabilities in a topic are few different ones: counting items between them takes one pass over B.
	levels := make([][]float64, k)
	equal, between := make([][]int, k), make([][]int, k) // items at every level, and between it and the one below
	for l := range k {
		for a, s := range anchors {
			if a != l {
				levels[l] = append(levels[l], items.Row(s)[l])
			}
		}
		slices.Sort(levels[l])
		levels[l] = slices.Compact(levels[l])
		equal[l], between[l] = make([]int, len(levels[l])), make([]int, len(levels[l])+1)
	}
	for i := range n {
		for l, p := range items.Row(i) {
			at, found := slices.BinarySearch(levels[l], p)
			if found {
				equal[l][at]++
			} else {
				between[l][at]++
			}
		}
	}
	sum := 0.0
	for l := range k {
		ranks := make([]float64, len(levels[l]))
		greater := 0
		for at := len(ranks) - 1; at >= 0; at-- {
			greater += between[l][at+1]
			ranks[at] = float64(greater) + float64(equal[l][at]+1)/2
			greater += equal[l][at]
		}
		for a, s := range anchors {
			if a != l {
				at, _ := slices.BinarySearch(levels[l], items.Row(s)[l])
				sum += ranks[at]
			}
		}
	}
	return sum / float64(k) / float64(k-1)
}
