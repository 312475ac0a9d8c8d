// This file holds products with tall matrices: Gram matrices over all rows, and tall times small.

package kernel

// gramRanges is into how many ranges of blocks a sum over all rows is cut. Each range is summed by one worker and the
// ranges are added in order, so the number may not depend on the number of workers.
const gramRanges = 64

// Gram returns aᵀ·b, a.Cols×b.Cols, row-major, for a and b with the same number of rows.
func Gram(a, b *Tall, workers int) []float64 {
	if a.rows != b.rows {
		panic("kernel: different numbers of rows")
	}
	return gram(a, b.cols, workers, func() func(int) operand[float64] {
		return func(block int) operand[float64] {
			values, _, _ := b.Block(block)
			return operand[float64]{values, b.stride}
		}
	})
}

// GramGenerated returns aᵀ·b, a.Cols×cols, for a matrix b with the rows of a that is never held: row(dst, i) overwrites
// dst with row i. It is called from several goroutines.
func GramGenerated(a *Tall, cols, workers int, row func(dst []float64, i int)) []float64 {
	stride := PadColumns(cols)
	return gram(a, cols, workers, func() func(int) operand[float64] {
		buffer := aligned(min(BlockRows, a.rows) * stride)
		return func(block int) operand[float64] {
			_, first, last := a.Block(block)
			for i := first; i < last; i++ {
				row(buffer[(i-first)*stride:][:cols], i)
			}
			return operand[float64]{buffer, stride}
		}
	})
}

// gram returns aᵀ·b for a right operand that right yields block by block; every range of blocks asks for one of its own.
func gram(a *Tall, cols, workers int, right func() func(block int) operand[float64]) []float64 {
	ranges := min(gramRanges, a.Blocks())
	m, n := a.cols, PadColumns(cols)
	parts := make([][]float64, ranges)
	each(workers, ranges, func(r int) {
		part, rightOf := aligned(m*n), right()
		for block := r * a.Blocks() / ranges; block < (r+1)*a.Blocks()/ranges; block++ {
			left, first, last := a.Block(block)
			blockProduct(&columns64, byColumns, add, operand[float64]{part, n},
				operand[float64]{left, a.stride}, rightOf(block), m, n, last-first)
		}
		parts[r] = part
	})
	sum := make([]float64, m*cols)
	for _, part := range parts {
		for i := range m {
			for j := range cols {
				sum[i*cols+j] += part[i*n+j]
			}
		}
	}
	return sum
}

// Multiply sets dst = a·s for a small matrix s, a.Cols×dst.Cols, row-major.
func Multiply(dst, a *Tall, s []float64, workers int) { tallTimesSmall(dst, a, s, 1, set, workers) }

// MultiplyAdd sets dst = dst + alpha·a·s for a small matrix s, a.Cols×dst.Cols, row-major.
func MultiplyAdd(dst *Tall, alpha float64, a *Tall, s []float64, workers int) {
	tallTimesSmall(dst, a, s, alpha, add, workers)
}

func tallTimesSmall(dst, a *Tall, s []float64, alpha float64, how store, workers int) {
	if dst.rows != a.rows || len(s) != a.cols*dst.cols {
		panic("kernel: shapes of a product do not fit")
	}
	small := padSmall(s, a.cols, dst.cols, alpha)
	each(workers, a.Blocks(), func(b int) {
		left, first, last := a.Block(b)
		out, _, _ := dst.Block(b)
		blockProduct(&rows64, byRows, how, operand[float64]{out, dst.stride},
			operand[float64]{left, a.stride}, small, last-first, small.stride, a.cols)
	})
}

// Transform replaces t by t·s for a small matrix s, t.Cols×cols with cols ≤ t.Cols, row-major. The rows keep their
// distance in storage.
func (t *Tall) Transform(s []float64, cols, workers int) {
	if cols > t.cols || len(s) != t.cols*cols {
		panic("kernel: shapes of a transformation do not fit")
	}
	const rows = 128 // a piece of the product that stays in the nearer caches on its way back
	small := padSmall(s, t.cols, cols, 1)
	each(workers, t.Blocks(), func(b int) {
		values, first, last := t.Block(b)
		piece := aligned(rows * small.stride)
		for i := 0; i < last-first; i += rows {
			m := min(rows, last-first-i)
			blockProduct(&rows64, byRows, set, operand[float64]{piece, small.stride},
				operand[float64]{values[i*t.stride:], t.stride}, small, m, small.stride, t.cols)
			for r := range m {
				row := values[(i+r)*t.stride:][:t.stride]
				clear(row[copy(row, piece[r*small.stride:][:small.stride]):])
			}
		}
	})
	t.cols = cols
}

// padSmall returns alpha·s with rows padded as block products need it.
func padSmall(s []float64, rows, cols int, alpha float64) operand[float64] {
	stride := PadColumns(cols)
	padded := aligned(rows * stride)
	for i := range rows {
		for j, v := range s[i*cols : (i+1)*cols] {
			padded[i*stride+j] = alpha * v
		}
	}
	return operand[float64]{padded, stride}
}

// ColumnSums returns the sums of the columns, eᵀ·t.
func (t *Tall) ColumnSums(workers int) []float64 { return t.WeightedColumnSums(nil, workers) }

// WeightedColumnSums returns the sums of the columns with row i weighted by weights[i], weightsᵀ·t. With nil every weight
// is 1.
func (t *Tall) WeightedColumnSums(weights []float64, workers int) []float64 {
	parts := make([][]float64, t.Blocks())
	each(workers, t.Blocks(), func(b int) {
		sums := make([]float64, t.cols)
		_, first, last := t.Block(b)
		for i := first; i < last; i++ {
			weight := 1.0
			if weights != nil {
				weight = weights[i]
			}
			for j, v := range t.Row(i) {
				sums[j] += weight * v
			}
		}
		parts[b] = sums
	})
	total := make([]float64, t.cols)
	for _, part := range parts {
		for j, v := range part {
			total[j] += v
		}
	}
	return total
}

// SquaredNorms returns the squared Euclidean norm of every row.
func (t *Tall) SquaredNorms(workers int) []float64 {
	norms := make([]float64, t.rows)
	each(workers, t.Blocks(), func(b int) {
		_, first, last := t.Block(b)
		for i := first; i < last; i++ {
			for _, v := range t.Row(i) {
				norms[i] += v * v
			}
		}
	})
	return norms
}
