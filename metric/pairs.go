// This file counts how often items of the same list occur, alone and in pairs, in one pass over documents.

package metric

import (
	"context"
	"math/bits"
	"slices"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/sketch"
)

// maxList is the length of the longest list: the items of a list that a document holds are the bits of one word.
const maxList = 64

// Pairs says for lists of items how many documents hold each item, and each two items of the same list. As in C,
// documents with fewer than two tokens do not count.
type Pairs struct {
	Documents int64 // M
	Lists     []PairsOf
}

// PairsOf holds the counts of one list of n items.
type PairsOf struct {
	Items []int

	stride int       // n, also of the first items of a longer list
	single []int64   // documents with each item
	joint  []int64   // documents with both of two items, n×n row-major, above the diagonal
	weight []float64 // Σ_m w_m·ω_i·ω_j·h_im·h_jm, likewise
}

// Single returns D(i), the documents with item i of the list.
func (p *PairsOf) Single(i int) int64 { return p.single[i] }

// Joint returns D(i, j), the documents with both items i ≠ j of the list.
func (p *PairsOf) Joint(i, j int) int64 { return p.joint[p.at(i, j)] }

// at returns the index of a pair.
func (p *PairsOf) at(i, j int) int { return min(i, j)*p.stride + max(i, j) }

// CountPairs counts documents for lists of at most 64 distinct items each, in one pass. Items in documents and lists
// are from 0 to items−1. A list of n items takes 16·n² bytes, so that K topics with T items take K·T² counters and not
// (K·T)²; every worker takes 4 bytes more for each item of the vocabulary.
//
// Each worker counts some of the lists in all documents, so that every sum is in the order of the documents.
func CountPairs(ctx context.Context, pass corpus.Pass, items int, lists [][]int, workers int) (*Pairs, error) {
	return countPairs(ctx, pass, items, nil, lists, workers)
}

// countPairs is CountPairs where items have weights in C, as in sketch.Options.
func countPairs(ctx context.Context, pass corpus.Pass, items int, weights []float64, lists [][]int,
	workers int) (*Pairs, error) {
	p := &Pairs{Lists: make([]PairsOf, len(lists))}
	for l, list := range lists {
		n := len(list)
		if n > maxList {
			panic("metric: a list of more than 64 items")
		}
		p.Lists[l] = PairsOf{Items: list, stride: n, single: make([]int64, n), joint: make([]int64, n*n),
			weight: make([]float64, n*n)}
	}
	counters := make([]*counter, max(min(kernel.Workers(workers), len(lists)), 1))
	for w := range counters {
		low, high := w*len(lists)/len(counters), (w+1)*len(lists)/len(counters)
		counters[w] = newCounter(items, weights, p.Lists[low:high])
	}
	err := pass(ctx, func(docs *corpus.Documents) error {
		for d := range docs.Documents() {
			if _, counts := docs.Row(d); len(counts) > 1 || len(counts) == 1 && counts[0] > 1 {
				p.Documents++
			}
		}
		return kernel.Parallel(ctx, workers, len(counters), func(w int) error {
			for d := range docs.Documents() {
				counters[w].add(docs.Row(d))
			}
			return nil
		})
	})
	return p, err
}

// counter counts documents for some of the lists.
type counter struct {
	lists       []PairsOf
	itemWeights []float64
	// The places of item i are those from first[i] to first[i+1].
	first  []int32
	places []place

	present []uint64  // of every list, the positions of the items of the current document
	counts  []float64 // ω_i·h_im of these items, maxList for every list
	touched []int32   // the lists with an item in the document
}

// place is a position in a list.
type place struct{ list, position int32 }

func newCounter(items int, weights []float64, lists []PairsOf) *counter {
	c := &counter{lists: lists, itemWeights: weights, first: make([]int32, items+1), present: make([]uint64, len(lists)),
		counts: make([]float64, len(lists)*maxList)}
	for _, list := range lists {
		for _, item := range list.Items {
			c.first[item]++
		}
	}
	sum := int32(0)
	for i, count := range c.first {
		sum += count
		c.first[i] = sum // where the places of item i end
	}
	c.places = make([]place, sum)
	for l := range lists {
		for position, item := range lists[l].Items {
			c.first[item]--
			c.places[c.first[item]] = place{int32(l), int32(position)}
		}
	}
	return c
}

// add counts a document.
func (c *counter) add(items, counts []int32) {
	c.touched = c.touched[:0]
	for t, item := range items {
		for _, at := range c.places[c.first[item]:c.first[item+1]] {
			if c.present[at.list] == 0 {
				c.touched = append(c.touched, at.list)
			}
			c.present[at.list] |= 1 << at.position
			h := float64(counts[t])
			if c.itemWeights != nil {
				h *= c.itemWeights[item]
			}
			c.counts[int(at.list)*maxList+int(at.position)] = h
		}
	}
	if len(c.touched) == 0 {
		return
	}
	_, weight := sketch.PairWeight(items, counts, c.itemWeights, 0)
	for _, l := range c.touched {
		if weight > 0 {
			c.lists[l].add(c.present[l], c.counts[l*maxList:], weight)
		}
		c.present[l] = 0
	}
}

// add counts a document of some weight that holds the items at the given positions.
func (p *PairsOf) add(present uint64, counts []float64, weight float64) {
	n := len(p.Items)
	for present != 0 {
		i := bits.TrailingZeros64(present)
		present &= present - 1
		p.single[i]++
		joint, weights := p.joint[i*n:(i+1)*n], p.weight[i*n:(i+1)*n]
		ofItem := weight * counts[i]
		for others := present; others != 0; others &= others - 1 {
			j := bits.TrailingZeros64(others)
			joint[j]++
			weights[j] += ofItem * counts[j]
		}
	}
}

// Leading returns the same for the first items of every list, at most count of each.
func (p *Pairs) Leading(count int) *Pairs {
	cut := &Pairs{Documents: p.Documents, Lists: slices.Clone(p.Lists)}
	for l, list := range p.Lists {
		cut.Lists[l].Items = list.Items[:min(count, len(list.Items))]
	}
	return cut
}
