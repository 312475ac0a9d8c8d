// This file changes the shape of a tall matrix, and gives its memory back.

package matrix

import "anchorage/internal/aligned"

// Grow appends zero rows until there are the given number. It never shrinks. A last block that must grow becomes a whole
// one, so no value is copied more than once.
func (t *TallOf[T]) Grow(rows int) {
	if rows <= t.rows {
		return
	}
	for b := t.rows / BlockRows; b*BlockRows < rows; b++ {
		want := min(BlockRows, rows-b*BlockRows) * t.stride
		switch {
		case b == len(t.blocks):
			t.blocks = append(t.blocks, aligned.Make[T](want))
		case cap(t.blocks[b]) < want:
			whole := aligned.Make[T](BlockRows * t.stride)
			copy(whole, t.blocks[b])
			t.blocks[b] = whole[:want]
		default:
			t.blocks[b] = t.blocks[b][:want]
		}
	}
	t.rows = rows
}

// Reshape changes the number of columns, at most Stride, and sets every value to zero.
func (t *TallOf[T]) Reshape(cols int) {
	if cols < 0 || cols > t.stride {
		panic("matrix: the stride has no room for so many columns")
	}
	t.cols = cols
	t.Clear()
}

// Narrow keeps the first cols columns and sets the others to zero. Rows stay where they are, and Stride stays as it is.
func (t *TallOf[T]) Narrow(cols int) {
	if cols < 0 || cols > t.cols {
		panic("matrix: no such number of columns")
	}
	if cols < t.cols {
		for i := range t.rows {
			clear(t.PaddedRow(i)[cols:t.cols])
		}
	}
	t.cols = cols
}

// Shrink keeps the first cols columns and gives the memory of the others back, block by block. It never grows.
func (t *TallOf[T]) Shrink(cols int) {
	if cols < 0 {
		panic("matrix: negative dimension")
	}
	if cols >= t.cols {
		return
	}
	rows := t.rows
	from := TallOf[T]{rows: rows, cols: cols, stride: t.stride, blocks: t.blocks}
	*t = *Converted[T](&from)
	if rows == 0 {
		t.stride = aligned.Columns[T](cols)
	}
}

// Release gives all memory back. The matrix then has no rows.
func (t *TallOf[T]) Release() { t.rows, t.blocks = 0, nil }

// Converted returns t in another precision, or in the same one with the least stride. It uses t up: t is released block by block,
// so two whole matrices are never held.
func Converted[To, From float32 | float64](t *TallOf[From]) *TallOf[To] {
	c := &TallOf[To]{cols: t.cols, stride: aligned.Columns[To](t.cols)}
	for b := range t.blocks {
		_, first, last := t.Block(b)
		c.Grow(last)
		for i := first; i < last; i++ {
			to := c.Row(i)
			for j, v := range t.Row(i) {
				to[j] = To(v)
			}
		}
		t.blocks[b] = nil
	}
	t.Release()
	return c
}
