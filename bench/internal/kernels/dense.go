// This file measures dense products in the shapes that a fit uses, against the peak.

package kernels

import (
	"context"
	"fmt"

	"anchorage/internal/aligned"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// products measures the negative part of Y·Y_Iᵀ, P·S, Pᵀ·X, and the kernels built on the latter two.
func (m *measuring) products(ctx context.Context) error {
	for _, k := range m.Topics {
		single, double := noisy[float32](m.Items, k), noisy[float64](m.Items, k)
		for _, workers := range m.Workers {
			part := newNegativePart(single, m.Chosen)
			shape := productShape[float32](m.Items, k) + fmt.Sprintf(", |I| = %d", m.Chosen)
			name := Name{groupProducts, "max(−Y·Y_Iᵀ, 0)", shape, workers}
			flops := 2 * float64(k) * float64(m.Chosen) / 1e9 // per row
			if err := m.add(ctx, name, part.operation(workers, m.Items, flops), peakOf[float32](workers)); err != nil {
				return err
			}
			if err := tallProducts(ctx, m, single, workers); err != nil {
				return err
			}
			if err := tallProducts(ctx, m, double, workers); err != nil {
				return err
			}
			if err := m.orthonormalize(ctx, double, workers); err != nil {
				return err
			}
		}
	}
	return nil
}

func productShape[T aligned.Real](n, k int) string {
	return fmt.Sprintf("%s, N = %d, K = %d", typeName[T](), n, k)
}

// tallProducts measures products of p, N×K, with a K×K matrix, with another N×K matrix, and with itself. It changes p.
func tallProducts[T aligned.Real](ctx context.Context, m *measuring, p *matrix.TallOf[T], workers int) error {
	k := p.Cols()
	dst, s := matrix.Like(p), reflection(k)
	flops := 2 * float64(m.Items) * float64(k) * float64(k) / 1e9
	half := float64(m.Items) * float64(k) * float64(k+1) / 1e9 // Pᵀ·P is symmetric
	for _, product := range []struct {
		name  string
		fn    func()
		flops float64
		peak  operation
	}{
		{"P·S", func() { kernel.Multiply(context.Background(), dst, p, s, workers) }, flops, peakOf[T](workers)},
		{"P ← P·S (Transform)", func() { kernel.Transform(context.Background(), p, s, k, workers) }, flops, peakOf[T](workers)},
		// Sums over rows are those of double precision in either case.
		{"Pᵀ·X", func() { kernel.Gram(context.Background(), p, dst, workers) }, flops, peakOf[float64](workers)},
		{"Pᵀ·P", func() { kernel.Gram(context.Background(), p, p, workers) }, half, peakOf[float64](workers)},
	} {
		name := Name{groupProducts, product.name, productShape[T](m.Items, k), workers}
		if err := m.add(ctx, name, timed(product.flops, always(product.fn)), product.peak); err != nil {
			return err
		}
	}
	return nil
}

// reflection returns I − 2vvᵀ/vᵀv, k×k. Repeated products with it neither grow nor shrink.
func reflection(k int) []float64 {
	v, length := make([]float64, k), 0.0
	for i := range v {
		v[i] = noise(1, uint64(i))
		length += v[i] * v[i]
	}
	s := make([]float64, k*k)
	for i := range k {
		for j := range k {
			s[i*k+j] = -2 * v[i] * v[j] / length
		}
		s[i*k+i]++
	}
	return s
}

// orthonormalize measures kernel.Orthonormalize on the partial sums of the columns of p. Their condition is about K, so that one
// round is not enough. Every call gets a fresh copy.
func (m *measuring) orthonormalize(ctx context.Context, p *matrix.Tall, workers int) error {
	k := p.Cols()
	from := p.Copy(k)
	for i := range from.Rows() {
		row := from.Row(i)
		for j := 1; j < k; j++ {
			row[j] += row[j-1]
		}
	}
	t := from.Copy(k)
	flops := 4 * float64(m.Items) * float64(k) * float64(k) / 1e9
	op := func() (float64, span, error) {
		t.Grow(m.Items)
		for b := range from.Blocks() {
			to, _, _ := t.Block(b)
			values, _, _ := from.Block(b)
			copy(to, values)
		}
		stop := watch()
		_, err := kernel.Orthonormalize(context.Background(), t, workers)
		took := stop()
		if err == nil && t.Cols() != k {
			err = fmt.Errorf("of %d columns %d are left: --items is too small", k, t.Cols())
		}
		return flops, took, err
	}
	name := Name{groupProducts, "orthonormalize", productShape[float64](m.Items, k), workers}
	return m.add(ctx, name, op, peakOf[float64](workers))
}

// negativePart computes max(−Y·Y_Iᵀ, 0) tile by tile and drops it; I are the first rows of Y.
type negativePart struct {
	y       *matrix.Single
	negated *kernel.Negated
}

func newNegativePart(y *matrix.Single, chosen int) *negativePart {
	rows := make([]int, chosen)
	for i := range rows {
		rows[i] = i
	}
	return &negativePart{y: y, negated: kernel.PackNegated(y, rows)}
}

// operation returns the operation that computes the given number of rows, of which each is so much work.
func (p *negativePart) operation(workers, rows int, perRow float64) operation {
	const piece = 8 * kernel.TileRows
	return timed(perRow*float64(rows), func() error {
		return kernel.Parallel(context.Background(), workers, (rows+piece-1)/piece, func(i int) error {
			dense := newDenseTile()
			for low := i * piece; low < min((i+1)*piece, rows); low += kernel.TileRows {
				high := min(low+kernel.TileRows, rows)
				for panel := range p.panels() {
					p.tile(dense, low, high, panel)
				}
			}
			return nil
		})
	})
}

// newDenseTile returns room for a tile.
func newDenseTile() []float32 { return make([]float32, kernel.TileRows*kernel.TileColumns) }

// panels returns the number of tiles side by side.
func (p *negativePart) panels() int { return kernel.Padded(p.negated.Columns()) / kernel.TileColumns }

// tile computes rows [low, high), which lie in one block, of a panel.
func (p *negativePart) tile(dense []float32, low, high, panel int) {
	values, start, _ := p.y.Block(low / matrix.BlockRows)
	first := panel * kernel.TileColumns
	p.negated.NegativePart(dense, kernel.TileColumns, first, min(kernel.TileColumns, p.negated.Columns()-first),
		values[(low-start)*p.y.Stride():], p.y.Stride(), high-low)
}
