package kernel

import "unsafe"

// BlockRows is the number of rows in one block of a Tall matrix; only the last block may be shorter.
const BlockRows = 4096

// lineBytes is what a row is padded to a multiple of: one cache line, and one 512-bit register.
const lineBytes = 64

// lane is the number of float64 in a line.
const lane = lineBytes / 8

// Real is what tall matrices are made of.
type Real interface{ float32 | float64 }

// TallOf is a rows×cols matrix with many rows, held in blocks of BlockRows rows so that it can grow, be given back to the
// system and be worked on block by block without a second copy. Within a block rows follow each other at a distance of
// Stride values, the columns rounded up to a whole cache line; the padding is always zero.
type TallOf[T Real] struct {
	rows, cols, stride int
	blocks             [][]T
}

// Tall is a tall matrix of double precision.
type Tall = TallOf[float64]

// Single is a tall matrix of single precision: half the memory, and twice the speed. Sums over its rows are carried on in
// double precision.
type Single = TallOf[float32]

// NewTall returns a zero matrix.
func NewTall(rows, cols int) *Tall { return newTall[float64](rows, cols) }

// NewSingle returns a zero matrix of single precision.
func NewSingle(rows, cols int) *Single { return newTall[float32](rows, cols) }

func newTall[T Real](rows, cols int) *TallOf[T] {
	if rows < 0 || cols < 0 {
		panic("kernel: negative dimension")
	}
	t := &TallOf[T]{cols: cols, stride: padColumns[T](cols)}
	t.Grow(rows)
	return t
}

// NewTallLike returns a zero matrix with the shape and the storage of t.
func NewTallLike[T Real](t *TallOf[T]) *TallOf[T] {
	like := &TallOf[T]{cols: t.cols, stride: t.stride}
	like.Grow(t.rows)
	return like
}

// PadColumns returns the number of values that one row of cols columns takes in the storage of a Tall.
func PadColumns(cols int) int { return padColumns[float64](cols) }

func padColumns[T Real](cols int) int {
	perLine := lineBytes / size[T]()
	return (cols + perLine - 1) / perLine * perLine
}

// size returns the bytes of a value.
func size[T Real]() int {
	var value T
	return int(unsafe.Sizeof(value))
}

// Dims returns the numbers of rows and columns.
func (t *TallOf[T]) Dims() (rows, cols int) { return t.rows, t.cols }

// Rows returns the number of rows.
func (t *TallOf[T]) Rows() int { return t.rows }

// Cols returns the number of columns.
func (t *TallOf[T]) Cols() int { return t.cols }

// Stride returns the distance between consecutive rows of a block, at least Cols.
func (t *TallOf[T]) Stride() int { return t.stride }

// Blocks returns the number of blocks.
func (t *TallOf[T]) Blocks() int { return len(t.blocks) }

// Block returns the values of block b, row-major with distance Stride, and the range [first, last) of its rows.
func (t *TallOf[T]) Block(b int) (values []T, first, last int) {
	first = b * BlockRows
	last = min(first+BlockRows, t.rows)
	return t.blocks[b][:(last-first)*t.stride], first, last
}

// Row returns row i, without its padding. It aliases the matrix.
func (t *TallOf[T]) Row(i int) []T {
	at := (i % BlockRows) * t.stride
	return t.blocks[i/BlockRows][at : at+t.cols : at+t.cols]
}

// PaddedRow returns row i with its padding, Stride values. Whoever writes to it keeps the padding zero.
func (t *TallOf[T]) PaddedRow(i int) []T {
	at := (i % BlockRows) * t.stride
	return t.blocks[i/BlockRows][at : at+t.stride : at+t.stride]
}

// Grow appends zero rows until there are the given number; it never shrinks. A last block that has to grow becomes a
// whole one, so that no value is copied more than once.
func (t *TallOf[T]) Grow(rows int) {
	if rows <= t.rows {
		return
	}
	for b := t.rows / BlockRows; b*BlockRows < rows; b++ {
		want := min(BlockRows, rows-b*BlockRows) * t.stride
		switch {
		case b == len(t.blocks):
			t.blocks = append(t.blocks, aligned[T](want))
		case cap(t.blocks[b]) < want:
			whole := aligned[T](BlockRows * t.stride)
			copy(whole, t.blocks[b])
			t.blocks[b] = whole[:want]
		default:
			t.blocks[b] = t.blocks[b][:want]
		}
	}
	t.rows = rows
}

// aligned returns n zero values that begin at a cache line.
func aligned[T Real](n int) []T {
	if n == 0 {
		return nil
	}
	width := size[T]()
	values := make([]T, n+lineBytes/width)
	adviseHuge(unsafe.Pointer(&values[0]), uintptr(len(values)*width))
	skip := 0
	if over := uintptr(unsafe.Pointer(&values[0])) % lineBytes; over != 0 {
		skip = int(lineBytes-over) / width
	}
	return values[skip : skip+n : skip+n]
}

// Clear sets every value to zero.
func (t *TallOf[T]) Clear() {
	for _, block := range t.blocks {
		clear(block)
	}
}

// Reshape changes the number of columns, at most what the stride has room for, and sets all values to 0.
func (t *TallOf[T]) Reshape(cols int) {
	if cols > t.stride {
		panic("kernel: more columns than there is room for")
	}
	t.cols = cols
	t.Clear()
}

// Copy returns a copy of the first cols columns of t.
func (t *TallOf[T]) Copy(cols, workers int) *TallOf[T] {
	if cols > t.cols {
		panic("kernel: more columns asked for than there are")
	}
	c := newTall[T](t.rows, cols)
	each(workers, t.Blocks(), func(b int) {
		_, first, last := t.Block(b)
		for i := first; i < last; i++ {
			copy(c.Row(i), t.Row(i)[:cols])
		}
	})
	return c
}

// Converted returns t with values of another precision. T is used up: its memory is given back block by block, so that
// there are never two whole matrices.
func Converted[To, From Real](t *TallOf[From]) *TallOf[To] {
	c := &TallOf[To]{cols: t.cols, stride: padColumns[To](t.cols)}
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
	t.rows, t.blocks = 0, nil
	return c
}
