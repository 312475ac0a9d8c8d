// This file adds the documents of one item after the other to the sums of the evidence.

package sketch

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"anchorage/internal/exact"
)

// gatherer adds entries to the sums of a gathering, for one goroutine. In the product's documents, w_m·Z_m is row m of
// z.
type gatherer struct {
	*gathering
	product  *product
	rowNorms []float64 // ‖V_i‖² of the present item in as many coordinates as each width says
}

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
	}
}

// evidenceUnits are the units of an item's sums. Σ_m a_im is the item's row sum, and Σ_m a_im² at most its square. As
// ξ_im is a mean of rows of V, it is no longer than the longest.
type evidenceUnits struct {
	sum, square, length exact.Unit
}

func (g *gathering) units(item int) evidenceUnits {
	sum := g.marginals.RowSums[item]
	return evidenceUnits{exact.UnitOf(sum), exact.UnitOf(sum * sum), exact.UnitOf(sum * sum * g.longest)}
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
