// This file moves items until neighbours are near each other and others are not: it computes how all items push each
// other away.

package itemmap

import (
	"context"
	"math"

	"anchorage/internal/kernel"
)

// springs are the pairs of neighbours, both ways: item i is joined to ends[offsets[i]:offsets[i+1]], twice to those of
// which each is a neighbour of the other.
type springs struct{ offsets, ends []int32 }

// join returns the springs of neighbours.
func join(near []int32) *springs {
	n := len(near) / degree
	s := &springs{offsets: make([]int32, n+2)}
	each := func(fn func(i, j int32)) {
		for at, j := range near {
			if j >= 0 {
				fn(int32(at/degree), j)
				fn(j, int32(at/degree))
			}
		}
	}
	each(func(i, _ int32) { s.offsets[i+2]++ })
	for i := range n {
		s.offsets[i+2] += s.offsets[i+1]
	}
	s.ends = make([]int32, s.offsets[n+1])
	each(func(i, j int32) {
		s.ends[s.offsets[i+1]] = j
		s.offsets[i+1]++
	})
	return s
}

const (
	epochs   = 200
	stepSize = 2.0
	momentum = 0.95
)

// descend moves items at x, y, by gradient descent with momentum, to where the divergence of t-SNE (van der Maaten &
// Hinton, JMLR 9, 2008) is small: with q = 1/(1 + |y_i − y_j|²) and Z = Σ_ij q, an item is pulled by
// Σ_springs q·(y_j − y_i)/30, as if its 15 neighbours were equally likely, and pushed by N/Z·Σ_j q²·(y_i − y_j). One
// with more than 30 springs is that much slower.
func descend(ctx context.Context, x, y []float32, s *springs, o Options) error {
	n := len(x)
	vx, vy, f := make([]float32, n), make([]float32, n), newField(n)
	for epoch := range epochs {
		total, err := f.repel(ctx, x, y, o.Workers)
		if err != nil {
			return err
		}
		push := float32(float64(n) / total)
		err = kernel.Ranges(ctx, o.Workers, n, 4096, func(first, last int) error {
			for i := first; i < last; i++ {
				ends, px, py := s.ends[s.offsets[i]:s.offsets[i+1]], float32(0), float32(0)
				for _, j := range ends {
					dx, dy := x[j]-x[i], y[j]-y[i]
					q := 1 / (1 + dx*dx + dy*dy)
					px, py = px+q*dx, py+q*dy
				}
				const pull = 1.0 / (2 * degree)
				step := stepSize / max(1, pull*float32(len(ends)))
				vx[i] = momentum*vx[i] + step*(pull*px+push*f.fx[i])
				vy[i] = momentum*vy[i] + step*(pull*py+push*f.fy[i])
			}
			return nil
		})
		if err != nil {
			return err
		}
		for i := range x {
			x[i], y[i] = x[i]+vx[i], y[i]+vy[i]
		}
		if o.Progress != nil {
			o.Progress(int64(epoch+1), epochs)
		}
	}
	return nil
}

// field is the push on each of n items, found in cells of a pyramid of squares: level l has 2^l × 2^l, and the finest
// one about leafItems in a cell. An item meets those of the 3×3 cells around it one by one, and on each level the cells
// that are not beside its own, but whose parents are, as if all their items were at their mean (Barnes & Hut, Nature
// 324, 1986; Greengard & Rokhlin, J. Comput. Phys. 73, 1987).
type field struct {
	levels        []level
	cell          []int32   // of each item, on the finest level
	starts, order []int32   // items by cell: those of cell c are order[starts[c]:starts[c+1]]
	x, y          []float32 // of items in this order
	fx, fy        []float32 // Σ_j q²·(y_i − y_j) of item i
}

// level has the numbers and the means of the items in its cells, row by row.
type level []mass

type mass struct{ x, y, n float32 }

const (
	leafItems = 12
	// mostNear is how many items of three cells beside each other are met one by one, or up to twice as many; of more,
	// every second, third, and so on.
	mostNear = 96
)

func newField(n int) *field {
	f := &field{cell: make([]int32, n), order: make([]int32, n), x: make([]float32, n), y: make([]float32, n),
		fx: make([]float32, n), fy: make([]float32, n)}
	finest := max(int(math.Round(math.Log2(float64(n)/leafItems)/2)), 1)
	for l := range finest + 1 {
		f.levels = append(f.levels, make(level, 1<<(2*l)))
	}
	f.starts = make([]int32, len(f.levels[finest])+1)
	return f
}

// put puts items into cells.
func (f *field) put(x, y []float32) {
	finest := len(f.levels) - 1
	leaves, side := f.levels[finest], 1<<finest
	lowX, highX := bounds(x)
	lowY, highY := bounds(y)
	scale := float32(side) / max(highX-lowX, highY-lowY, 1e-30)
	clear(f.starts)
	clear(leaves)
	for i := range x {
		c := min(int((y[i]-lowY)*scale), side-1)*side + min(int((x[i]-lowX)*scale), side-1)
		f.cell[i] = int32(c)
		f.starts[c+1]++
		leaves[c] = mass{leaves[c].x + x[i], leaves[c].y + y[i], leaves[c].n + 1}
	}
	for c := range leaves {
		f.starts[c+1] += f.starts[c]
	}
	for i, c := range f.cell {
		at := f.starts[c]
		f.order[at], f.x[at], f.y[at] = int32(i), x[i], y[i]
		f.starts[c]++
	}
	copy(f.starts[1:], f.starts)
	f.starts[0] = 0
	for l := finest - 1; l >= 0; l-- {
		for c := range f.levels[l] {
			cy, cx := c>>l, c&(1<<l-1)
			below, sum := f.levels[l+1][cy<<(l+2)+cx<<1:], mass{}
			for _, m := range [4]mass{below[0], below[1], below[2<<l], below[2<<l+1]} {
				sum = mass{sum.x + m.x, sum.y + m.y, sum.n + m.n}
			}
			f.levels[l][c] = sum
		}
	}
	for _, l := range f.levels {
		for c := range l {
			if l[c].n > 0 {
				l[c].x, l[c].y = l[c].x/l[c].n, l[c].y/l[c].n
			}
		}
	}
}

// repel sets fx and fy for items at x, y, and returns Z.
func (f *field) repel(ctx context.Context, x, y []float32, workers int) (float64, error) {
	f.put(x, y)
	finest := len(f.levels) - 1
	side := 1 << finest
	sums := make([]float64, side)
	err := kernel.Parallel(ctx, workers, side, func(cy int) error {
		var far []mass
		for cx := range side {
			first, last := f.starts[cy*side+cx], f.starts[cy*side+cx+1]
			if first == last {
				continue
			}
			far = f.far(far[:0], cx, cy)
			for a := first; a < last; a++ {
				p := push{x: f.x[a], y: f.y[a]}
				for _, m := range far {
					p.meet(m.x, m.y, m.n)
				}
				for row := max(cy-1, 0); row <= min(cy+1, side-1); row++ {
					low, high := f.starts[row*side+max(cx-1, 0)], f.starts[row*side+min(cx+1, side-1)+1]
					stride := max((high-low)/mostNear, 1)
					begin := low + a%stride
					weight := float32(high-low) / float32((high-begin+stride-1)/stride)
					for b := begin; b < high; b += stride {
						p.meet(f.x[b], f.y[b], weight)
					}
				}
				f.fx[f.order[a]], f.fy[f.order[a]] = p.fx, p.fy
				sums[cy] += float64(p.z)
			}
		}
		return nil
	})
	total := -float64(len(x)) // an item does not meet itself
	for _, sum := range sums {
		total += sum
	}
	return max(total, 1e-30), err
}

// far appends the cells that items in a cell of the finest level meet as a whole.
func (f *field) far(list []mass, cx, cy int) []mass {
	for l := len(f.levels) - 1; l >= 2; l-- {
		for row := max(cy&^1-2, 0); row < min(cy&^1+4, 1<<l); row++ {
			for col := max(cx&^1-2, 0); col < min(cx&^1+4, 1<<l); col++ {
				beside := row >= cy-1 && row <= cy+1 && col >= cx-1 && col <= cx+1
				if m := f.levels[l][row<<l+col]; !beside && m.n > 0 {
					list = append(list, m)
				}
			}
		}
		cx, cy = cx/2, cy/2
	}
	return list
}

// push is the push on an item at x, y, and its share of Z.
type push struct{ x, y, fx, fy, z float32 }

// meet adds the push of weight items at x, y.
func (p *push) meet(x, y, weight float32) {
	dx, dy := p.x-x, p.y-y
	q := 1 / (1 + dx*dx + dy*dy)
	p.z += weight * q
	q *= q * weight
	p.fx, p.fy = p.fx+q*dx, p.fy+q*dy
}
