// This file computes what the steps make of the mixtures and of the joint probabilities of topics.

package steer

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// mixer computes the mixtures of a state. With b the mixture of an item in the model before any step, s and s' its
// mixtures of the corners then and now, and ρ its reliability, the mixture of corners is
//
//	b' ∝ max(b + ρ·(s' − s) + Σ_{k gone} (b_k − ρ·s_k)·(τ_k − e_k), 0)
//
// where τ_k is the mixture of the corners now that is nearest to corner k: what the model holds of a corner beyond the
// solution goes where the corner itself would go. A topic's share is the sum over its corners. An item whose solution
// is the same, and of which the model gives nothing to a corner that is gone, keeps its mixture, bit for bit.
type mixer struct {
	s       *Session
	at      *state
	topics  int // of the model before any step
	gone    []int
	to      [][]float64 // τ of each gone corner
	topicOf []int       // of each corner that is
}

func (s *Session) mixer(at *state) *mixer {
	m := &mixer{s: s, at: at, topics: s.base.Topics(), topicOf: make([]int, at.hull.Corners())}
	for k := range m.topics {
		if at.hull.Corner(k) == nil {
			nearest := make([]float64, at.hull.Corners())
			at.hull.Nearest(nearest, s.first.Corner(k))
			m.gone, m.to = append(m.gone, k), append(m.to, nearest)
		}
	}
	for t, of := range at.topics {
		for _, id := range of.corners {
			m.topicOf[id] = t
		}
	}
	return m
}

// row sets dst, a value per topic, to the mixture of item i. scratch has a value per corner.
func (m *mixer) row(dst, scratch []float64, i int) {
	clear(dst)
	before := m.s.base.Mixtures.Row(i)
	changed := m.flows(scratch, before, i)
	total := 0.0
	for id, t := range m.topicOf {
		if v := scratch[id]; v > 0 && m.at.hull.Corner(id) != nil {
			dst[t] += v
			total += v
		}
	}
	if changed && total > 0 {
		for t := range dst {
			dst[t] /= total
		}
	}
}

// flows sets scratch to b' before negative values are cut, and reports whether it is not b.
func (m *mixer) flows(scratch, before []float64, i int) (changed bool) {
	clear(scratch)
	copy(scratch, before)
	ids, shares := m.at.hull.Entries(i)
	was, had := m.s.first.Entries(i)
	if !slices.Equal(ids, was) || !slices.Equal(shares, had) {
		changed = true
		own := m.s.base.Rows.Reliability(i)
		for e, id := range ids {
			scratch[id] += own * shares[e]
		}
		for e, id := range was {
			scratch[id] -= own * had[e]
		}
	}
	for g, k := range m.gone {
		if left := scratch[k]; left != 0 {
			changed = true
			scratch[k] = 0
			floats.AddScaled(scratch, left, m.to[g])
		}
	}
	return changed
}

// mixedRows is how many items a goroutine mixes at a time.
const mixedRows = 512

// group returns the share of a topic in every item's mixture.
func (m *mixer) group(ctx context.Context, t int) ([]float64, error) {
	shares := make([]float64, m.s.base.Rows.Len())
	err := kernel.Ranges(ctx, m.s.run.Workers, len(shares), mixedRows, func(first, last int) error {
		dst, scratch := make([]float64, len(m.at.topics)), make([]float64, len(m.topicOf))
		for i := first; i < last; i++ {
			m.row(dst, scratch, i)
			shares[i] = dst[t]
		}
		return nil
	})
	return shares, err
}

// mixtures returns the mixtures of all items, N×K, and the flow: of the tokens of each topic of the model, row by row,
// the share that each topic now has, without those of removed items.
func (m *mixer) mixtures(ctx context.Context) (mixtures *matrix.Tall, flow []float64, err error) {
	n, k := m.s.base.Rows.Len(), len(m.at.topics)
	mixtures, flow = matrix.NewTall(n, k), make([]float64, m.topics*k)
	tokens := make([]float64, m.topics)
	parts := make([]*flowing, 2*kernel.Workers(m.s.run.Workers))
	err = kernel.Ordered(ctx, m.s.run.Workers, (n+mixedRows-1)/mixedRows, len(parts), nil, func(piece, slot int) error {
		if parts[slot] == nil {
			parts[slot] = &flowing{m: m, k: k, flow: make([]float64, len(flow)), tokens: make([]float64, m.topics),
				scratch: make([]float64, len(m.topicOf)), inherited: make([]float64, k), gains: make([]float64, k),
				losses: make([]float64, k)}
		}
		f := parts[slot]
		clear(f.flow)
		clear(f.tokens)
		for i := piece * mixedRows; i < min((piece+1)*mixedRows, n); i++ {
			m.row(mixtures.Row(i), f.scratch, i)
			f.add(i, mixtures.Row(i))
		}
		return nil
	}, func(_, slot int) error {
		floats.Add(flow, parts[slot].flow)
		floats.Add(tokens, parts[slot].tokens)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	for from, total := range tokens {
		for t := range k {
			if total > 0 {
				flow[from*k+t] /= total
			} else if flow[from*k+t] = 0; m.at.heir[from] == t {
				flow[from*k+t] = 1
			}
		}
	}
	return mixtures, flow, nil
}

// flowing adds up where the tokens of items go. It belongs to one goroutine.
type flowing struct {
	m             *mixer
	k             int
	flow, tokens  []float64
	scratch       []float64
	inherited     []float64 // of each topic now: what it would have if every topic of the model went to its heir
	gains, losses []float64
}

// add adds the tokens of item i with a new mixture. What a topic gains comes from those that lose, in proportion to
// what they lose.
func (f *flowing) add(i int, now []float64) {
	tokens := f.m.s.base.Tokens[i]
	before := f.m.s.base.Mixtures.Row(i)
	removed := f.m.at.removed[i]
	clear(f.inherited)
	for from, share := range before {
		f.inherited[f.m.at.heir[from]] += share
		f.tokens[from] += tokens * share
	}
	if removed {
		return
	}
	gained := 0.0
	for t, share := range now {
		f.gains[t], f.losses[t] = 0, 0
		switch had := f.inherited[t]; {
		case share > had:
			f.gains[t] = share - had
			gained += share - had
		case share < had:
			f.losses[t] = 1 - share/had
		}
	}
	for from, share := range before {
		heir := f.m.at.heir[from]
		lost := f.losses[heir]
		f.flow[from*f.k+heir] += tokens * share * (1 - lost)
		if lost == 0 || gained == 0 || share == 0 {
			continue
		}
		for t, gain := range f.gains {
			if gain > 0 {
				f.flow[from*f.k+t] += tokens * share * lost * gain / gained
			}
		}
	}
}
