// This file writes and reads matrices, those among them that several ranks share.

package checkpoint

import (
	"math"
	"slices"

	"anchorage/internal/aligned"
	"anchorage/internal/collective"
	"anchorage/matrix"
)

// tall takes a matrix, with its stride. A nil matrix stays nil. Of several ranks, each gets the rows that it holds of a
// matrix that is read, whether or not it was written by as many.
func tall[T float32 | float64](v *Values, m **matrix.TallOf[T]) {
	shape := []int64{-1, 0, 0}
	if *m != nil {
		shape = []int64{int64((*m).Rows()), int64((*m).Cols()), int64((*m).Stride())}
	}
	if numbers(v, shape); v.err != nil && v.Reading() {
		return
	}
	if v.Reading() {
		if *m = nil; !makeMatrix(v, m, shape[0], shape[1], shape[2]) {
			return
		}
	}
	switch {
	case *m == nil:
	case v.Reading():
		readBlocks(v, *m)
	case v.Writing():
		writeBlocks(v, *m)
	default:
		v.size += int64((*m).Rows()) * int64((*m).Stride()) * int64(aligned.Size[T]())
	}
}

// makeMatrix makes the matrix that is read, and reports whether there is one.
func makeMatrix[T float32 | float64](v *Values, m **matrix.TallOf[T], rows, cols, stride int64) bool {
	if rows < 0 {
		return false
	}
	width := int64(aligned.Size[T]())
	switch {
	case rows > math.MaxInt32 || cols < 0 || cols > stride || stride > math.MaxInt32,
		aligned.Columns[T](int(stride)) != int(stride),
		rows > 0 && stride > v.left/width/rows:
		v.fail("it claims a matrix of %d×%d with a stride of %d", rows, cols, stride)
		return false
	}
	*m = matrix.NewShared[T](v.ranks.Layout(), int(rows), int(stride))
	(*m).Narrow(int(cols))
	return true
}

// readBlocks fills a matrix. Rank 0 reads the blocks of others for them. All ranks get its error.
func readBlocks[T float32 | float64](v *Values, m *matrix.TallOf[T]) {
	var other []T
	for b := 0; b < m.Blocks() && v.err == nil; b++ {
		first := b * matrix.BlockRows
		size := min(matrix.BlockRows, m.Rows()-first) * m.Stride()
		owner, values := v.ranks.Owner(m.Rows(), first), []T(nil)
		switch {
		case owner == v.ranks.Rank():
			values, _, _ = m.Block(b)
		case v.ranks.First():
			other = slices.Grow(other[:0], size)[:size]
			values = other
		}
		bytes := int64(size) * int64(aligned.Size[T]())
		if bytes > v.left {
			v.fail("it ends too early")
			return
		}
		one := &Values{ctx: v.ctx, from: v.from, left: v.left, buffer: v.buffer} // without other ranks
		if v.ranks.First() {
			numbers(one, values)
			v.buffer = one.buffer
		}
		v.left -= bytes
		v.size += bytes
		if v.Fail(v.shared(one.err, nil)); v.err == nil && owner != 0 {
			v.Fail(collective.Move(v.ctx, v.ranks, 0, owner, values))
		}
	}
}

// writeBlocks writes a matrix. The blocks of others come to rank 0, even if it cannot write any more, since they do not
// know.
func writeBlocks[T float32 | float64](v *Values, m *matrix.TallOf[T]) {
	var own, other []T
	low, high := m.HeldBlocks()
	for b := range m.Blocks() {
		first := b * matrix.BlockRows
		last := min(first+matrix.BlockRows, m.Rows())
		size := (last - first) * m.Stride()
		owner, values := 0, []T(nil)
		if !m.Whole() {
			owner = v.ranks.Owner(m.Rows(), first)
		}
		switch {
		case b >= low && b < high:
			var err error
			if values, err = m.Load(own, first, last); m.IsAway() {
				own = values
			}
			v.Fail(err)
		case v.ranks.First():
			other = slices.Grow(other[:0], size)[:size]
			values = other
		}
		if owner != 0 {
			if err := collective.Move(v.ctx, v.ranks, owner, 0, values); err != nil {
				v.Fail(err)
				return
			}
		}
		if v.ranks.First() {
			numbers(v, values)
		} else {
			v.size += int64(size) * int64(aligned.Size[T]())
		}
	}
}
