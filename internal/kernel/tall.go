package kernel

import "unsafe"

// BlockRows is the number of rows in one block of a Tall matrix; only the last block may be shorter.
const BlockRows = 4096

// lane is the number of float64 that a row is padded to a multiple of: one cache line, and one 512-bit register.
const lane = 8

// Tall is a rows×cols matrix with many rows, held in blocks of BlockRows rows so that it can grow, be given back to the
// system and be worked on block by block without a second copy. Within a block rows follow each other at a distance of
// Stride values, the columns rounded up to a whole cache line; the padding is always zero.
type Tall struct {
	rows, cols, stride int
	blocks             [][]float64
}

// NewTall returns a zero matrix.
func NewTall(rows, cols int) *Tall {
	if rows < 0 || cols < 0 {
		panic("kernel: negative dimension")
	}
	t := &Tall{cols: cols, stride: PadColumns(cols)}
	t.Grow(rows)
	return t
}

// NewTallLike returns a zero matrix with the shape and the storage of t.
func NewTallLike(t *Tall) *Tall {
	like := &Tall{cols: t.cols, stride: t.stride}
	like.Grow(t.rows)
	return like
}

// PadColumns returns the number of values that one row of cols columns takes in storage.
func PadColumns(cols int) int { return (cols + lane - 1) / lane * lane }

// Dims returns the numbers of rows and columns.
func (t *Tall) Dims() (rows, cols int) { return t.rows, t.cols }

// Rows returns the number of rows.
func (t *Tall) Rows() int { return t.rows }

// Cols returns the number of columns.
func (t *Tall) Cols() int { return t.cols }

// Stride returns the distance between consecutive rows of a block, at least Cols.
func (t *Tall) Stride() int { return t.stride }

// Blocks returns the number of blocks.
func (t *Tall) Blocks() int { return len(t.blocks) }

// Block returns the values of block b, row-major with distance Stride, and the range [first, last) of its rows.
func (t *Tall) Block(b int) (values []float64, first, last int) {
	first = b * BlockRows
	last = min(first+BlockRows, t.rows)
	return t.blocks[b][:(last-first)*t.stride], first, last
}

// Row returns row i, without its padding. It aliases the matrix.
func (t *Tall) Row(i int) []float64 {
	at := (i % BlockRows) * t.stride
	return t.blocks[i/BlockRows][at : at+t.cols : at+t.cols]
}

// PaddedRow returns row i with its padding, Stride values. Whoever writes to it keeps the padding zero.
func (t *Tall) PaddedRow(i int) []float64 {
	at := (i % BlockRows) * t.stride
	return t.blocks[i/BlockRows][at : at+t.stride : at+t.stride]
}

// Grow appends zero rows until there are the given number; it never shrinks. A last block that has to grow becomes a
// whole one, so that no value is copied more than once.
func (t *Tall) Grow(rows int) {
	if rows <= t.rows {
		return
	}
	for b := t.rows / BlockRows; b*BlockRows < rows; b++ {
		want := min(BlockRows, rows-b*BlockRows) * t.stride
		switch {
		case b == len(t.blocks):
			t.blocks = append(t.blocks, aligned(want))
		case cap(t.blocks[b]) < want:
			whole := aligned(BlockRows * t.stride)
			copy(whole, t.blocks[b])
			t.blocks[b] = whole[:want]
		default:
			t.blocks[b] = t.blocks[b][:want]
		}
	}
	t.rows = rows
}

// aligned returns n zero values that begin at a cache line.
func aligned(n int) []float64 {
	if n == 0 {
		return nil
	}
	values := make([]float64, n+lane)
	skip := 0
	if over := uintptr(unsafe.Pointer(&values[0])) % (lane * 8); over != 0 {
		skip = int(lane*8-over) / 8
	}
	return values[skip : skip+n : skip+n]
}

// Clear sets every value to zero.
func (t *Tall) Clear() {
	for _, block := range t.blocks {
		clear(block)
	}
}

// Reshape changes the number of columns, at most what the stride has room for, and sets all values to 0.
func (t *Tall) Reshape(cols int) {
	if cols > t.stride {
		panic("kernel: more columns than there is room for")
	}
	t.cols = cols
	t.Clear()
}

// Copy returns a copy of the first cols columns of t.
func (t *Tall) Copy(cols, workers int) *Tall {
	if cols > t.cols {
		panic("kernel: more columns asked for than there are")
	}
	c := NewTall(t.rows, cols)
	each(workers, t.Blocks(), func(b int) {
		_, first, last := t.Block(b)
		for i := first; i < last; i++ {
			copy(c.Row(i), t.Row(i)[:cols])
		}
	})
	return c
}
