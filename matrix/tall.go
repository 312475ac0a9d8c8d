// This file holds the storage of a tall matrix and access to it.

package matrix

import (
	"iter"

	"anchorage/internal/aligned"
)

// BlockRows is the number of rows in one block; only the last block may be shorter.
const BlockRows = 4096

// TallOf is a rows×cols matrix of float32 or float64; see the package documentation. The zero value has no rows and no
// columns.
type TallOf[T float32 | float64] struct {
	rows, cols, stride int
	blocks             [][]T
	layout             Layout // nil if all rows are held; else only blocks low to high−1 are, and the others are nil
	low, high          int
	away               Away[T] // who has the values of held blocks, which are then nil; nil if memory has them
}

// Tall is a tall matrix of double precision.
type Tall = TallOf[float64]

// Single is a tall matrix of single precision: half the memory, and twice the speed. Sums over its rows are in double
// precision.
type Single = TallOf[float32]

// NewTall returns a zero matrix of the given shape.
func NewTall(rows, cols int) *Tall { return New[float64](rows, cols) }

// NewSingle returns a zero matrix of the given shape in single precision.
func NewSingle(rows, cols int) *Single { return New[float32](rows, cols) }

// New returns a zero matrix of the given shape.
func New[T float32 | float64](rows, cols int) *TallOf[T] {
	if rows < 0 || cols < 0 {
		panic("matrix: negative dimension")
	}
	t := &TallOf[T]{cols: cols, stride: aligned.Columns[T](cols)}
	t.Grow(rows)
	return t
}

// rowsOf returns the number of rows of block b.
func (t *TallOf[T]) rowsOf(b int) int { return min(BlockRows, t.rows-b*BlockRows) }

// Like returns a zero matrix with the shape and the stride of t, and the same part of it.
func Like[T float32 | float64](t *TallOf[T]) *TallOf[T] { return LikeFrom(t, nil) }

// LikeFrom is Like, in memory that is spared as far as there is some.
func LikeFrom[T float32 | float64](t *TallOf[T], spare *Spare[T]) *TallOf[T] {
	like := emptyLike[T](t, t.cols, t.stride)
	like.Fill(t.rows, spare)
	return like
}

// LikeOf returns a zero matrix of any precision with the rows of t, and the same part of them, and with other columns.
func LikeOf[To, From float32 | float64](t *TallOf[From], cols int) *TallOf[To] {
	like := emptyLike[To](t, cols, aligned.Columns[To](cols))
	like.Fill(t.rows, nil)
	return like
}

// emptyLike returns a matrix with the rows and the layout of t, without its blocks.
func emptyLike[To, From float32 | float64](t *TallOf[From], cols, stride int) *TallOf[To] {
	return &TallOf[To]{rows: t.rows, cols: cols, stride: stride, blocks: make([][]To, len(t.blocks)), layout: t.layout,
		low: t.low, high: t.high}
}

// Bytes returns the memory that a tall matrix of the given shape takes.
func Bytes[T float32 | float64](rows, cols int) int64 {
	return int64(rows) * int64(aligned.Columns[T](cols)) * int64(aligned.Size[T]())
}

// Dims returns the numbers of rows and columns.
func (t *TallOf[T]) Dims() (rows, cols int) { return t.rows, t.cols }

// Rows returns the number of rows.
func (t *TallOf[T]) Rows() int { return t.rows }

// Cols returns the number of columns.
func (t *TallOf[T]) Cols() int { return t.cols }

// Stride returns the distance between consecutive rows of a block, at least Cols.
func (t *TallOf[T]) Stride() int { return t.stride }

// Blocks returns the number of blocks, those that are not held among them.
func (t *TallOf[T]) Blocks() int { return len(t.blocks) }

// HeldBlocks returns the range [low, high) of the blocks that are held.
func (t *TallOf[T]) HeldBlocks() (low, high int) {
	if t.layout != nil {
		return t.low, t.high
	}
	return 0, len(t.blocks)
}

// Held yields the numbers of the blocks that are held.
func (t *TallOf[T]) Held() iter.Seq[int] {
	return func(yield func(int) bool) {
		low, high := t.HeldBlocks()
		for b := low; b < high && yield(b); b++ {
		}
	}
}

// HeldRows returns the range [first, last) of the rows that are held. Only they can be read and written; other rows
// panic.
func (t *TallOf[T]) HeldRows() (first, last int) {
	low, high := t.HeldBlocks()
	return min(low*BlockRows, t.rows), min(high*BlockRows, t.rows)
}

// Layout returns who holds the rows; nil if this process holds them all.
func (t *TallOf[T]) Layout() Layout { return t.layout }

// Whole reports whether this process holds all rows.
func (t *TallOf[T]) Whole() bool { return t.layout == nil }

// Values returns the blocks: the values of each, row-major, rows Stride apart. They alias the matrix. A caller may set
// a block to nil, which gives its memory back; the rows of that block can then no longer be used.
func (t *TallOf[T]) Values() [][]T { return t.blocks }

// Block returns the values of block b, row-major, rows Stride apart, and the range [first, last) of its rows.
func (t *TallOf[T]) Block(b int) (values []T, first, last int) {
	first = b * BlockRows
	last = min(first+BlockRows, t.rows)
	return t.blocks[b][:(last-first)*t.stride], first, last
}

// Row returns row i without its padding: Cols values.
func (t *TallOf[T]) Row(i int) []T {
	if uint(i) >= uint(t.rows) {
		panic("matrix: no such row")
	}
	at := (i % BlockRows) * t.stride
	return t.blocks[i/BlockRows][at : at+t.cols : at+t.cols]
}

// PaddedRow returns row i with its padding: Stride values. Writers must keep the padding zero.
func (t *TallOf[T]) PaddedRow(i int) []T {
	if uint(i) >= uint(t.rows) {
		panic("matrix: no such row")
	}
	at := (i % BlockRows) * t.stride
	return t.blocks[i/BlockRows][at : at+t.stride : at+t.stride]
}

// At returns the value in row i and column j. Loops should use Row.
func (t *TallOf[T]) At(i, j int) T { return t.Row(i)[j] }

// Set changes the value in row i and column j.
func (t *TallOf[T]) Set(i, j int, value T) { t.Row(i)[j] = value }

// Clear sets every value to zero.
func (t *TallOf[T]) Clear() {
	for _, block := range t.blocks {
		clear(block)
	}
}

// Copy returns a copy of the first cols columns.
func (t *TallOf[T]) Copy(cols int) *TallOf[T] {
	if cols < 0 || cols > t.cols {
		panic("matrix: no such number of columns")
	}
	c := LikeOf[T](t, cols)
	first, last := t.HeldRows()
	for i := first; i < last; i++ {
		copy(c.Row(i), t.Row(i)[:cols])
	}
	return c
}

// Rows returns some rows of a matrix, as a copy.
func Rows[T float32 | float64](of *TallOf[T], rows []int32) *TallOf[T] {
	out := New[T](len(rows), of.Cols())
	for at, i := range rows {
		copy(out.Row(at), of.Row(int(i)))
	}
	return out
}

// SingleOf returns a copy of a matrix in single precision.
func SingleOf(t *Tall) *Single {
	s := NewSingle(t.Dims())
	for i := range t.Rows() {
		for j, v := range t.Row(i) {
			s.Row(i)[j] = float32(v)
		}
	}
	return s
}

// Away has the values of a matrix that lie elsewhere, such as in a file.
type Away[T float32 | float64] interface {
	// Read sets values to rows from first on, with their padding. Several goroutines may call it at once.
	Read(values []T, first int) error
	// Release gives back what the values take.
	Release()
}

// PutAway gives the memory of the values back, which then are those of away. Only Load finds them, and functions that
// say so; whoever else reads a row panics.
func (t *TallOf[T]) PutAway(away Away[T]) {
	clear(t.blocks)
	t.away = away
}

// IsAway reports whether the values are not in memory.
func (t *TallOf[T]) IsAway() bool { return t.away != nil }

// BringBack reads values that are away back into memory, and releases them there. The error is that of Away.Read; the
// values are lost then.
func (t *TallOf[T]) BringBack() error {
	if t.away == nil {
		return nil
	}
	away := t.away
	defer away.Release()
	t.away = nil
	t.Fill(t.rows, nil)
	for b := range t.Held() {
		values, first, _ := t.Block(b)
		if err := away.Read(values, first); err != nil {
			return err
		}
	}
	return nil
}

// Load returns the values of rows [first, last) of one block, Stride apart. Values that are away are read into room,
// which grows if it must; others alias the matrix. The error is that of Away.Read.
func (t *TallOf[T]) Load(room []T, first, last int) ([]T, error) {
	size := (last - first) * t.stride
	if t.away == nil {
		return t.blocks[first/BlockRows][first%BlockRows*t.stride:][:size], nil
	}
	if cap(room) < size {
		room = make([]T, size)
	}
	return room[:size], t.away.Read(room[:size], first)
}
