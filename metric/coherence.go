// This file holds the coherences: how often the items by which a topic is read occur in the same documents. Document
// frequencies D count whole documents, without a sliding window.

package metric

import (
	"math"
	"slices"
)

// referenceSmoothing is what the authors of the papers add to co-document frequencies.
const referenceSmoothing = 0.01

// ReferenceCoherence is the mean over topics of Σ_{i=2..T} Σ_{j<i} ln((D(t_i, t_j) + 0.01)/D(t_j)) for a topic's top
// items t_1, t_2, …, T in all: the UMass form as the program of Lee et al. (2021) computes it, a sum and not a mean,
// with T = 20. High is good: the figure is negative, and near 0 is better. All coherences leave out pairs with an item
// that no document holds, and lists without a pair. If no list is left, the figure is NaN.
func ReferenceCoherence(p *Pairs) float64 {
	return meanOverLists(p, func(list *PairsOf) (float64, int) {
		sum, pairs := sumOverPairs(list, func(_, earlier, both float64) float64 {
			return math.Log((both + referenceSmoothing) / earlier)
		})
		return sum, min(pairs, 1) // not divided
	})
}

// UMass is the mean over topics and pairs j < i of ln((D(t_i, t_j) + 1)/D(t_j)). High is good: the figure is at most ln
// 2, and mostly negative. (Mimno et al., EMNLP 2011; the mean over pairs is that of Röder, Both & Hinneburg, WSDM 2015;
// with T = 10.)
func UMass(p *Pairs) float64 {
	return meanOverLists(p, func(list *PairsOf) (float64, int) {
		return sumOverPairs(list, func(_, earlier, both float64) float64 { return math.Log((both + 1) / earlier) })
	})
}

// NPMI is the mean over topics and pairs of ln(P(t_i, t_j)/(P(t_i)·P(t_j))) / −ln P(t_i, t_j) with P = D/M, from −1 for
// items that are never together over 0 for independent items to 1. High is good. (Bouma, GSCL 2009; Lau, Newman &
// Baldwin, EACL 2014; with T = 10.)
func NPMI(p *Pairs) float64 {
	m := float64(p.Documents)
	return meanOverLists(p, func(list *PairsOf) (float64, int) {
		return sumOverPairs(list, func(later, earlier, both float64) float64 {
			return normalizedInformation(both/m, later/m, earlier/m)
		})
	})
}

// normalizedInformation returns ln(both/(a·b)) / −ln both, and its limits where both is 0 or 1.
func normalizedInformation(both, a, b float64) float64 {
	switch {
	case both <= 0:
		return -1
	case both >= 1:
		return 1
	}
	return math.Log(both/(a*b)) / -math.Log(both)
}

// sumOverPairs returns the sum of a score over the pairs j < i of a list, and their number. Score gets the numbers of
// documents with the later item, with the earlier item, and with both.
func sumOverPairs(list *PairsOf, score func(later, earlier, both float64) float64) (sum float64, pairs int) {
	for i := range list.Items {
		for j := range i {
			if later, earlier := list.Single(i), list.Single(j); later > 0 && earlier > 0 {
				sum += score(float64(later), float64(earlier), float64(list.Joint(i, j)))
				pairs++
			}
		}
	}
	return sum, pairs
}

// meanOverLists returns the mean of sum/count over the lists whose count is not 0.
func meanOverLists(p *Pairs, score func(list *PairsOf) (sum float64, count int)) float64 {
	sum, lists := 0.0, 0
	for l := range p.Lists {
		if ofList, count := score(&p.Lists[l]); count > 0 {
			sum += ofList / float64(count)
			lists++
		}
	}
	return sum / float64(lists)
}

// treeItems is how many prominent and how many characteristic items of a topic are joined by a tree.
const treeItems = 7

// MSTIncoherence is the mean over topics of the cost of a minimum spanning tree over the topic's items, where an edge
// costs ½(1 − NPMI) with NPMI = ln(C_ij/(p_i·p_j)) / −ln C_ij: from 0 for items that occur only together to 1 for items
// that never do. Low is good: every item is near to another item, though the topic may have several parts. (Lee et al.
// 2021, section 5, over 7 prominent and 7 characteristic items, the latter from AnchorRows.) The probabilities are
// those of pairs of tokens, C and its row sums p. Joining an item that no document holds costs 1.
func MSTIncoherence(pairs *Pairs, p []float64) float64 {
	sum := 0.0
	for l := range pairs.Lists {
		list := &pairs.Lists[l]
		sum += spanningCost(len(list.Items), func(i, j int) float64 {
			both := list.weight[list.at(i, j)] / float64(max(pairs.Documents, 1)) // C_ij
			return (1 - normalizedInformation(both, p[list.Items[i]], p[list.Items[j]])) / 2
		})
	}
	return sum / float64(len(pairs.Lists))
}

// spanningCost returns the cost of a minimum spanning tree of the complete graph with n nodes (Prim, Bell Syst. Tech.
// J. 36, 1957).
func spanningCost(n int, edge func(i, j int) float64) float64 {
	nearest := make([]float64, n) // of every node outside of the tree, the cheapest edge into the tree
	outside := make([]int, n)
	for i := range n {
		nearest[i], outside[i] = math.Inf(1), i
	}
	cost := 0.0
	for last := 0; len(outside) > 1; {
		outside = slices.DeleteFunc(outside, func(i int) bool { return i == last })
		best := outside[0]
		for _, i := range outside {
			nearest[i] = min(nearest[i], edge(i, last))
			if nearest[i] < nearest[best] {
				best = i
			}
		}
		cost += nearest[best]
		last = best
	}
	return cost
}

// treeLists returns, for every topic, its first prominent items, and then those of its first characteristic items that
// are not among them.
func treeLists(prominent [][]int, characteristic [][]ItemProbability) [][]int {
	lists := make([][]int, len(prominent))
	for k, list := range Leading(prominent, treeItems) {
		lists[k] = slices.Clone(list)
		for _, listed := range characteristic[k][:min(treeItems, len(characteristic[k]))] {
			if !slices.Contains(lists[k], listed.Item) {
				lists[k] = append(lists[k], listed.Item)
			}
		}
	}
	return lists
}
