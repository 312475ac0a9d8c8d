// This file looks over topics for what their reader should know: topics that rest on little, that repeat each other or
// that do not connect, and items about which the documents say little.

package anchor

import (
	"context"
	"slices"
)

const (
	// thinDocuments is the number of documents below which an anchor's row is called thin.
	thinDocuments = 5
	// noisy is the reliability below which more of an item's mixture is the prior than its own.
	noisy = 0.5
	// astray is the factor by which the sum of all joint probabilities may be off 1.
	astray = 1.5
	// connected is the joint probability of two topics, relative to independence, from which they are connected.
	connected = 1e-3
)

// Findings is what the reader of some topics should know. Topics are numbered from 0. Lists are empty and not nil.
type Findings struct {
	// ThinAnchors are the topics whose anchor's row rests on fewer than 5 documents or does not stand out from
	// noise.
	ThinAnchors []int `json:"thin_anchors"`
	// Duplicates are pairs of topics that share half or more of their prominent items. Of N items no more than N/K of
	// each topic are compared: longer lists of few items have some in common whatever the topics are.
	Duplicates [][2]int `json:"duplicates"`
	// NoisyItems is the number of items of which more than half of the mixture is the prior, and NoisyMass Σ p_i over
	// them.
	NoisyItems int     `json:"noisy_items"`
	NoisyMass  float64 `json:"noisy_mass"`
	// Weightless is the number of items that take no part: they occur in no document that counts, or with nothing else.
	Weightless int `json:"weightless_items"`
	// JointSum is the sum of A, the joint probabilities of topics. It is 1 where C = B·A·Bᵀ; JointAstray says that it is
	// far from 1, so that correlations of topics cannot be relied on.
	JointSum    float64 `json:"joint_sum"`
	JointAstray bool    `json:"joint_astray"`
	// Blocks are the sets of topics that do not co-occur with any topic of another set, if there is more than one.
	Blocks [][]int `json:"blocks"`
}

// Findings looks over the topics. Support says how many documents the row of each of the N items rests on:
// sketch.Evidence.EffectiveSampleSize or, where there is no evidence, document frequencies. P are the N probabilities
// of items, as in Prominent, which lists with λ = lambda the count items by which topics are compared. Processes that
// share the topics call it together. The error is that of ctx.
func (t *Topics) Findings(ctx context.Context, support, p []float64, lambda float64, count int) (Findings, error) {
	if len(support) != len(t.RowSums) {
		panic("anchor: number of supports is not the number of items")
	}
	f := Findings{ThinAnchors: []int{}, Duplicates: [][2]int{}, Weightless: t.Stats.Weightless, Blocks: [][]int{}}
	for k, i := range t.Anchors {
		if support[i] < thinDocuments || t.Certain != nil && !t.Certain[k] {
			f.ThinAnchors = append(f.ThinAnchors, k)
		}
	}
	count = min(count, max(len(p)/len(t.Anchors), 1))
	lists, err := t.Prominent(ctx, p, lambda, count)
	if err != nil {
		return f, err
	}
	f.Duplicates = append(f.Duplicates, duplicates(lists, count/2)...)
	for i, reliability := range t.Reliability {
		if reliability < noisy && p[i] > 0 {
			f.NoisyItems++
			f.NoisyMass += p[i]
		}
	}
	for _, joint := range t.TopicJoint {
		f.JointSum += joint
	}
	f.JointAstray = !(f.JointSum >= 1/astray && f.JointSum <= astray)
	if blocks := blocksOf(t.TopicJoint, t.Prior); len(blocks) > 1 {
		f.Blocks = blocks
	}
	return f, nil
}

// duplicates returns the pairs of lists that share at least the given number of items.
func duplicates(lists [][]Scored, least int) [][2]int {
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
			if shared >= max(least, 1) {
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
