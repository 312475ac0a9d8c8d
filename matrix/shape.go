// This file changes the shape of a tall matrix, and gives its memory back.

package matrix

import (
	"slices"

	"anchorage/internal/aligned"
)

// Grow appends zero rows until there are the given number. It never shrinks. A last block that must grow becomes a
// whole one, so no value is copied more than once.
func (t *TallOf[T]) Grow(rows int) {
	if rows <= t.rows {
		return
	}
	if t.layout != nil {
		panic("matrix: a shared matrix does not grow")
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
		panic("matrix: the stride has no room for these columns")
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
		first, last := t.HeldRows()
		for i := first; i < last; i++ {
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
	from := *t
	from.cols = cols
	*t = *Converted[T](&from)
	if rows == 0 {
		t.stride = aligned.Columns[T](cols)
	}
}

// Release gives all memory back, and what is away. The matrix then has no rows.
func (t *TallOf[T]) Release() {
	if t.away != nil {
		t.away.Release()
	}
	*t = TallOf[T]{cols: t.cols, stride: t.stride}
}

// Unfilled returns a matrix with the rows and the layout of t that has no memory yet: Fill gives it some, from the
// first rows on.
func Unfilled[T float32 | float64](t *TallOf[T], cols int) *TallOf[T] {
	return emptyLike[T](t, cols, aligned.Columns[T](cols))
}

// Fill gives the blocks of an Unfilled matrix that are held and have rows before the given one their memory, of what is
// spared as far as that has it. spare may be nil.
func (t *TallOf[T]) Fill(rows int, spare *Spare[T]) {
	for b := range t.Held() {
		if t.blocks[b] == nil && b*BlockRows < rows {
			t.blocks[b] = spare.take(t.rowsOf(b) * t.stride)
		}
	}
}

// Spare is memory of matrices that were used up, for others with the same stride: a system takes about as long to give
// memory to a program as the program takes to use it. The zero value has none.
type Spare[T float32 | float64] struct{ blocks [][]T }

// Put takes blocks of rows over, which nobody may use any more.
func (s *Spare[T]) Put(blocks ...[]T) { s.blocks = append(s.blocks, blocks...) }

// take returns n zero values.
func (s *Spare[T]) take(n int) []T {
	if s != nil {
		if at := slices.IndexFunc(s.blocks, func(block []T) bool { return len(block) == n }); at >= 0 {
			block := s.blocks[at]
			s.blocks = slices.Delete(s.blocks, at, at+1)
			clear(block)
			return block
		}
	}
	return aligned.Make[T](n)
}

// Converted returns t in another precision, or in the same one with the least stride. It uses t up: t is released block
// by block, so two whole matrices are never held.
func Converted[To, From float32 | float64](t *TallOf[From]) *TallOf[To] {
	c := emptyLike[To](t, t.cols, aligned.Columns[To](t.cols))
	for b := range t.Held() {
		_, first, last := t.Block(b)
		c.blocks[b] = aligned.Make[To](t.rowsOf(b) * c.stride)
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
