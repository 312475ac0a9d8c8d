// This file defines the distribution of the documents' topic mixtures: also over topics that are the leaves of a tree,
// such as the shelves in the aisles of departments.

package synth

import (
	"math"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/internal/random"
)

// LogisticNormal is a distribution of topic mixtures with correlated topics (Blei & Lafferty, Ann. Appl. Stat. 1,
// 2007). η is normal and θ_k is proportional to exp(η_k). Neighbouring topics form blocks:
//
//	cov(η_k, η_l) = Deviation²·(1 if k = l; Correlation if they share a block; 0 otherwise)
type LogisticNormal struct {
	Deviation   float64
	Blocks      int     // topic k of K is in block ⌊k·Blocks/K⌋; 0 for one block
	Correlation float64 // from 0 to 1
}

// mixture overwrites theta with a random mixture.
func (l *LogisticNormal) mixture(s *random.Source, theta []float64) {
	common, own := l.Deviation*math.Sqrt(l.Correlation), l.Deviation*math.Sqrt(1-l.Correlation)
	block, shared, greatest := -1, 0.0, math.Inf(-1)
	for k := range theta {
		if b := k * max(l.Blocks, 1) / len(theta); b != block {
			block, shared = b, common*s.NormFloat64()
		}
		theta[k] = shared + own*s.NormFloat64()
		greatest = max(greatest, theta[k])
	}
	sum := 0.0
	for k, eta := range theta {
		theta[k] = math.Exp(eta - greatest)
		sum += theta[k]
	}
	for k := range theta {
		theta[k] /= sum
	}
}

// prior draws the topics of the tokens of documents.
type prior struct {
	alpha      []float64 // of the Dirichlet distribution
	cumulative []float64 // Σ_{l≤k} α_l
	logistic   *LogisticNormal
	tree       *tree
}

func (m *Model) prior() prior {
	p := prior{alpha: m.Alpha, logistic: m.Logistic}
	if m.Tree != nil {
		p.tree = &tree{m.Tree, m.Topics, m.TreeConcentration}
		if p.tree.alpha == nil {
			p.tree.alpha = slices.Repeat([]float64{m.Concentration}, len(m.Tree))
		}
		return p
	}
	if p.alpha == nil {
		p.alpha = slices.Repeat([]float64{m.Concentration}, m.Topics)
	}
	sum := 0.0
	for _, a := range p.alpha {
		sum += a
		p.cumulative = append(p.cumulative, sum)
	}
	return p
}

// draw overwrites topics with the topics of one document's tokens. mixture is scratch of K values.
//
// With a Dirichlet prior, the mixture θ is integrated out and never drawn (Blackwell & MacQueen, Ann. Stat. 1, 1973).
// Token t, counted from 0, gets a topic drawn in proportion to α with probability α₀/(α₀+t), α₀ = Σ_k α_k. Otherwise it
// gets the topic of one of the t tokens before it, each equally likely. The time does not depend on the number of
// topics.
func (p *prior) draw(s *random.Source, topics []int32, mixture []float64) {
	if p.tree != nil {
		p.tree.draw(s, topics)
		return
	}
	if p.logistic != nil {
		p.logistic.mixture(s, mixture)
		sum := 0.0
		for k, v := range mixture {
			sum += v
			mixture[k] = sum
		}
		for t := range topics {
			topics[t] = int32(search(mixture, s.Float64()*sum))
		}
		return
	}
	total := p.cumulative[len(p.cumulative)-1]
	for t := range topics {
		u := s.Float64() * (total + float64(t))
		if u < total {
			topics[t] = int32(search(p.cumulative, u))
		} else {
			topics[t] = topics[min(int(u-total), t-1)]
		}
	}
}

const (
	// logisticDraws is the size of the sample from which the moments of a logistic-normal distribution are computed; they
	// have no closed form. The error is that of as many documents of infinite length.
	logisticDraws = 1 << 20
	logisticBlock = 1 << 12
)

// correlations returns A = E[θθᵀ], K×K. For the Dirichlet distribution it is exact: A_kl = (α_k·α_l +
// δ_kl·α_k)/(α₀(α₀+1)). For the logistic-normal distribution it is the mean of a fixed sample.
func (p *prior) correlations(m Model) []float64 {
	k := m.Topics
	a := make([]float64, k*k)
	if p.tree != nil {
		for i := range a {
			a[i] = p.tree.joint(i/k, i%k)
		}
		return a
	}
	if p.logistic == nil {
		total := p.cumulative[k-1]
		for i, u := range p.alpha {
			for j, v := range p.alpha {
				a[i*k+j] = u * v / (total * (total + 1))
			}
			a[i*k+i] += u / (total * (total + 1))
		}
		return a
	}
	parts := make([][]float64, logisticDraws/logisticBlock)
	kernel.Each(m.Workers, len(parts), func(b int) {
		s, theta, part := random.NewSource(), make([]float64, k), make([]float64, k*k)
		s.Seek(m.Seed, random.SyntheticMixtures, uint64(b))
		for range logisticBlock {
			p.logistic.mixture(s, theta)
			for i, u := range theta {
				row := part[i*k : i*k+i+1]
				for j := range row {
					row[j] += u * theta[j]
				}
			}
		}
		parts[b] = part
	})
	for _, part := range parts {
		for i, v := range part {
			a[i] += v / logisticDraws
		}
	}
	for i := range k {
		for j := range i {
			a[j*k+i] = a[i*k+j]
		}
	}
	return a
}

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
