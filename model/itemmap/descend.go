// This file moves items until neighbours are near each other and others are not.

package itemmap

import (
	"context"

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
