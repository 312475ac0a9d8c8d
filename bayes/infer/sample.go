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
// by entry, and gets the new ones. If they are Unknown, as the first of them says, or topics is nil, the sweep begins
// with topics drawn in proportion to B_ik·a_k for the a of Expect. It sets a, gamma and the result as Expect, with
// shares of tokens in place of responsibilities. From sweep to sweep their expectation becomes that of the posterior
// distribution, while responsibilities that know only the expectations of others are biased. uniform gives numbers
// from [0, 1). Documents of more than 4,096 entries are left to Expect: theirs is narrow.
func (w *Worker) Sample(a, gamma []float32, items []int32, counts []float32, topics []uint16,
	uniform func() float32) float64 {
	begins := topics == nil || topics[0] == Unknown
	if long := len(items) > blockRows; long || begins {
		if value := w.Expect(a, gamma, items, counts); long {
			return value
		}
	} else {
		w.items, w.counts = append(w.items[:0], items...), append(w.counts[:0], counts...)
		w.weigh()
		w.gather(0, len(items))
	}
	if topics == nil {
		groups := 0
		for _, count := range counts {
			groups += Groups(count)
		}
		w.topics = resize(w.topics, groups)
		topics = w.topics
	}
	if begins {
		w.draw(topics, a, false, uniform)
	} else {
		w.count(topics)
	}
	w.draw(topics, w.a, true, uniform)
	w.count(topics) // once more, without the rounding errors of the changes
	clear(gamma)
	at := 0
	for e, count := range counts {
		groups := Groups(count)
		for _, k := range topics[at : at+groups] {
			gamma[e*len(a)+int(k)] += 1 / float32(groups)
		}
		at += groups
	}
	copy(a, w.a)
	w.normalize()
	return w.score()
}

// draw sets topics to draws in proportion to B_ik·from_k, and a to α and what they add. If they are known, each leaves
// itself out of a first.
func (w *Worker) draw(topics []uint16, from []float32, known bool, uniform func() float32) {
	if !known {
		copy(w.a, w.t.single)
	}
	width, at := len(w.a), 0
	for e, count := range w.counts {
		row, groups := w.table[e*width:][:width], Groups(count)
		share := count / float32(groups)
		for g, k := range topics[at : at+groups] {
			if known {
				w.a[k] = max(w.a[k]-share, w.t.single[k]) // rounding may take more than α leaves
			}
			next := max(kernel.Draw(row, from, uniform()), 0) // a row of 0 says nothing
			w.a[next] += share
			topics[at+g] = uint16(next)
		}
		at += groups
	}
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
