// This file defines the Truth and draws the shares and frequencies of items.

package synth

import (
	"math"
	"slices"

	"anchorage/internal/random"
)

// Truth holds the parameters that a corpus is drawn from.
type Truth struct {
	Items, Topics int       // N, K
	Correlations  []float64 // A = E[θθᵀ], K×K: the joint probabilities of topics
	Prior         []float64 // p(topic), the row sums of A
	Probabilities []float64 // p(item) = Σ_k B_ik·p(k)
	Anchors       [][]int   // the anchor items of each topic, increasing

	// B in compressed sparse rows. Row i has the topics topics[offsets[i]:offsets[i+1]], increasing, and the same range of
	// values.
	offsets []int
	topics  []int32
	values  []float64
}

// Row returns the topics k with B_ik > 0, increasing, and the values B_ik. The slices alias t.
func (t *Truth) Row(i int) (topics []int32, values []float64) {
	start, end := t.offsets[i], t.offsets[i+1]
	return t.topics[start:end:end], t.values[start:end:end]
}

// CopyRow overwrites dst, K values, with row i of B.
func (t *Truth) CopyRow(dst []float64, i int) {
	clear(dst)
	topics, values := t.Row(i)
	for j, k := range topics {
		dst[k] = values[j]
	}
}

// share is the share of an item that belongs to one topic.
type share struct {
	topic int32
	value float64
}

// shareRest is the part of an item that is not divided further.
const shareRest = 1e-3

// shares draws the shares of ordinary item i in the topics: a Dirichlet distribution with Spread/K per topic, drawn by
// breaking a stick and drawing a topic for each piece (Sethuraman, Stat. Sinica 4, 1994). The last 0.1 % is not broken.
// The first piece, which is the largest on average, goes to a different topic for each of K items in a row. So topics
// have about equal sizes and none is empty. No share exceeds most: the excess goes to other random topics.
func (m *Model) shares(s *random.Source, i int, most float64, row []share) []share {
	row = row[:0]
	add := func(topic int32, value float64) {
		for j := range row {
			if row[j].topic == topic {
				row[j].value += value
				return
			}
		}
		row = append(row, share{topic, value})
	}
	s.Seek(m.Seed, random.SyntheticTurns, uint64(i/m.Topics))
	topic := int32((i + s.IntN(m.Topics)) % m.Topics)
	s.Seek(m.Seed, random.SyntheticShares, uint64(i))
	home, left := topic, 1.0
	for left > shareRest {
		rest := left * math.Pow(s.Float64(), 1/m.Spread) // a piece is Beta(1, Spread) of what is left
		add(topic, left-rest)
		left = rest
		topic = m.another(s, home)
	}
	add(topic, left)
	excess := 0.0
	for j := range row {
		if over := row[j].value - most; over > 0 {
			row[j].value = most
			excess += over
		}
	}
	for excess > 1e-12 { // a smaller excess is rounding, and may fit nowhere
		topic := m.another(s, home)
		has := 0.0
		for _, other := range row {
			if other.topic == topic {
				has = other.value
			}
		}
		if room := min(most-has, excess); room > 0 {
			add(topic, room)
			excess -= room
		}
	}
	slices.SortFunc(row, func(a, b share) int { return int(a.topic) - int(b.topic) })
	return row
}

// weights returns the Zipf frequencies of the items, which sum to 1.
func (m *Model) weights() []float64 {
	w := make([]float64, m.Items)
	sum := 0.0
	for i := range w {
		w[i] = math.Pow(float64(i)+m.Offset, -m.Exponent)
		sum += w[i]
	}
	for i := range w {
		w[i] /= sum
	}
	return w
}

// anchorItems returns the items that become anchors, group after group; a group has one anchor per topic. They are
// spread evenly over items of middling frequency: between the items up to which, in order of decreasing frequency, 50 %
// and 70 % of all tokens lie. All anchors of a group get the mean frequency of its items.
func (m *Model) anchorItems(weights []float64) []int {
	rank := func(mass float64) int {
		sum := 0.0
		for i, w := range weights {
			if sum += w; sum >= mass {
				return i
			}
		}
		return len(weights)
	}
	count := m.Topics * m.Anchors
	first := max(rank(0.5), m.Topics) // the first K items stay ordinary, so every topic has an ordinary item
	first = min(first, m.Items-count)
	step := max((rank(0.7)-first)/count, 1)
	items := make([]int, count)
	for a := range items {
		items[a] = first + a*step
	}
	return items
}
