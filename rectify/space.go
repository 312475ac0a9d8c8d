// This file holds the space in which Eigen searches: an orthonormal basis, its image under C, and Rayleigh–Ritz.

package rectify

import (
	"context"
	"math"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// space is an orthonormal basis Q of m columns, in blocks, with C·Q and the Ritz pairs in it.
type space struct {
	multiply      Operator
	workers       int
	basis, images []*matrix.Tall // the blocks of Q and of C·Q
	size          int            // m
	h             []float64      // Qᵀ·C·Q, m×m
	values        []float64      // Ritz values, decreasing
	vectors       []float64      // coefficients of the leading Ritz vectors, in columns
}

// extend adds the columns of q, orthonormal and orthogonal to the basis, to it.
func (s *space) extend(ctx context.Context, q *matrix.Tall) error {
	image := matrix.Like(q)
	if err := s.multiply(ctx, image, q); err != nil {
		return err
	}
	s.basis, s.images = append(s.basis, q), append(s.images, image)
	old, n := s.size, s.size+q.Cols()
	h := make([]float64, n*n)
	for i := range old {
		copy(h[i*n:], s.h[i*old:(i+1)*old])
	}
	at := 0
	for _, block := range s.basis {
		part := kernel.Gram(ctx, block, image, s.workers)
		for i := range block.Cols() {
			for j, v := range part[i*q.Cols() : (i+1)*q.Cols()] {
				h[(at+i)*n+old+j], h[(old+j)*n+at+i] = v, v
			}
		}
		at += block.Cols()
	}
	s.h, s.size = h, n
	return ctx.Err()
}

// combine returns the first count Ritz vectors, given the blocks of Q, or their images, given those of C·Q.
func (s *space) combine(ctx context.Context, blocks []*matrix.Tall, count int) *matrix.Tall {
	x := matrix.NewTall(blocks[0].Rows(), count)
	at := 0
	for _, block := range blocks {
		part := make([]float64, block.Cols()*count)
		for r := range block.Cols() {
			copy(part[r*count:(r+1)*count], s.vectors[(at+r)*count:])
		}
		kernel.MultiplyAdd(ctx, x, 1, block, part, s.workers)
		at += block.Cols()
	}
	return x
}

// residuals returns C·v − θ·v of the Ritz vectors x with images cx, and their norms.
func (s *space) residuals(ctx context.Context, x, cx *matrix.Tall) (norms []float64, r *matrix.Tall) {
	count := x.Cols()
	r = cx.Copy(count)
	values := make([]float64, count*count)
	for j := range count {
		values[j*count+j] = s.values[j]
	}
	kernel.MultiplyAdd(ctx, r, -1, x, values, s.workers)
	norms = diagonal(kernel.Gram(ctx, r, r, s.workers), count)
	for j, v := range norms {
		norms[j] = math.Sqrt(v)
	}
	return norms, r
}

// orthonormal returns an orthonormal basis of the part outside of the space of those columns of r that are longer than floor.
// Scaling short columns up also scales up what rounding left of the space in them, so they are projected a second time.
func (s *space) orthonormal(ctx context.Context, r *matrix.Tall, norms []float64, floor float64) (*matrix.Tall, error) {
	var long []int
	for j, norm := range norms {
		if norm > floor {
			long = append(long, j)
		}
	}
	selection := make([]float64, r.Cols()*len(long))
	for at, j := range long {
		selection[j*len(long)+at] = 1
	}
	next := matrix.NewTall(r.Rows(), len(long))
	kernel.Multiply(ctx, next, r, selection, s.workers)
	return next, s.separate(ctx, next)
}

// separate makes the columns of q orthonormal and orthogonal to the basis.
func (s *space) separate(ctx context.Context, q *matrix.Tall) error {
	for range 2 {
		for _, block := range s.basis {
			kernel.MultiplyAdd(ctx, q, -1, block, kernel.Gram(ctx, block, q, s.workers), s.workers)
		}
		if _, err := kernel.Orthonormalize(ctx, q, s.workers); err != nil {
			return err
		}
	}
	return nil
}

// restart replaces the basis by the Ritz vectors x with images cx.
func (s *space) restart(x, cx *matrix.Tall) {
	count := x.Cols()
	s.basis, s.images = []*matrix.Tall{x}, []*matrix.Tall{cx}
	s.h, s.size = make([]float64, count*count), count
	for j := range count {
		s.h[j*count+j] = s.values[j]
	}
}
