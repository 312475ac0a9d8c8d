// This file adds the documents of one item after the other to the sums of the evidence.

package sketch

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"anchorage/internal/exact"
	"anchorage/internal/kernel"
)

// gatherer adds entries to the sums of a gathering, for one goroutine. In the product's documents, w_m·Z_m is row m of
// z.
type gatherer struct {
	*gathering
	product  *product
	rowNorms []float64 // ‖V_i‖² of the present item in as many coordinates as each width says
	halved   [2]halved
}

// halved are entries of the present item, those in documents of one half.
type halved struct {
	documents []int32
	counts    []float64 // ω_i·h_im
	own       []float64 // −ω_i·h_im·w_m·ω_i, the share of V_i that is to be taken off again
	first     []int32   // row 0 of a table of one row for each of them
}

// mostHalved is the number of entries of a half that are added at a time.
const mostHalved = 256

// addItem adds all entries of one item in the chunk.
func (g *gatherer) addItem(part []entry) {
	p := g.product
	item, row := int(p.number(part[0].item)), p.out.PaddedRow(int(part[0].item))
	units, omega, widths := g.units(item), p.itemWeight(part[0].item), len(g.widths)
	g.rowNorms = slices.Grow(g.rowNorms[:0], widths)[:widths]
	squaredNorms(g.rowNorms, row, g.widths)
	for _, e := range part {
		at := int(e.document)
		w, others := p.weights[at], p.tokens[at]-omega
		h := p.weighted(e.item, e.count)
		a := w * h * others
		if !(a > 0) {
			continue
		}
		z := p.z[at*len(row):][:len(row)]
		own := w * omega // z is w·Z, and w·(Z − ω·V_i) is wanted
		inner, from := 0.0, 0
		for c, to := range g.widths {
			inner += floats.Dot(row[from:to], z[from:to])
			from = to
			length := (g.norms[at*widths+c] - 2*own*inner + own*own*g.rowNorms[c]) / (w * others * w * others)
			g.lengths[item*widths+c] += units.length.Whole(a * a * min(max(length, 0), g.longest))
		}
		g.sums[item] += units.sum.Whole(a)
		g.squares[item] += units.square.Whole(a * a)
		if place := g.place[item]; place >= 0 {
			half := g.half[at]
			g.halves.Sums[half][place] += units.sum.Round(a)
			of := &g.halved[half]
			of.documents, of.counts = append(of.documents, e.document), append(of.counts, h)
			of.own, of.first = append(of.own, -h*own), append(of.first, 0)
			if len(of.documents) == mostHalved {
				g.addHalf(item, half, row, units)
			}
		}
	}
	for half := range g.halved {
		g.addHalf(item, uint8(half), row, units)
	}
}

// addHalf adds Σ_m h_m·w_m·(Z_m − ω·V_i) over the waiting entries of a half to the item's row by this half. Both terms
// of an entry are rounded.
func (g *gatherer) addHalf(item int, half uint8, row []float64, units evidenceUnits) {
	of := &g.halved[half]
	if len(of.documents) == 0 {
		return
	}
	sums := g.halves.Rows[half][int(g.place[item])*len(row):][:len(row)]
	shift := units.row.Shift()
	kernel.CombineRounded(of.documents, of.counts, g.product.z, sums, shift)
	kernel.CombineRounded(of.first, of.own, row, sums, shift)
	of.documents, of.counts, of.own, of.first = of.documents[:0], of.counts[:0], of.own[:0], of.first[:0]
}

// unpad moves the rows of a matrix, each padded to stride values, together, and returns the matrix without padding,
// rows×cols.
func unpad(values []float64, stride, cols int) []float64 {
	rows := len(values) / max(stride, 1)
	for r := range rows {
		copy(values[r*cols:][:cols], values[r*stride:])
	}
	return values[:rows*cols]
}

// evidenceUnits are the units of an item's sums. Σ_m a_im is the item's row sum, and Σ_m a_im² at most its square. As
// ξ_im is a mean of rows of V, it is no longer than the longest. A row by half adds h·w·Z and takes h·w·ω·V_i off,
// whose lengths add up to (RowSums_i + 2·Diagonal_i)·max_i ‖V_i‖ at most.
type evidenceUnits struct {
	sum, square, length, row exact.Unit
}

func (g *gathering) units(item int) evidenceUnits {
	sum := g.marginals.RowSums[item]
	return evidenceUnits{exact.UnitOf(sum), exact.UnitOf(sum * sum), exact.UnitOf(sum * sum * g.longest),
		exact.UnitOf((sum + 2*g.marginals.Diagonal[item]) * math.Sqrt(g.longest))}
}

// measured returns the sums of an item, Σ a, Σ a² and Σ a²‖ξ‖², the last for the given width; all are 0 for an item
// without weight.
func (g *gathering) measured(item, width int) (sum, square, length float64) {
	if g.sums[item] <= 0 || g.squares[item] <= 0 {
		return 0, 0, 0
	}
	units := g.units(item)
	return units.sum.Value(g.sums[item]), units.square.Value(g.squares[item]),
		units.length.Value(g.lengths[item*len(g.widths)+width])
}
