// This file draws topics that are the leaves of a tree, such as the shelves in the aisles of departments.

package synth

import "anchorage/internal/random"

// tree is the prior of documents over the leaves of a tree.
type tree struct {
	children []int // of every node, by its depth
	leaves   int
	alpha    []float64 // of every child, by the depth of the node
}

// leaves returns the number of leaves of a tree.
func leaves(children []int) int {
	product := 1
	for _, count := range children {
		product *= count
	}
	return product
}

// draw overwrites topics with the leaves of one document's tokens. A token goes down from the root. At a node with b
// children that n tokens before it have passed, it takes a child at random with probability b·α/(b·α+n), and otherwise
// that of one of the n tokens, each equally likely.
func (t *tree) draw(s *random.Source, topics []int32) {
	for at := range topics {
		first, size := 0, t.leaves
		for depth, b := range t.children {
			passed, alpha := 0, t.alpha[depth]
			for _, other := range topics[:at] {
				if int(other) >= first && int(other) < first+size {
					passed++
				}
			}
			size /= b
			child := 0
			if u := s.Float64() * (float64(b)*alpha + float64(passed)); u < float64(b)*alpha {
				child = min(int(u/alpha), b-1)
			} else {
				child = t.childOf(topics[:at], first, size, b, min(int(u-float64(b)*alpha), passed-1))
			}
			first += child * size
		}
		topics[at] = int32(first)
	}
}

// childOf returns the child that the token of a number took, among those that passed the node with b children of size
// leaves from first on.
func (t *tree) childOf(topics []int32, first, size, b, number int) int {
	for _, other := range topics {
		if int(other) < first || int(other) >= first+b*size {
			continue
		}
		if number == 0 {
			return (int(other) - first) / size
		}
		number--
	}
	panic("synth: a token that no node has")
}

// joint returns A of two leaves, E[θ_k·θ_l]. With b children and a = b·α, both tokens take the same child, a given one,
// with probability α(α+1)/(a(a+1)), two given ones with α²/(a(a+1)), and below different children each takes a given
// one with 1/b.
func (t *tree) joint(k, l int) float64 {
	p, size, apart := 1.0, t.leaves, false
	for depth, b := range t.children {
		size /= b
		alpha := t.alpha[depth]
		a := float64(b) * alpha
		switch {
		case apart:
			p /= float64(b * b)
		case k/size == l/size:
			p *= alpha * (alpha + 1) / (a * (a + 1))
		default:
			p *= alpha * alpha / (a * (a + 1))
			apart = true
		}
	}
	return p
}

// nearShare is the probability that a further topic of an item is chosen below the same node as its first one, at each
// step up.
const nearShare = 0.6

// another returns a topic for a part of an item whose first topic is home: any or, in a tree, below the node above home
// with probability nearShare, else below the node above that with the same probability, and so on.
func (m *Model) another(s *random.Source, home int32) int32 {
	size := m.Topics
	if m.Tree != nil {
		size = m.Tree[len(m.Tree)-1]
		for depth := len(m.Tree) - 2; depth >= 0 && s.Float64() >= nearShare; depth-- {
			size *= m.Tree[depth]
		}
	}
	return home/int32(size)*int32(size) + int32(s.IntN(size))
}

// Home returns the topic with the greatest share of an item, B_ik·p(k).
func (t *Truth) Home(item int) int {
	topics, values := t.Row(item)
	best, home := -1.0, 0
	for j, k := range topics {
		if share := values[j] * t.Prior[k]; share > best {
			best, home = share, int(k)
		}
	}
	return home
}

// Above returns the topic above a leaf in the tree at a depth, from 1 for the children of the root.
func (m *Model) Above(leaf, depth int) int {
	return leaf / leaves(m.Tree[depth:])
}
