// This file holds the inner loops of sparse corrections: the negative part of a low-rank matrix, block by block,
// compaction of a dense tile to its positive entries, and products of a tile, compacted or dense, with blocks of
// vectors. Single precision is enough: the entries correct a matrix that is known to far fewer digits.

package kernel

import "anchorage/internal/aligned"

// The greatest shape of a tile: as many columns as NegativePart computes at a time, few enough for the rows of chosen
// and sums to lie in the nearest cache. The position of an entry in its row is kept in a byte, and so is the number of
// entries.
const (
	TileRows    = 128
	TileColumns = negativePanel
)

// TileSlack is the room for entries, beyond those of a tile, that Compact needs where it writes.
const TileSlack = 16

// SparseTile is a matrix of at most TileRows×TileColumns in compacted form. Row after row, Columns and Values hold the
// entries, columns increasing; Counts says how many there are in each row.
type SparseTile struct {
	Counts, Columns []uint8
	Values          []float32
}

// Compact sets t to the positive entries of a dense tile with the given numbers of rows and columns, a multiple of 16,
// and rows stride values apart. It keeps neither zeros nor NaN. It writes to the slices of t, which must have room for
// all entries and TileSlack more, and cuts them to what it has written.
func (t *SparseTile) Compact(dense []float32, rows, columns, stride int) {
	if rows > TileRows || columns > TileColumns || columns%16 != 0 || stride < columns ||
		len(dense) < (rows-1)*stride+columns {
		panic("kernel: shape of a tile does not fit")
	}
	room := rows*columns + TileSlack
	counts, places, values := t.Counts[:rows], t.Columns[:room], t.Values[:room]
	if rows == 0 || columns == 0 {
		clear(counts)
		t.Counts, t.Columns, t.Values = counts, places[:0], values[:0]
		return
	}
	var total int
	if assembly.compact == nil {
		total = goCompact(rows, columns, stride, dense, counts, places, values)
	} else {
		total = assembly.compact(rows, columns, stride, &dense[0], &counts[0], &places[0], &values[0])
	}
	t.Counts, t.Columns, t.Values = counts, places[:total], values[:total]
}

// goCompact is Compact in plain Go: the reference.
func goCompact(rows, width, stride int, dense []float32, counts, columns []uint8, values []float32) int {
	total := 0
	for r := range rows {
		before := total
		for j, v := range dense[r*stride:][:width] {
			// Always written, and counted if positive: there is no branch to predict.
			columns[total], values[total] = uint8(j), v
			if v > 0 {
				total++
			}
		}
		counts[r] = uint8(total - before)
	}
	return total
}

// Expand writes the tile to dense, len(Counts) rows with stride values from one to the next, the given number of them
// each.
func (t *SparseTile) Expand(dense []float32, columns, stride int) {
	at := 0
	for r, count := range t.Counts {
		row := dense[r*stride:][:columns]
		clear(row)
		for range count {
			row[t.Columns[at]] = t.Values[at]
			at++
		}
	}
}

// SumOutside returns Σ v over all entries plus, once more, over those of rows that are not inside.
func (t *SparseTile) SumOutside(inside []bool) float64 {
	sum, at := 0.0, 0
	for r := 0; r < len(t.Counts); {
		first, isInside := at, inside[r]
		for ; r < len(t.Counts) && inside[r] == isInside; r++ {
			at += int(t.Counts[r])
		}
		part := sumSingles(t.Values[first:at])
		if !isInside {
			part *= 2
		}
		sum += part
	}
	return sum
}

// SquaresOutside returns Σ v² counted as SumOutside counts v, and the greatest v.
func (t *SparseTile) SquaresOutside(inside []bool) (squares float64, greatest float32) {
	at := 0
	for r, count := range t.Counts {
		part := 0.0
		for _, v := range t.Values[at : at+int(count)] {
			part += float64(v) * float64(v)
			if v > greatest {
				greatest = v
			}
		}
		if !inside[r] {
			part *= 2
		}
		squares += part
		at += int(count)
	}
	return squares, greatest
}

// sumSingles returns the sum of values in double precision, as four interleaved sums.
func sumSingles(values []float32) float64 {
	var s0, s1, s2, s3 float64
	for ; len(values) >= 4; values = values[4:] {
		s0 += float64(values[0])
		s1 += float64(values[1])
		s2 += float64(values[2])
		s3 += float64(values[3])
	}
	for _, v := range values {
		s0 += float64(v)
	}
	return (s0 + s1) + (s2 + s3)
}

// SparseProduct adds a tile's share to two products. For row r of the tile and each of its entries, v at column j,
//
//	z[r] += v·chosen[j]      sums[j] += v·x[r]
//
// the latter only where inside[r] does not hold. All four have rows of stride values, a multiple of 16.
func SparseProduct(t *SparseTile, inside []bool, z, chosen, sums, x []float32, stride int) {
	rows := len(t.Counts)
	if len(t.Values) == 0 {
		return
	}
	if len(t.Columns) != len(t.Values) || stride%16 != 0 || len(inside) < rows || len(z) < rows*stride ||
		len(x) < rows*stride {
		panic("kernel: shapes of a sparse product do not fit")
	}
	if assembly.sparseProduct == nil {
		goSparseProduct(t, inside, z, chosen, sums, x, stride, 0, stride)
		return
	}
	for first := 0; first < stride; {
		first += assembly.sparseProduct(t, inside, z[first:], chosen[first:], sums[first:], x[first:], stride, stride-first)
	}
}

// goSparseProduct is SparseProduct in plain Go, of columns first to last: the reference.
func goSparseProduct(t *SparseTile, inside []bool, z, chosen, sums, x []float32, stride, first, last int) {
	at := 0
	for r, count := range t.Counts {
		out, in := z[r*stride+first:r*stride+last], x[r*stride+first:r*stride+last]
		for range count {
			v, column := t.Values[at], int(t.Columns[at])*stride
			at++
			for j, w := range chosen[column+first : column+last] {
				out[j] += v * w
			}
			if inside[r] {
				continue
			}
			sum := sums[column+first : column+last]
			for j, w := range in {
				sum[j] += v * w
			}
		}
	}
}

// DenseProduct is SparseProduct of a dense tile: rows×columns values, rows pitch values apart, columns a multiple of
// 16. Rows of x that are inside must be zero.
func DenseProduct(dense []float32, rows, columns, pitch int, z, chosen, sums, x []float32, stride int) {
	blockProduct(tilesOf[float32](byRows), byRows, add, operand[float32]{z, stride}, operand[float32]{dense, pitch},
		operand[float32]{chosen, stride}, rows, stride, columns)
	blockProduct(tilesOf[float32](byColumns), byColumns, add, operand[float32]{sums, stride},
		operand[float32]{dense, pitch}, operand[float32]{x, stride}, columns, stride, rows)
}

// AddAndClear adds every value of part to total, in double precision, and sets it to zero.
func AddAndClear(total []float64, part []float32) {
	total = total[:len(part)]
	for j, v := range part {
		total[j] += float64(v)
	}
	clear(part)
}

// Axpy sets y = y + alpha·x for rows as a Tall stores them: both have the same length, a multiple of 8.
func Axpy(alpha float64, x, y []float64) {
	checkRows(y, x)
	if len(x) == 0 {
		return
	}
	if assembly.axpy == nil {
		for j, v := range x {
			y[j] += alpha * v
		}
		return
	}
	assembly.axpy(len(x), alpha, &x[0], &y[0])
}

// negativePanel is the number of columns of a packed panel: three vectors of the widest tiles.
const negativePanel = 48

// Negated is −Yᵀ for some rows of a tall matrix Y, in the form that NegativePart multiplies with.
type Negated struct {
	k, n   int
	panels [][]float32 // each k×negativePanel; the last is padded with zeros
}

// PackNegated returns −Yᵀ, K×n, for n rows of k values, one after the other.
func PackNegated[T aligned.Real](rows []T, k int) *Negated {
	n := len(rows) / max(k, 1)
	packed := &Negated{k: k, n: n}
	for first := 0; first < n; first += negativePanel {
		panel := aligned.Make[float32](k * negativePanel)
		for j := first; j < min(first+negativePanel, n); j++ {
			for p, v := range rows[j*k : (j+1)*k] {
				panel[p*negativePanel+j-first] = -float32(v)
			}
		}
		packed.panels = append(packed.panels, panel)
	}
	return packed
}

// Padded returns the given number of columns, rounded up to whole panels, which is what NegativePart writes.
func Padded(columns int) int { return (columns + negativePanel - 1) / negativePanel * negativePanel }

// NegativePart sets dst[i·pitch+j] = max(−y_i·Y_{first+j}, 0) for the given number of rows y_i of y, stride values
// apart, and the given number of columns j. It works on whole panels: first is a multiple of 48, and columns from n to
// Padded(columns) become zero. NaN becomes zero too.
func (p *Negated) NegativePart(dst []float32, pitch, first, columns int, y []float32, stride, rows int) {
	if first%negativePanel != 0 || first+columns > p.n || pitch < Padded(columns) || stride < p.k ||
		len(dst) < rows*pitch || len(y) < (rows-1)*stride+p.k {
		panic("kernel: shapes of a negative part do not fit")
	}
	for at := 0; at < columns; at += negativePanel {
		blockProduct(tilesOf[float32](byRows), byRows, positive, operand[float32]{dst[at:], pitch},
			operand[float32]{y, stride}, operand[float32]{p.panels[(first+at)/negativePanel], negativePanel},
			rows, negativePanel, p.k)
	}
}
