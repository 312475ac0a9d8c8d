// This file draws the topics of a document's tokens from their posterior distribution.

package infer

import (
	"anchorage/internal/kernel"
	"anchorage/internal/random"
)

// mostGroups is the most groups into which the tokens of an entry are divided, each of which has one topic.
const mostGroups = 32

// Sample draws a topic for every token of a document by sweeps of collapsed Gibbs sampling under the topics as they are:
// given those of all other tokens, a token of item i has topic k with a probability in proportion to
//
//	B_ik·a_k    a_k = α_k + the other tokens of topic k
//
// (Griffiths & Steyvers, "Finding scientific topics", PNAS 2004). The first topics have probabilities in proportion to
// B_ik·a_k for the given a: α, or what is known of the document. It sets a, gamma and the result as Expect, with shares
// of tokens in place of responsibilities: the expectation of what it finds is that of the posterior distribution, as far
// as the sweeps reach it, while responsibilities that know only the expectations of others are biased. Of more than 32
// tokens of an entry groups share a topic. Documents of more than 4,096 entries are left to Expect: theirs is narrow.
func (w *Worker) Sample(a, gamma []float32, items []int32, counts []float32, sweeps int,
	draws *random.Source) float64 {
	if len(items) > blockRows {
		return w.Expect(a, gamma, items, counts)
	}
	width, groups := len(w.a), 0
	w.items, w.counts = append(w.items[:0], items...), append(w.counts[:0], counts...)
	w.weigh()
	w.gather(0, len(items))
	for _, count := range counts {
		groups += groupsOf(count)
	}
	w.topics = resize(w.topics, groups)
	copy(w.a, w.t.single)
	for sweep := range 1 + sweeps {
		from, at := w.a, 0
		if sweep == 0 {
			from = a
		}
		for e, count := range counts {
			row, groups := w.table[e*width:][:width], groupsOf(count)
			share := count / float32(groups)
			for g, k := range w.topics[at : at+groups] {
				if sweep > 0 {
					w.a[k] -= share
				}
				k = int32(max(kernel.Draw(row, from, draws.Float32()), 0)) // a row of 0 says nothing
				w.a[k] += share
				w.topics[at+g] = k
			}
			at += groups
		}
	}
	clear(gamma)
	copy(w.a, w.t.single) // once more, without the rounding errors of the changes
	at := 0
	for e, count := range counts {
		groups := groupsOf(count)
		for _, k := range w.topics[at : at+groups] {
			gamma[e*width+int(k)] += 1 / float32(groups)
			w.a[k] += count / float32(groups)
		}
		at += groups
	}
	copy(a, w.a)
	w.normalize()
	return w.score()
}

// groupsOf returns into how many groups the tokens of an entry are divided.
func groupsOf(count float32) int { return max(min(int(count), mostGroups), 1) }
