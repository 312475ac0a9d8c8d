// This file computes the negative part of a low-rank matrix, block by block. Single precision is enough: the entries
// correct a matrix that is known to far fewer digits.

package kernel

import "anchorage/internal/aligned"

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
