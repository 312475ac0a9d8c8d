// This file holds the coherence of items that need not all belong together.

package metric

import (
	"math"
	"slices"
)

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
	for k, list := range leading(prominent, treeItems) {
		lists[k] = slices.Clone(list)
		for _, listed := range characteristic[k][:min(treeItems, len(characteristic[k]))] {
			if !slices.Contains(lists[k], listed.Item) {
				lists[k] = append(lists[k], listed.Item)
			}
		}
	}
	return lists
}
