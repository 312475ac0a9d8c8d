// This file draws B, block by block of items.

package synth

import (
	"anchorage/internal/kernel"
	"anchorage/internal/random"
)

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
	counts := make([]int, t.Topics)
	for _, k := range t.topics {
		counts[k]++
	}
	for k, count := range counts {
		items[k], weights[k] = make([]int32, 0, count), make([]float64, 0, count)
	}
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
