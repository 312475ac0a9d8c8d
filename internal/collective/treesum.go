// This file adds vectors in a fixed tree, so that a sum over rows has the same bits for any number of ranks and workers.

package collective

import (
	"context"
	"math/bits"
)

// TreeSum adds the vectors of leaves 0 to n−1. Its tree is that of the numbers: the two halves of every aligned range of 2^j leaves are added, the
// lower one first; where n is not a power of two, what is left at the end is added from the last range to the first. So the sum
// depends on the leaves alone. It holds at most ⌈log₂ n⌉+1 vectors, twice as many for a rank in the middle.
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

// NewTreeSum returns the sum of no leaves yet, of so many that are to come on all ranks together.
func NewTreeSum(leaves, width int) *TreeSum { return &TreeSum{width: width, leaves: leaves} }

// Add adds a leaf. A rank's leaves come one after the other, without a gap. The vector is copied.
func (t *TreeSum) Add(leaf int, values []float64) {
	sum := t.vector()
	copy(sum, values)
	t.Put(leaf, sum)
}

// Vector returns a vector of zeros to be filled for Put.
func (t *TreeSum) Vector() []float64 {
	v := t.vector()
	clear(v)
	return v
}

// Put is Add of a vector that Vector has returned. It must not be used afterwards.
func (t *TreeSum) Put(leaf int, sum []float64) {
	if n := len(t.nodes); n > 0 && (t.nodes[n-1].index+1)<<t.nodes[n-1].level != leaf {
		panic("collective: leaves of a sum must follow each other")
	}
	t.push(node{0, leaf, sum})
}

func (t *TreeSum) vector() []float64 {
	if n := len(t.spare); n > 0 {
		v := t.spare[n-1]
		t.spare = t.spare[:n-1]
		return v
	}
	return make([]float64, t.width)
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

// Total returns the sum of all leaves of all ranks, on every rank. If ctx ends, what it returns is incomplete. The TreeSum must not be used
// afterwards.
//
// In ⌈log₂ P⌉ rounds ranks pass their nodes on to lower ones; then rank 0 broadcasts the sum. A rank sends Nodes·width·8 bytes, and 8 for
// their number.
func (t *TreeSum) Total(ctx context.Context, c *Comm) ([]float64, error) {
	if c.Size() > 1 {
		if err := t.gather(ctx, c); err != nil {
			return make([]float64, t.width), err
		}
	}
	var total []float64
	if c.First() {
		total = t.fold()
	} else {
		total = make([]float64, t.width)
	}
	return total, Broadcast(ctx, c, 0, total)
}

// fold adds what is left, from the last range to the first.
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

// gather brings the nodes of all ranks to rank 0.
func (t *TreeSum) gather(ctx context.Context, c *Comm) error {
	defer c.enter()()
	for step := 1; step < c.size; step <<= 1 {
		if c.rank&step != 0 {
			return t.send(ctx, c, c.rank-step)
		}
		if c.rank+step < c.size {
			if err := t.receive(ctx, c, c.rank+step); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *TreeSum) send(ctx context.Context, c *Comm, to int) error {
	header := []int64{int64(len(t.nodes)), 0}
	if len(t.nodes) > 0 {
		header[1] = int64(t.nodes[0].index) << t.nodes[0].level
	}
	if err := c.exchange(ctx, to, bytesOf(header), -1, nil); err != nil {
		return err
	}
	levels := make([]uint8, len(t.nodes))
	for i, n := range t.nodes {
		levels[i] = uint8(n.level)
	}
	if err := c.exchange(ctx, to, levels, -1, nil); err != nil {
		return err
	}
	for _, n := range t.nodes {
		if err := c.exchange(ctx, to, bytesOf(n.sum), -1, nil); err != nil {
			return err
		}
	}
	return nil
}

func (t *TreeSum) receive(ctx context.Context, c *Comm, from int) error {
	header := make([]int64, 2)
	if err := c.exchange(ctx, -1, nil, from, bytesOf(header)); err != nil {
		return err
	}
	levels := make([]uint8, header[0])
	if err := c.exchange(ctx, -1, nil, from, levels); err != nil {
		return err
	}
	leaf := int(header[1])
	for _, level := range levels {
		sum := t.vector()
		if err := c.exchange(ctx, -1, nil, from, bytesOf(sum)); err != nil {
			return err
		}
		t.push(node{int(level), leaf >> level, sum})
		leaf += 1 << level
	}
	return nil
}

// Nodes returns how many vectors a rank with the leaves [first, last) holds at the end: the fewest aligned ranges that make up its own.
func Nodes(first, last int) int {
	count := 0
	for first < last {
		level := bits.Len(uint(last-first)) - 1
		if first > 0 {
			level = min(level, bits.TrailingZeros(uint(first)))
		}
		first += 1 << level
		count++
	}
	return count
}

// TreeTraffic returns what all ranks together send for a Total of so many values. Rank r has the leaves from bounds[r] to bounds[r+1]−1.
func TreeTraffic(bounds []int, width int) (sent Traffic) {
	ranks := len(bounds) - 1
	if ranks < 2 {
		return sent
	}
	for r := 1; r < ranks; r++ {
		step := r & -r // it passes on the nodes of so many ranks
		nodes := int64(Nodes(bounds[r], bounds[min(r+step, ranks)]))
		sent.Bytes += 16 + nodes*int64(1+8*width)
		sent.Messages += 1 + min(nodes, 1) + nodes
	}
	sent.Bytes += int64(ranks-1) * 8 * int64(width)
	sent.Messages += int64(ranks - 1)
	return sent
}
