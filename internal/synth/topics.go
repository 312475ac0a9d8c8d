// This file defines the Truth and draws it: the shares and frequencies of items, and B, block by block of items.

package synth

import (
	"math"
	"slices"

	"anchorage/internal/kernel"
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

// planted describes an anchor: its topic and its row sum Σ_k B_ik.
type planted struct {
	topic int
	mass  float64
}

// plant draws B and the anchors. The anchors of a group have the same row of B up to the order of the topics, so every
// topic gets the same mass from them. Ordinary items are scaled to fill the rest of every column.
func (m *Model) plant() *Truth {
	t := &Truth{Items: m.Items, Topics: m.Topics, Anchors: make([][]int, m.Topics)}
	weights := m.weights()
	places := m.anchorItems(weights)
	anchors := make(map[int]planted, len(places))
	anchorMass := 0.0 // in each topic
	for g := 0; g < len(places); g += m.Topics {
		group := places[g : g+m.Topics]
		mass := 0.0
		for _, item := range group {
			mass += weights[item]
		}
		for k, item := range group {
			t.Anchors[k] = append(t.Anchors[k], item)
			anchors[item] = planted{k, mass}
		}
		anchorMass += mass
	}
	t.gather(m.drawRows(weights, anchors))
	scale := make([]float64, m.Topics)
	ordinary := func(do func(topic int32, value *float64)) {
		for i := range m.Items {
			if _, ok := anchors[i]; !ok {
				topics, values := t.Row(i)
				for j, k := range topics {
					do(k, &values[j])
				}
			}
		}
	}
	ordinary(func(k int32, value *float64) { scale[k] += *value })
	for k, sum := range scale {
		scale[k] = (1 - anchorMass) / sum
	}
	ordinary(func(k int32, value *float64) { *value *= scale[k] })
	return t
}

// plantBlock is the number of items that one call of the parallel loop draws.
const plantBlock = 4096

// rows are consecutive rows of a sparse matrix: row i ends at ends[i].
type rows struct {
	ends   []int
	shares []share
}

// drawRows returns the rows of B in blocks of items. The rows of ordinary items are not scaled yet.
func (m *Model) drawRows(weights []float64, anchors map[int]planted) []rows {
	blocks := make([]rows, (m.Items+plantBlock-1)/plantBlock)
	k := float64(m.Topics)
	most := 1/k + 0.75*(m.AnchorStrength-1/k)
	kernel.Each(m.Workers, len(blocks), func(b int) {
		s, block := random.NewSource(), &blocks[b]
		var row []share
		for i := b * plantBlock; i < min((b+1)*plantBlock, m.Items); i++ {
			mass := weights[i]
			if a, ok := anchors[i]; ok {
				row, mass = m.anchorShares(a.topic, row), a.mass
			} else {
				row = m.shares(s, i, most, row)
			}
			for _, part := range row {
				block.shares = append(block.shares, share{part.topic, part.value * mass})
			}
			block.ends = append(block.ends, len(block.shares))
		}
	})
	return blocks
}

// anchorShares returns the shares of an anchor in the topics.
func (m *Model) anchorShares(topic int, row []share) []share {
	row = row[:0]
	rest := (1 - m.AnchorStrength) / float64(m.Topics-1)
	for k := range m.Topics {
		switch {
		case k == topic:
			row = append(row, share{int32(k), m.AnchorStrength})
		case rest > 0:
			row = append(row, share{int32(k), rest})
		}
	}
	return row
}

// gather concatenates blocks of rows into B.
func (t *Truth) gather(blocks []rows) {
	total := 0
	for _, block := range blocks {
		total += len(block.shares)
	}
	t.offsets = append(make([]int, 0, t.Items+1), 0)
	t.topics, t.values = make([]int32, 0, total), make([]float64, 0, total)
	for b, block := range blocks {
		start := len(t.topics)
		for _, end := range block.ends {
			t.offsets = append(t.offsets, start+end)
		}
		for _, s := range block.shares {
			t.topics, t.values = append(t.topics, s.topic), append(t.values, s.value)
		}
		blocks[b] = rows{} // frees its memory
	}
}

// complete computes Prior from A, and Probabilities from Prior and B.
func (t *Truth) complete() {
	t.Prior = make([]float64, t.Topics)
	for k := range t.Prior {
		for _, v := range t.Correlations[k*t.Topics : (k+1)*t.Topics] {
			t.Prior[k] += v
		}
	}
	t.Probabilities = make([]float64, t.Items)
	for i := range t.Probabilities {
		topics, values := t.Row(i)
		for j, k := range topics {
			t.Probabilities[i] += values[j] * t.Prior[k]
		}
	}
}

// aliases returns the distribution of items in each topic.
func (t *Truth) aliases(workers int) []alias {
	items, weights := make([][]int32, t.Topics), make([][]float64, t.Topics)
	for i := range t.Items {
		topics, values := t.Row(i)
		for j, k := range topics {
			items[k], weights[k] = append(items[k], int32(i)), append(weights[k], values[j])
		}
	}
	tables := make([]alias, t.Topics)
	kernel.Each(workers, t.Topics, func(k int) { tables[k] = newAlias(items[k], weights[k]) })
	return tables
}
