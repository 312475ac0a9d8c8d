// This file says what steps made of the topics.

package steer

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"anchorage/model"
)

// Change is what became of a topic.
type Change struct {
	ID          int
	Before, Now int // its number in the model before any step, for Preview in the present one, and now; −1 if it has none
	// Distance is the Hellinger distance of p(item | topic) before and now, from 0 to 1; 1 for a topic that is in one
	// model only.
	Distance           float64
	ShareBefore, Share float64 // p(topic)
}

// SameTopic is the distance up to which a topic is called the same.
const SameTopic = 0.05

// What says what became of the topic: gone, new, moved or same.
func (c *Change) What() string {
	switch {
	case c.Now < 0:
		return "gone"
	case c.Before < 0:
		return "new"
	case c.Distance > SameTopic:
		return "moved"
	}
	return "same"
}

// Changes compares a model that the session returned, or its refinement, with the model before any step. Topics that
// are in both or gone come first, in their order before.
func (s *Session) Changes(m *model.Model) []Change { return s.changes(s.history[0], s.now(), m) }

// changes compares the model of an earlier state with m, that of a later one.
func (s *Session) changes(from, to *state, m *model.Model) []Change {
	base, mixtures := from.model, from.mixtures
	if mixtures == nil {
		mixtures = s.base.Mixtures
	}
	var list []Change
	now := make(map[int]int, len(m.TopicIDs))
	for k, id := range m.TopicIDs {
		now[id] = k
	}
	same := make([]int, base.Topics())
	for k, id := range base.TopicIDs {
		at, there := now[id]
		if !there {
			at = -1
		}
		delete(now, id)
		same[k] = at
		c := Change{ID: id, Before: k, Now: at, Distance: 1, ShareBefore: base.Shares[k]}
		if there {
			c.Share = m.Shares[at]
		}
		list = append(list, c)
	}
	for k, id := range m.TopicIDs {
		if _, new := now[id]; new {
			list = append(list, Change{ID: id, Before: -1, Now: k, Distance: 1, Share: m.Shares[k]})
		}
	}
	affinity, masses := make([]float64, len(same)), make([]float64, len(same))
	for i, tokens := range s.base.Tokens {
		if !from.removed[i] {
			floats.AddScaled(masses, tokens, mixtures.Row(i))
		}
	}
	at := 0 // the row of item i in m, which may lack some
	for i, tokens := range s.base.Tokens {
		if to.removed[i] {
			continue
		}
		row := m.Items.Row(at)
		at++
		for k, share := range mixtures.Row(i) {
			if same[k] >= 0 && masses[k] > 0 {
				affinity[k] += math.Sqrt(share * tokens / masses[k] * row[same[k]])
			}
		}
	}
	for k := range same {
		if same[k] >= 0 {
			list[k].Distance = math.Sqrt(max(1-affinity[k], 0))
		}
	}
	return list
}
