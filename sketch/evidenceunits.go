// This file holds the units of the sums of the evidence.

package sketch

import (
	"math"

	"anchorage/internal/exact"
)

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
