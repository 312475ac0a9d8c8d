// This file holds products with tall matrices: Gram matrices over all rows, and tall times small.

package kernel

import (
	"context"
	"sync"

	"anchorage/internal/aligned"
	"anchorage/matrix"
)

// pieceRows is the number of rows in one piece of work on tall matrices; blocks hold whole pieces.
const pieceRows = 1024

// pieces returns the number of pieces of a matrix with the given number of rows.
func pieces(rows int) int { return (rows + pieceRows - 1) / pieceRows }

// eachPiece calls fn for the pieces that are held.
func eachPiece[T aligned.Real](ctx context.Context, t *matrix.TallOf[T], workers int, fn func(p int)) {
	first, last := HeldPieces(t)
	each(ctx, workers, last-first, func(p int) { fn(first + p) })
}

// pieceBounds returns the range [first, last) of the rows of piece p.
func pieceBounds(rows, p int) (first, last int) { return p * pieceRows, min((p+1)*pieceRows, rows) }

// loader yields the values of pieces, for one goroutine. What is away goes to its room. An error leaves them as they
// are: who has put them away knows it.
type loader[T aligned.Real] struct {
	t    *matrix.TallOf[T]
	room []T
}

func (l *loader[T]) piece(p int) (values []T) {
	first, last := pieceBounds(l.t.Rows(), p)
	values, _ = l.t.Load(l.room, first, last)
	if l.t.IsAway() {
		l.room = values
	}
	return values
}

// piece returns the values of piece p and the range [first, last) of its rows.
func piece[T aligned.Real](t *matrix.TallOf[T], p int) (values []T, first, last int) {
	first, last = pieceBounds(t.Rows(), p)
	return t.Values()[first/matrix.BlockRows][first%matrix.BlockRows*t.Stride():][:(last-first)*t.Stride()], first, last
}

// Gram returns aᵀ·b, a.Cols×b.Cols, row-major, for a and b with the same number of rows. a may be away.
func Gram[T aligned.Real](ctx context.Context, a, b *matrix.TallOf[T], workers int) []float64 {
	if a.Rows() != b.Rows() {
		panic("kernel: different numbers of rows")
	}
	product := gram(ctx, a, b.Cols(), workers, func() func(int) operand[T] {
		return func(p int) operand[T] {
			values, _, _ := piece(b, p)
			return operand[T]{values, b.Stride()}
		}
	})
	if a == b {
		for i := range a.Cols() {
			for j := range i {
				product[i*a.Cols()+j] = product[j*a.Cols()+i]
			}
		}
	}
	return product
}

// GramGenerated returns aᵀ·b, a.Cols×cols, for a matrix b with as many rows as a that is never held: row(dst, i) must
// overwrite dst with its row i. Several goroutines call it at once.
func GramGenerated[T aligned.Real](ctx context.Context, a *matrix.TallOf[T], cols, workers int, row func(dst []T,
	i int)) []float64 {
	stride := aligned.Columns[T](cols)
	return gram(ctx, a, cols, workers, func() func(int) operand[T] {
		buffer := aligned.Make[T](min(pieceRows, a.Rows()) * stride)
		return func(p int) operand[T] {
			first, last := pieceBounds(a.Rows(), p)
			for i := first; i < last; i++ {
				row(buffer[(i-first)*stride:][:cols], i)
			}
			return operand[T]{buffer, stride}
		}
	})
}

// gram returns aᵀ·b for a right operand that right yields piece by piece; every worker calls right for its own. The
// sums of all ranges are kept until the end if they are small, so that no range waits for another; else GramBytes
// bounds their number.
func gram[T aligned.Real](ctx context.Context, a *matrix.TallOf[T], cols, workers int,
	right func() func(piece int) operand[T]) []float64 {
	m, n := a.Cols(), aligned.Columns[T](cols)
	ranges := heldRanges(a)
	free := make(chan *gramWork[T], ranges.count())
	all := ranges.sum(ctx, a.Layout(), m*n, gramSlots(m, n), workers, func(r int, total []float64) {
		var work *gramWork[T]
		select {
		case work = <-free:
		default:
			work = &gramWork[T]{newRowSum[T](m, n), loader[T]{t: a}, right()}
		}
		defer func() { free <- work }()
		work.sum.total = total
		first, last := ranges.pieces(r)
		for p := first; p < last && ctx.Err() == nil; p++ {
			first, last := pieceBounds(a.Rows(), p)
			work.sum.add(ctx, operand[T]{work.left.piece(p), a.Stride()}, work.right(p), last-first)
		}
	})
	if n == cols {
		return all
	}
	return FirstColumns(all, m, n, cols)
}

// gramWork is what a worker needs to sum a range.
type gramWork[T aligned.Real] struct {
	sum   *rowSum[T]
	left  loader[T]
	right func(piece int) operand[T]
}

// gramBytes bounds the sums of ranges that are held at once, unless two take more.
const gramBytes = 64 << 20

// gramSlots returns how many sums of ranges may be held, for an m×n product.
func gramSlots(m, n int) int { return max(gramBytes/max(8*m*n, 1), 2) }

// rowSum accumulates aᵀ·b, m×n, over rows of a and b. It first widens values of single precision, a few rows at a time:
// the product of two is exact in double precision, and so nearly is the sum. Gram matrices must resolve directions that
// are 1,000 times as short as others, for which sums of single precision would leave nothing.
type rowSum[T aligned.Real] struct {
	m, n        int
	total       []float64 // set by the caller
	left, right []float64 // room for widened rows; nil where T is double
}

// wideRows is the number of rows that are widened at a time: they stay in the nearest cache while tiles read them.
const wideRows = 64

func newRowSum[T aligned.Real](m, n int) *rowSum[T] {
	s := &rowSum[T]{m: m, n: n}
	if aligned.Size[T]() < 8 {
		s.left, s.right = aligned.Make[float64](wideRows*aligned.Columns[T](m)), aligned.Make[float64](wideRows*n)
	}
	return s
}

// add adds the given number of rows.
func (s *rowSum[T]) add(ctx context.Context, a, b operand[T], rows int) {
	if s.m == 0 || s.n == 0 || rows == 0 {
		return
	}
	same := &a.values[0] == &b.values[0]
	if double, ok := any(a.values).([]float64); ok {
		s.product(ctx, operand[float64]{double, a.stride}, operand[float64]{any(b.values).([]float64), b.stride}, same, rows)
		return
	}
	for first := 0; first < rows; first += wideRows {
		count := min(wideRows, rows-first)
		left := widen(s.left, aligned.Columns[T](s.m), operand[T]{a.values[first*a.stride:], a.stride}, s.m, count)
		right := left
		if !same {
			right = widen(s.right, s.n, operand[T]{b.values[first*b.stride:], b.stride}, s.n, count)
		}
		s.product(ctx, left, right, same, count)
	}
}

// product adds aᵀ·b to the total. For a matrix with itself it leaves out most of the part below the diagonal, which
// Gram copies.
func (s *rowSum[T]) product(ctx context.Context, a, b operand[float64], same bool, rows int) {
	if !same {
		for i := 0; i < s.m && ctx.Err() == nil; i += smallRows {
			blockProduct(&assembly.columns64, byColumns, add, operand[float64]{s.total[i*s.n:], s.n},
				operand[float64]{a.values[i:], a.stride}, b,
				min(smallRows, s.m-i), s.n, rows)
		}
		return
	}
	const step = 3 * aligned.Lane // as wide as a tile
	for i := 0; i < s.m && ctx.Err() == nil; i += step {
		blockProduct(&assembly.columns64, byColumns, add, operand[float64]{s.total[i*s.n+i:], s.n},
			operand[float64]{a.values[i:], a.stride},
			operand[float64]{b.values[i:], b.stride}, min(step, s.m-i), s.n-i, rows)
	}
}

// widen copies the leading columns of some rows to room, with rows at the given distance, and with them the padding as
// far as a line of double precision.
func widen[T aligned.Real](room []float64, stride int, from operand[T], columns, rows int) operand[float64] {
	columns = aligned.Columns[float64](columns)
	for r := range rows {
		to, row := room[r*stride:][:columns], from.values[r*from.stride:][:columns]
		for j, v := range row {
			to[j] = float64(v)
		}
	}
	return operand[float64]{room, stride}
}

// Multiply sets dst = a·s for a small matrix s, a.Cols×dst.Cols, row-major.
func Multiply[T aligned.Real](ctx context.Context, dst, a *matrix.TallOf[T], s []float64, workers int) {
	tallTimesSmall(ctx, dst, a, s, 1, set, workers)
}

// MultiplyAdd sets dst = dst + alpha·a·s for a small matrix s, a.Cols×dst.Cols, row-major. a may be away.
func MultiplyAdd[T aligned.Real](ctx context.Context, dst *matrix.TallOf[T], alpha float64, a *matrix.TallOf[T],
	s []float64, workers int) {
	tallTimesSmall(ctx, dst, a, s, alpha, add, workers)
}

// ProjectOut subtracts from w its part in the span of the orthonormal columns of some matrices, block by block, and
// returns its coefficients, the rows of blockᵀ·w one block after the other. Rounding leaves ε·‖w‖ of that part. The
// blocks may be away.
func ProjectOut[T aligned.Real](ctx context.Context, w *matrix.TallOf[T], blocks []*matrix.TallOf[T],
	workers int) (coefficients []float64) {
	for _, q := range blocks {
		part := Gram(ctx, q, w, workers)
		MultiplyAdd(ctx, w, -1, q, part, workers)
		coefficients = append(coefficients, part...)
	}
	return coefficients
}

func tallTimesSmall[T aligned.Real](ctx context.Context, dst, a *matrix.TallOf[T], s []float64, alpha float64,
	how store, workers int) {
	if dst.Rows() != a.Rows() || len(s) != a.Cols()*dst.Cols() {
		panic("kernel: shapes of a product do not fit")
	}
	small := packSmall[T](s, a.Cols(), dst.Cols(), alpha)
	loaders := sync.Pool{New: func() any { return &loader[T]{t: a} }}
	eachPiece(ctx, a, workers, func(p int) {
		loads := loaders.Get().(*loader[T])
		defer loaders.Put(loads)
		left := loads.piece(p)
		out, first, last := piece(dst, p)
		for i := 0; i < last-first && ctx.Err() == nil; i += nearRows {
			small.product(how, operand[T]{out[i*dst.Stride():], dst.Stride()}, operand[T]{left[i*a.Stride():], a.Stride()},
				min(nearRows, last-first-i))
		}
	})
}

// Transform replaces t by t·s for a small matrix s, t.Cols×cols with cols ≤ t.Cols, row-major. The rows keep their
// distance in storage.
func Transform[T aligned.Real](ctx context.Context, t *matrix.TallOf[T], s []float64, cols, workers int) {
	if cols > t.Cols() {
		panic("kernel: a transformation to more columns")
	}
	EachProduct(ctx, t, s, cols, workers, func(_, first, last int, product []T, stride int) {
		for i := first; i < last; i++ {
			row := t.PaddedRow(i)
			clear(row[copy(row, product[(i-first)*stride:][:stride]):])
		}
	})
	t.Narrow(cols)
}

// EachProduct computes t·s for a small matrix s, t.Cols×cols, row-major, and passes it to fn a few rows at a time,
// while they are in the nearer caches: rows first to last−1 of the product, stride values apart. The calls for one of
// the Pieces of t come in order, from one goroutine; several pieces are worked on at once. Fn may overwrite these rows
// of t.
func EachProduct[T aligned.Real](ctx context.Context, t *matrix.TallOf[T], s []float64, cols, workers int,
	fn func(piece, first, last int, product []T, stride int)) {
	if len(s) != t.Cols()*cols {
		panic("kernel: shapes of a product do not fit")
	}
	small, stride := packSmall[T](s, t.Cols(), cols, 1), aligned.Columns[T](cols)
	eachPiece(ctx, t, workers, func(p int) {
		values, first, last := piece(t, p)
		part := aligned.Make[T](nearRows * stride)
		for i := first; i < last && ctx.Err() == nil; i += nearRows {
			end := min(i+nearRows, last)
			small.product(set, operand[T]{part, stride}, operand[T]{values[(i-first)*t.Stride():], t.Stride()}, end-i)
			fn(p, i, end, part, stride)
		}
	})
}

// Pieces returns the number of pieces that EachProduct cuts t into.
func Pieces[T aligned.Real](t *matrix.TallOf[T]) int { return pieces(t.Rows()) }

// HeldPieces returns the range [first, last) of the pieces of t that are held.
func HeldPieces[T aligned.Real](t *matrix.TallOf[T]) (first, last int) {
	low, high := t.HeldRows()
	return pieces(low), pieces(high)
}

// nearRows is the number of rows that are multiplied with all of a small matrix before the next ones: they and their
// product stay in the nearer caches.
const nearRows = 64

// packed is a small matrix in panels as wide as a tile, each contiguous: a tile reads its panel from one end to the
// other.
type packed[T aligned.Real] struct {
	rows   int
	panels []operand[T]
}

// packSmall returns alpha·s, with columns padded to a whole line.
func packSmall[T aligned.Real](s []float64, rows, cols int, alpha float64) packed[T] {
	p := packed[T]{rows: rows}
	width, padded := 3*aligned.LineBytes/aligned.Size[T](), aligned.Columns[T](cols)
	for low := 0; low < padded; low += width {
		stride := min(width, padded-low)
		panel := aligned.Make[T](rows * stride)
		for i := range rows {
			for j, v := range s[i*cols+low : i*cols+min(low+stride, cols)] {
				panel[i*stride+j] = T(alpha * v)
			}
		}
		p.panels = append(p.panels, operand[T]{panel, stride})
	}
	return p
}

// product computes a·p for the given number of rows of a, and stores it in c as how says.
func (p packed[T]) product(how store, c, a operand[T], rows int) {
	at := 0
	for _, panel := range p.panels {
		blockProduct(tilesOf[T](byRows), byRows, how, operand[T]{c.values[at:], c.stride}, a, panel, rows,
			panel.stride, p.rows)
		at += panel.stride
	}
}

// ColumnSums returns the sums of the columns, eᵀ·t.
func ColumnSums[T aligned.Real](ctx context.Context, t *matrix.TallOf[T], workers int) []float64 {
	return WeightedColumnSums(ctx, t, nil, workers)
}

// WeightedColumnSums returns the sums of the columns with row i weighted by weights[i], weightsᵀ·t. With nil every
// weight is 1.
func WeightedColumnSums[T aligned.Real](ctx context.Context, t *matrix.TallOf[T], weights []float64,
	workers int) []float64 {
	return SumRows(ctx, t, t.Cols(), workers, func(sums []float64, first, last int) {
		for i := first; i < last; i++ {
			weight := 1.0
			if weights != nil {
				weight = weights[i]
			}
			for j, v := range t.Row(i) {
				sums[j] += weight * float64(v)
			}
		}
	})
}

// SquaredNorms returns the squared Euclidean norm of every row, including those that other processes hold.
func SquaredNorms[T aligned.Real](ctx context.Context, t *matrix.TallOf[T], workers int) []float64 {
	norms := make([]float64, t.Rows())
	_ = EachRow(ctx, t, workers, func(i int, row []T) {
		for _, v := range row {
			norms[i] += float64(v) * float64(v)
		}
	})
	_ = Complete(ctx, t.Layout(), norms) // the caller asks ctx
	return norms
}
