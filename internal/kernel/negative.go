// This file computes the negative part of a low-rank matrix, block by block, in single precision: the entries are
// corrections to a matrix that is known to far fewer digits.

package kernel

// negativePanel is the number of columns of a packed panel: three vectors of the widest tiles.
const negativePanel = 48

// Negated is −Yᵀ for some rows of a tall matrix Y, in the form that NegativePart multiplies with.
type Negated struct {
	k, n   int
	panels [][]float32 // each k×negativePanel; the last is padded with zeros
}

// PackNegated returns −Yᵀ, K×n, for the n given rows of y.
func PackNegated[T Real](y *TallOf[T], rows []int) *Negated {
	packed := &Negated{k: y.cols, n: len(rows)}
	for first := 0; first < len(rows); first += negativePanel {
		panel := aligned[float32](packed.k * negativePanel)
		for j, row := range rows[first:min(first+negativePanel, len(rows))] {
			for p, v := range y.Row(row) {
				panel[p*negativePanel+j] = -float32(v)
			}
		}
		packed.panels = append(packed.panels, panel)
	}
	return packed
}

// Width returns the distance between rows that NegativePart writes: n rounded up to whole panels.
func (p *Negated) Width() int { return len(p.panels) * negativePanel }

// NegativePart sets dst[i·Width+j] = max(−y_i·Y_j, 0) for the rows y_i of y, rows×k row-major, and all columns j < n;
// the columns from n to Width are zero.
func (p *Negated) NegativePart(dst, y []float32, rows int) {
	if len(dst) < rows*p.Width() || len(y) < rows*p.k {
		panic("kernel: buffers of a negative part are too short")
	}
	for at, panel := range p.panels {
		blockProduct(tilesOf[float32](byRows), byRows, positive, operand[float32]{dst[at*negativePanel:], p.Width()},
			operand[float32]{y, p.k}, operand[float32]{panel, negativePanel}, rows, negativePanel, p.k)
	}
}
