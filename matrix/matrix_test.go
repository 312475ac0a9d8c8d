package matrix

import (
	"fmt"
	"slices"
	"testing"
	"unsafe"
)

// heights are numbers of rows at which blocks begin and end.
var heights = []int{0, 1, 2, BlockRows - 1, BlockRows, BlockRows + 1, 2 * BlockRows, 2*BlockRows + 7}

// widths are numbers of columns that fill cache lines, and that do not.
var widths = []int{0, 1, 7, 8, 9, 15, 16, 17, 100}

// number is what test matrices hold in row i and column j; never 0.
func number(i, j int) float64 { return float64(i*131+j+1) / 64 }

// filled returns a matrix of such numbers.
func filled[T float32 | float64](rows, cols int) *TallOf[T] {
	t := New[T](rows, cols)
	for i := range rows {
		row := t.Row(i)
		for j := range row {
			row[j] = T(number(i, j))
		}
	}
	return t
}

// require fails unless t has the shape and the values of want, and zeros in its padding.
func require[T float32 | float64](t *testing.T, what string, m *TallOf[T], rows, cols int, want func(i,
	j int) float64) {
	t.Helper()
	if r, c := m.Dims(); r != rows || c != cols || m.Rows() != rows || m.Cols() != cols {
		t.Fatalf("%s: %d×%d, want %d×%d", what, r, c, rows, cols)
	}
	for i := range rows {
		if len(m.Row(i)) != cols || len(m.PaddedRow(i)) != m.Stride() {
			t.Fatalf("%s: row %d has %d values, %d with padding", what, i, len(m.Row(i)), len(m.PaddedRow(i)))
		}
		for j, v := range m.PaddedRow(i) {
			value := T(0)
			if j < cols {
				value = T(want(i, j))
			}
			if v != value {
				t.Fatalf("%s: %v in row %d and column %d of %d, want %v", what, v, i, j, cols, value)
			}
		}
	}
}

func zero(int, int) float64 { return 0 }

// eachShape calls fn with every shape.
func eachShape(fn func(rows, cols int, what string)) {
	for _, rows := range heights {
		for _, cols := range widths {
			fn(rows, cols, fmt.Sprintf("%d×%d", rows, cols))
		}
	}
}

func TestNew(t *testing.T) {
	eachShape(func(rows, cols int, what string) {
		require(t, what, NewTall(rows, cols), rows, cols, zero)
		require(t, what+" single", NewSingle(rows, cols), rows, cols, zero)
		require(t, what+" filled", filled[float64](rows, cols), rows, cols, number)
	})
	var nothing Tall
	require(t, "zero value", &nothing, 0, 0, zero)
}

// TestStride wants rows to begin at cache lines and to be padded to whole ones, and Bytes to be what is allocated for
// that.
func TestStride(t *testing.T) {
	const line = 64
	eachShape(func(rows, cols int, what string) {
		double, single := NewTall(rows, cols), NewSingle(rows, cols)
		if s := double.Stride(); s < cols || s >= cols+8 || s%8 != 0 {
			t.Errorf("%s: rows of float64 are %d values apart", what, s)
		}
		if s := single.Stride(); s < cols || s >= cols+16 || s%16 != 0 {
			t.Errorf("%s: rows of float32 are %d values apart", what, s)
		}
		if got, want := Bytes[float64](rows, cols), int64(8*rows*double.Stride()); got != want {
			t.Errorf("%s: %d bytes, want %d", what, got, want)
		}
		if got, want := Bytes[float32](rows, cols), int64(4*rows*single.Stride()); got != want {
			t.Errorf("%s: %d bytes of single precision, want %d", what, got, want)
		}
		for _, block := range double.Values() {
			if len(block) > 0 && uintptr(unsafe.Pointer(&block[0]))%line != 0 {
				t.Errorf("%s: a block does not begin at a cache line", what)
			}
		}
	})
}

// TestBlocks goes through the blocks, which must hold the rows in their order.
func TestBlocks(t *testing.T) {
	eachShape(func(rows, cols int, what string) {
		m := filled[float64](rows, cols)
		if want := (rows + BlockRows - 1) / BlockRows; m.Blocks() != want || len(m.Values()) != want {
			t.Fatalf("%s: %d blocks, want %d", what, m.Blocks(), want)
		}
		next := 0
		for b := range m.Blocks() {
			values, first, last := m.Block(b)
			if first != next || last <= first || len(values) != (last-first)*m.Stride() || !slices.Equal(values, m.Values()[b]) {
				t.Fatalf("%s: block %d holds rows %d to %d and %d values", what, b, first, last, len(values))
			}
			for i := first; i < last; i++ {
				if !slices.Equal(values[(i-first)*m.Stride():][:m.Stride()], m.PaddedRow(i)) {
					t.Fatalf("%s: row %d is not in its block", what, i)
				}
			}
			next = last
		}
		if next != rows {
			t.Errorf("%s: the blocks end at row %d", what, next)
		}
	})
}

// TestGrow grows from every height to every greater one. What is there stays, and what comes is zero.
func TestGrow(t *testing.T) {
	for _, cols := range []int{1, 8, 13} {
		for _, from := range heights {
			for _, to := range heights {
				m := filled[float64](from, cols)
				m.Grow(to)
				rows := max(from, to)
				require(t, fmt.Sprintf("%d columns from %d to %d", cols, from, to), m, rows, cols, func(i, j int) float64 {
					if i < from {
						return number(i, j)
					}
					return 0
				})
			}
		}
	}
	m := NewTall(0, 3)
	for rows := 1; rows <= BlockRows+2; rows++ { // as a vocabulary grows in a pass
		m.Grow(rows)
		copy(m.Row(rows-1), []float64{number(rows-1, 0), number(rows-1, 1), number(rows-1, 2)})
	}
	require(t, "row by row", m, BlockRows+2, 3, number)
}

func TestNarrow(t *testing.T) {
	eachShape(func(rows, cols int, what string) {
		for _, left := range []int{0, 1, cols / 2, cols} {
			if left > cols {
				continue
			}
			m := filled[float64](rows, cols)
			stride := m.Stride()
			m.Narrow(left)
			require(t, fmt.Sprintf("%s to %d", what, left), m, rows, left, number)
			if m.Stride() != stride {
				t.Errorf("%s to %d: rows are %d values apart, before %d", what, left, m.Stride(), stride)
			}
		}
	})
}

func TestReshape(t *testing.T) {
	eachShape(func(rows, cols int, what string) {
		m := filled[float32](rows, cols)
		for _, to := range []int{0, cols, m.Stride(), cols / 2} {
			m.Reshape(to)
			require(t, fmt.Sprintf("%s to %d", what, to), m, rows, to, zero)
		}
		m.Reshape(m.Stride())
		m.Grow(rows + 3)
		require(t, what+" grown", m, rows+3, m.Stride(), zero)
	})
}

func TestClear(t *testing.T) {
	m := filled[float64](BlockRows+5, 9)
	m.Clear()
	require(t, "cleared", m, BlockRows+5, 9, zero)
}

// TestCopy wants copies that share no memory and have the least stride.
func TestCopy(t *testing.T) {
	eachShape(func(rows, cols int, what string) {
		for _, left := range []int{0, cols / 2, cols} {
			m := filled[float64](rows, cols)
			c := m.Copy(left)
			require(t, fmt.Sprintf("%d columns of %s", left, what), c, rows, left, number)
			if want := NewTall(0, left).Stride(); c.Stride() != want {
				t.Errorf("%d columns of %s are %d values apart, want %d", left, what, c.Stride(), want)
			}
			c.Clear()
			require(t, what+" after its copy was cleared", m, rows, cols, number)
		}
	})
}

// TestSpare wants matrices that take what others of their stride have left, and find it empty.
func TestSpare(t *testing.T) {
	const rows = BlockRows + 5
	var spare Spare[float64]
	left := filled[float64](rows, 9)
	first := &left.Values()[0][0]
	spare.Put(left.Values()...)
	wider := LikeFrom(NewTall(rows, 17), &spare)
	require(t, "of another stride", wider, rows, 17, zero)
	again := LikeFrom(NewTall(rows, 9), &spare)
	require(t, "again", again, rows, 9, zero)
	if &again.Values()[0][0] != first {
		t.Error("the memory is not that of the matrix before")
	}
	if more := LikeFrom(again, &spare); &more.Values()[0][0] == first || &more.Values()[1][0] == &again.Values()[1][0] {
		t.Error("two matrices have the same memory")
	}
}

// TestLike wants zeros in the shape and with the stride of a matrix that has more room than it needs.
func TestLike(t *testing.T) {
	m := filled[float32](BlockRows+1, 40)
	m.Narrow(3)
	like := Like(m)
	require(t, "like", like, BlockRows+1, 3, zero)
	if like.Stride() != m.Stride() {
		t.Errorf("rows are %d values apart, want %d", like.Stride(), m.Stride())
	}
}

func TestConverted(t *testing.T) {
	eachShape(func(rows, cols int, what string) {
		double := filled[float64](rows, cols)
		single := Converted[float32](double)
		require(t, what+" as single", single, rows, cols, number) // the numbers are exact in single precision
		if double.Rows() != 0 || double.Blocks() != 0 {
			t.Errorf("%s: %d rows in %d blocks are left of what was converted", what, double.Rows(), double.Blocks())
		}
		require(t, what+" and back", Converted[float64](single), rows, cols, number)
	})
	wide := filled[float64](10, 90)
	wide.Narrow(4)
	if narrow := Converted[float64](wide); narrow.Stride() != 8 {
		t.Errorf("4 columns of 90 are %d values apart after the conversion", narrow.Stride())
	}
}

func TestAtAndSet(t *testing.T) {
	m := NewSingle(BlockRows+2, 3)
	for i := range m.Rows() {
		for j := range m.Cols() {
			m.Set(i, j, float32(number(i, j)))
		}
	}
	require(t, "set", m, BlockRows+2, 3, number)
	if got := m.At(BlockRows+1, 2); got != float32(number(BlockRows+1, 2)) {
		t.Errorf("the last value is %v", got)
	}
}

func TestRelease(t *testing.T) {
	m := filled[float64](10, 3)
	m.Release()
	require(t, "released", m, 0, 3, zero)
	m.Grow(2)
	require(t, "grown again", m, 2, 3, zero)
}

// TestValuesGiveMemoryBack sets a block to nil: the others stay.
func TestValuesGiveMemoryBack(t *testing.T) {
	m := filled[float64](2*BlockRows, 2)
	m.Values()[0] = nil
	if got := m.Row(BlockRows)[1]; got != number(BlockRows, 1) {
		t.Errorf("the other block holds %v", got)
	}
	requirePanic(t, "a row of the block that is gone", func() { m.Row(3) })
}

func requirePanic(t *testing.T, what string, fn func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", what)
		}
	}()
	fn()
}

func TestPanics(t *testing.T) {
	for what, fn := range map[string]func(m *Tall){
		"negative rows":                 func(*Tall) { NewTall(-1, 2) },
		"negative columns":              func(*Tall) { NewTall(2, -1) },
		"the row after the last":        func(m *Tall) { m.Row(5) },
		"the same with padding":         func(m *Tall) { m.PaddedRow(5) },
		"row -1":                        func(m *Tall) { m.Row(-1) },
		"a row of another block":        func(m *Tall) { m.Row(BlockRows) },
		"the column after the last":     func(m *Tall) { m.At(0, 3) },
		"setting it":                    func(m *Tall) { m.Set(0, 3, 1) },
		"narrowing to more columns":     func(m *Tall) { m.Narrow(4) },
		"narrowing to -1":               func(m *Tall) { m.Narrow(-1) },
		"copying more columns":          func(m *Tall) { m.Copy(4) },
		"copying -1 columns":            func(m *Tall) { m.Copy(-1) },
		"reshaping beyond the stride":   func(m *Tall) { m.Reshape(9) },
		"reshaping to -1 columns":       func(m *Tall) { m.Reshape(-1) },
		"a block that there is not":     func(m *Tall) { m.Block(1) },
		"a row beyond a grown matrix":   func(m *Tall) { m.Grow(7); m.Row(7) }, // its block has room for more
		"a row of a released matrix":    func(m *Tall) { m.Release(); m.Row(0) },
		"a row of a converted matrix":   func(m *Tall) { Converted[float32](m); m.Row(0) },
		"writing beyond a row's length": func(m *Tall) { m.Row(0)[3] = 1 },
	} {
		requirePanic(t, what, func() { fn(filled[float64](5, 3)) })
	}
}

// TestRowsDoNotReachIntoOthers appends to a row, which must not write to what follows it.
func TestRowsDoNotReachIntoOthers(t *testing.T) {
	m := filled[float64](4, 3)
	_ = append(m.Row(1), 99)
	_ = append(m.PaddedRow(1), 99)
	require(t, "appended to", m, 4, 3, number)
}

func TestShrink(t *testing.T) {
	eachShape(func(rows, cols int, what string) {
		for _, left := range []int{0, cols / 2, cols, cols + 1} {
			m := filled[float32](rows, cols)
			m.Shrink(left)
			want := min(left, cols)
			require(t, fmt.Sprintf("%s to %d columns", what, left), m, rows, want, number)
			if m.Stride() != NewSingle(0, want).Stride() {
				t.Errorf("%s to %d columns: stride %d", what, left, m.Stride())
			}
			m.Grow(rows + 5)
		}
	})
}
