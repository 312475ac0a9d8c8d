// This file looks over a fitted model for what its reader should know: topics that rest on little, that repeat each other or
// that do not connect, and items about which the documents say nothing.

package model

import (
	"fmt"
	"slices"
)

const (
	// thinDocuments is the support below which an anchor's is called thin.
	thinDocuments = 5
	// sameItems is the number of prominent items, of TopItems, from which two topics are called the same.
	sameItems = TopItems / 2
	// noisy is the reliability below which more of an item's mixture is the prior than its own.
	noisy = 0.5
	// connected is the joint probability of two topics, relative to independence, from which they are connected.
	connected = 1e-3
)

// Findings is what the reader of a model should know. Topics are numbered from 0.
type Findings struct {
	// ThinAnchors are the topics whose anchor's row rests on fewer than 5 documents, does not stand out from noise, or is
	// found in neither half of the documents alone.
	ThinAnchors []int `json:"thin_anchors"`
	// Duplicates are pairs of topics that share half or more of their prominent items.
	Duplicates [][2]int `json:"duplicates"`
	// NoisyItems is the number of items whose mixture is the prior's more than their own, and NoisyMass their share of all
	// weight.
	NoisyItems int     `json:"noisy_items"`
	NoisyMass  float64 `json:"noisy_mass"`
	// Weightless is the number of items that take no part: they occur in no document that counts, or with nothing else.
	Weightless int `json:"weightless_items"`
	// Blocks are the sets of topics that do not co-occur with any topic of another set, if there is more than one.
	Blocks [][]int `json:"blocks"`
}

// findings looks over the topics.
func (s *Fitted) findings() Findings {
	t := s.Topics
	f := Findings{ThinAnchors: []int{}, Duplicates: [][2]int{}, Weightless: t.Stats.Weightless, Blocks: [][]int{}}
	for k, i := range t.Anchors {
		if s.effectiveSampleSize(i) < thinDocuments || t.Certain != nil && !t.Certain[k] || t.InHalves != nil && t.InHalves[k] == 0 {
			f.ThinAnchors = append(f.ThinAnchors, k)
		}
	}
	f.Duplicates = append(f.Duplicates, duplicates(s.Prominent())...)
	if t.Reliability != nil {
		p := s.Marginals.Probabilities()
		for i, reliability := range t.Reliability {
			if reliability < noisy && p[i] > 0 {
				f.NoisyItems++
				f.NoisyMass += p[i]
			}
		}
	}
	if blocks := blocksOf(t.TopicJoint, t.Prior); len(blocks) > 1 {
		f.Blocks = blocks
	}
	return f
}

// duplicates returns the pairs of lists that share sameItems items or more.
func duplicates(lists [][]Scored) [][2]int {
	var pairs [][2]int
	for l := range lists {
		in := make(map[int]bool, len(lists[l]))
		for _, scored := range lists[l] {
			in[scored.Item] = true
		}
		for k := range l {
			shared := 0
			for _, scored := range lists[k] {
				if in[scored.Item] {
					shared++
				}
			}
			if shared >= sameItems {
				pairs = append(pairs, [2]int{k, l})
			}
		}
	}
	return pairs
}

// blocksOf returns the connected components of the topics, by their first topics; a is K×K.
func blocksOf(a, prior []float64) [][]int {
	k := len(prior)
	seen := make([]bool, k)
	var blocks [][]int
	for start := range k {
		if seen[start] {
			continue
		}
		seen[start] = true
		block := []int{start}
		for at := 0; at < len(block); at++ {
			i := block[at]
			for j := range k {
				if !seen[j] && a[i*k+j] > connected*prior[i]*prior[j] {
					seen[j] = true
					block = append(block, j)
				}
			}
		}
		slices.Sort(block)
		blocks = append(blocks, block)
	}
	return blocks
}

// Warnings returns a line for everything that the reader of the model should know, with a remedy where there is one.
func (f *Findings) Warnings() []string {
	var lines []string
	if n := len(f.ThinAnchors); n > 0 {
		lines = append(lines, fmt.Sprintf("topics that rest on thin evidence: %d (%s); fewer topics (-k), or --anchor-min-df, would leave them out", n, some(f.ThinAnchors)))
	}
	if n := len(f.Duplicates); n > 0 {
		lines = append(lines, fmt.Sprintf("pairs of topics that share half of their prominent items: %d (%s); fewer topics (-k) may do", n, some(f.Duplicates)))
	}
	if f.NoisyMass >= 0.05 {
		lines = append(lines, fmt.Sprintf("%d items, %.0f%% of all weight, occur in too few documents to tell their topics: their mixtures are mostly the average one; --min-df leaves them out", f.NoisyItems, 100*f.NoisyMass))
	}
	if n := len(f.Blocks); n > 0 {
		lines = append(lines, fmt.Sprintf("the topics fall into %d blocks that never occur together, the first of them %s: the corpus may be several that have nothing in common", n, some(f.Blocks[0])))
	}
	return lines
}

// some lists the first few of several things.
func some[T any](things []T) string {
	const few = 5
	if len(things) <= few {
		return fmt.Sprint(things)
	}
	line := fmt.Sprint(things[:few])
	return line[:len(line)-1] + " …]"
}
