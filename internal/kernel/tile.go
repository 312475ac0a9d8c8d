// This file holds the block products behind everything dense: a driver that cuts a product into tiles, and the plain Go
// form, which machines without assembly run and the assembly is tested against.

package kernel

import "anchorage/internal/aligned"

// store says how a block product is stored.
type store int

const (
	add      store = iota // c += product
	set                   // c = product
	positive              // c = max(product, 0), and 0 for NaN
)

// layout says how the left operand of a block product lies in memory.
type layout int

const (
	byRows    layout = iota // a[i·lda+p]: the inner index is contiguous
	byColumns               // a[p·lda+i]: the outer index is contiguous
)

// operand is a block of a row-major matrix: its values and the distance between rows.
type operand[T aligned.Real] struct {
	values []T
	stride int
}

// tileFunc computes one tile of a product; the tile's shape is its own.
type tileFunc[T aligned.Real] func(k int, a *T, lda int, b *T, ldb int, c *T, ldc int, mode int)

// tiles are the tile functions of one layout: full has rows rows and single has one, each with 1, 2 and 3 vectors of
// width values, in that order. Without functions the product is computed in Go.
type tiles[T aligned.Real] struct {
	rows, width  int
	full, single [3]tileFunc[T]
}

// innerBlock bounds the inner dimension of a product between two visits to its destination, so that the panels of both
// operands that a row of tiles uses stay in the nearer caches: the nearest where both are read in steps of a whole row.
const (
	innerBlock        = 256
	innerBlockColumns = 64
)

// blockProduct computes the m×n product of an operand a of the given layout with inner dimension k and a k×n operand b.
// With assembly tiles n must be a multiple of the tiles' vector width.
func blockProduct[T aligned.Real](t *tiles[T], in layout, how store, c, a, b operand[T], m, n, k int) {
	if m == 0 || n == 0 {
		return
	}
	if k == 0 {
		if how != add {
			for i := range m {
				clear(c.values[i*c.stride:][:n])
			}
		}
		return
	}
	if t.rows == 0 {
		goProduct(in, how, c, a, b, m, n, k)
		return
	}
	if n%t.width != 0 {
		panic("kernel: columns of a block product are not padded")
	}
	step := innerBlock
	if in == byColumns {
		step = innerBlockColumns
	}
	if how == positive {
		step = k // the sum must be whole before its sign is looked at
	}
	for p := 0; p < k; p += step {
		mode := how
		if p > 0 {
			mode = add
		}
		at := p
		if in == byColumns {
			at = p * a.stride
		}
		tileProduct(t, in, mode, c, operand[T]{a.values[at:], a.stride}, operand[T]{b.values[p*b.stride:], b.stride}, m, n,
			min(step, k-p))
	}
}

// tileProduct runs the tiles over one block of the inner dimension.
func tileProduct[T aligned.Real](t *tiles[T], in layout, how store, c, a, b operand[T], m, n, k int) {
	across := a.stride
	if in == byColumns {
		across = 1
	}
	for j := 0; j < n; {
		vectors := min(3, (n-j)/t.width)
		for i := 0; i < m; {
			rows, tile := t.rows, t.full[vectors-1]
			if m-i < t.rows {
				rows, tile = 1, t.single[vectors-1]
			}
			tile(k, &a.values[i*across], a.stride, &b.values[j], b.stride, &c.values[i*c.stride+j], c.stride, int(how))
			i += rows
		}
		j += vectors * t.width
	}
}

// goProduct is blockProduct in plain Go: the reference.
func goProduct[T aligned.Real](in layout, how store, c, a, b operand[T], m, n, k int) {
	across, along := a.stride, 1
	if in == byColumns {
		across, along = 1, a.stride
	}
	const width = 4
	for i := range m {
		for j := 0; j < n; j += width {
			var sum [width]T
			cols := min(width, n-j)
			if cols == width {
				sum = goDot4(a.values[i*across:], along, b.values[j:], b.stride, k)
			} else {
				for p := range k {
					for q := range cols {
						sum[q] += a.values[i*across+p*along] * b.values[p*b.stride+j+q]
					}
				}
			}
			out := c.values[i*c.stride+j:][:cols]
			for q := range out {
				switch how {
				case add:
					out[q] += sum[q]
				case set:
					out[q] = sum[q]
				case positive:
					out[q] = 0
					if sum[q] > 0 { // not NaN
						out[q] = sum[q]
					}
				}
			}
		}
	}
}

// goDot4 returns Σ_p a[p·along]·b[p·ldb+q] for q = 0..3, in registers.
func goDot4[T aligned.Real](a []T, along int, b []T, ldb, k int) [4]T {
	var s0, s1, s2, s3 T
	for p := range k {
		left := a[p*along]
		right := b[p*ldb:][:4]
		s0 += left * right[0]
		s1 += left * right[1]
		s2 += left * right[2]
		s3 += left * right[3]
	}
	return [4]T{s0, s1, s2, s3}
}
