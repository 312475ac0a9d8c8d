// This file draws the topics of a document's tokens from their posterior distribution.

package infer

import (
	"math"

	"anchorage/internal/kernel"
)

// mostGroups is the most groups into which the tokens of an entry are divided, each of which has one topic.
const mostGroups = 32

// Groups returns into how many groups Sample divides the tokens of an entry.
func Groups(count float32) int { return max(min(int(count), mostGroups), 1) }

// Unknown is the topic of a group of tokens that has none yet, in place of a number.
const Unknown = math.MaxUint16

// Sample draws a topic for every token of a document by a sweep of collapsed Gibbs sampling under the topics as they
// are: given those of all other tokens, a token of item i has topic k with a probability in proportion to
//
//	B_ik·a_k    a_k = α_k + the other tokens of topic k
//
// (Griffiths & Steyvers, "Finding scientific topics", PNAS 2004). topics has the topic of each group of tokens, entry
// by entry, and gets the new ones. If they are Unknown, as the first of them says, the sweep begins with topics drawn
// in proportion to B_ik·a_k for the a of Expect, which begins with what a has. It sets a to α and the tokens of each
// topic. From sweep to sweep their expectation becomes that of the posterior distribution, while responsibilities that
// know only the expectations of others are biased. uniform gives numbers from [0, 1). The tokens of documents of more
// than 4,096 entries are drawn for the a of Expect in every sweep: theirs is narrow.
func (w *Worker) Sample(a []float32, items []int32, counts []float32, topics []uint16, uniform func() float32) {
	w.items, w.counts = append(w.items[:0], items...), append(w.counts[:0], counts...)
	w.weigh()
	if len(items) > blockRows {
		w.collapseLong(a)
		copy(a, w.a)
		for first, at := 0, 0; first < len(items); first += blockRows {
			last := min(first+blockRows, len(items))
			w.gather(first, last)
			at += w.draw(first, last, topics[at:], a, uniform)
		}
	} else {
		w.gather(0, len(items))
		if topics[0] == Unknown {
			w.collapse(a)
			copy(a, w.a)
			w.draw(0, len(items), topics, a, uniform)
		}
		w.count(topics)
		w.draw(0, len(items), topics, nil, uniform)
	}
	w.count(topics) // once more, without the rounding errors of the changes
	copy(a, w.a)
}

// draw sets topics to draws in proportion to B_ik·from_k for the gathered entries [first, last), and returns how many
// they are. Without from they are in proportion to B_ik·a_k: each leaves itself out of a first, and then adds itself.
func (w *Worker) draw(first, last int, topics []uint16, from []float32, uniform func() float32) (groups int) {
	width := len(w.a)
	for e, count := range w.counts[first:last] {
		row, of := w.table[e*width:][:width], topics[groups:][:Groups(count)]
		share := count / float32(len(of))
		for g, k := range of {
			if from != nil {
				of[g] = uint16(max(kernel.Draw(row, from, uniform()), 0)) // a row of 0 says nothing
				continue
			}
			w.a[k] = max(w.a[k]-share, w.t.single[k]) // rounding may take more than α leaves
			of[g] = uint16(max(kernel.Draw(row, w.a, uniform()), 0))
			w.a[of[g]] += share
		}
		groups += len(of)
	}
	return groups
}

// count sets a to α and the tokens of each topic.
func (w *Worker) count(topics []uint16) {
	copy(w.a, w.t.single)
	at := 0
	for _, count := range w.counts {
		groups := Groups(count)
		for _, k := range topics[at : at+groups] {
			w.a[k] += count / float32(groups)
		}
		at += groups
	}
}
