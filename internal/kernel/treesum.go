// This file adds vectors in a fixed tree, so that a sum over rows has the same bits for any number of ranks and
// workers.

package kernel

import (
	"context"

	"anchorage/internal/collective"
	"anchorage/matrix"
)

// TreeSum adds the vectors of leaves 0 to n−1. Its tree is that of the numbers: the two halves of every aligned range
// of 2^j leaves are added, the lower one first; where n is not a power of two, the ranges that are left are added from
// the last to the first. So the sum depends only on the leaves. It holds at most ⌈log₂ n⌉+1 vectors, twice as many for
// a rank in the middle.
type TreeSum struct {
	width  int
	leaves int
	nodes  []node      // of adjacent ranges, increasing
	spare  [][]float64 // vectors to use again
}

// node is the sum of the leaves [index·2^level, (index+1)·2^level).
type node struct {
	level, index int
	sum          []float64
}

// NewTreeSum returns the sum of no leaves yet. leaves is their number on all processes together.
func NewTreeSum(leaves, width int) *TreeSum { return &TreeSum{width: width, leaves: leaves} }

// Add adds a leaf. A rank's leaves come one after the other, without a gap. The vector is copied.
func (t *TreeSum) Add(leaf int, values []float64) {
	sum := t.Vector()
	copy(sum, values)
	t.Put(leaf, sum)
}

// Vector returns a vector of zeros to be filled for Put.
func (t *TreeSum) Vector() []float64 {
	n := len(t.spare)
	if n == 0 {
		return make([]float64, t.width)
	}
	v := t.spare[n-1]
	t.spare = t.spare[:n-1]
	clear(v)
	return v
}

// Put is Add of a vector that Vector has returned. It must not be used afterwards.
func (t *TreeSum) Put(leaf int, sum []float64) {
	if n := len(t.nodes); n > 0 && (t.nodes[n-1].index+1)<<t.nodes[n-1].level != leaf {
		panic("kernel: leaves of a sum must follow each other")
	}
	t.push(node{0, leaf, sum})
}

// push appends a node and adds siblings.
func (t *TreeSum) push(next node) {
	for len(t.nodes) > 0 {
		last := t.nodes[len(t.nodes)-1]
		if last.level != next.level || last.index&1 != 0 || last.index+1 != next.index {
			break
		}
		for i, v := range next.sum {
			last.sum[i] += v
		}
		t.spare = append(t.spare, next.sum)
		t.nodes = t.nodes[:len(t.nodes)-1]
		next = node{next.level + 1, last.index >> 1, last.sum}
	}
	t.nodes = append(t.nodes, next)
}

// Total returns the sum of all leaves, those of the other processes of the layout included, on every process. If ctx
// ends, what it returns is incomplete. The TreeSum must not be used afterwards.
//
// In ⌈log₂ P⌉ rounds processes pass their nodes to lower ones; then the first broadcasts the sum. A process sends
// nodes·width·8 bytes, and 8 for their number.
func (t *TreeSum) Total(ctx context.Context, layout matrix.Layout) ([]float64, error) {
	c := collective.Of(layout)
	for step := 1; step < c.Size(); step <<= 1 {
		if c.Rank()&step != 0 {
			if err := t.move(ctx, c, c.Rank(), c.Rank()-step); err != nil {
				return make([]float64, t.width), err
			}
			break
		}
		if c.Rank()+step < c.Size() {
			if err := t.move(ctx, c, c.Rank()+step, c.Rank()); err != nil {
				return make([]float64, t.width), err
			}
		}
	}
	total := make([]float64, t.width)
	if c.First() {
		total = t.fold()
	}
	return total, collective.Broadcast(ctx, c, 0, total)
}

// fold adds the nodes, from the last range to the first.
func (t *TreeSum) fold() []float64 {
	if len(t.nodes) == 0 {
		return make([]float64, t.width)
	}
	for len(t.nodes) > 1 {
		n := len(t.nodes)
		to, from := t.nodes[n-2].sum, t.nodes[n-1].sum
		for i, v := range from {
			to[i] += v
		}
		t.nodes = t.nodes[:n-1]
	}
	return t.nodes[0].sum
}

// move sends the nodes of one process to another, which adds them to its own.
func (t *TreeSum) move(ctx context.Context, c *collective.Comm, from, to int) error {
	var nodes []node
	header := make([]int64, 2) // their number, and the first leaf
	if c.Rank() == from {
		nodes = t.nodes
		if header[0] = int64(len(nodes)); len(nodes) > 0 {
			header[1] = int64(nodes[0].index) << nodes[0].level
		}
	}
	if err := collective.Move(ctx, c, from, to, header); err != nil {
		return err
	}
	levels := make([]uint8, header[0])
	for i, n := range nodes {
		levels[i] = uint8(n.level)
	}
	if err := collective.Move(ctx, c, from, to, levels); err != nil {
		return err
	}
	leaf := int(header[1])
	for i, level := range levels {
		if c.Rank() == from {
			if err := collective.Move(ctx, c, from, to, nodes[i].sum); err != nil {
				return err
			}
			continue
		}
		sum := t.Vector()
		if err := collective.Move(ctx, c, from, to, sum); err != nil {
			return err
		}
		t.push(node{int(level), leaf >> level, sum})
		leaf += 1 << level
	}
	return nil
}
