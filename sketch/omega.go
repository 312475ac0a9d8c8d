// This file holds the random matrix Ω: signs that are computed where they are needed and never stored.

package sketch

import (
	"slices"

	"anchorage/internal/kernel"
	"anchorage/internal/random"
)

// omega is Ω: independent signs, one row for each item. Column j of an item is −1 where bit j mod 64 of
//
//	random.At(seed, random.SketchSigns, key, j/64)
//
// is set; key is the hash of the item's id. So a row depends neither on the item's number nor on L, the number of columns.
type omega struct {
	seed uint64
	cols int
}

// rows returns an adder of rows, given the items' keys.
func (o omega) rows(key func(item int) uint64) rowAdder {
	var steps, signs []uint64
	return func(z []float64, items []int32, weights []float64) {
		steps, signs = steps[:0], slices.Grow(signs[:0], len(items))[:len(items)]
		for _, item := range items {
			steps = append(steps, random.Step(key(int(item))))
		}
		for first := 0; first < o.cols; first += kernel.SignColumns {
			column := random.ColumnOf(o.seed, random.SketchSigns, uint64(first/kernel.SignColumns))
			for t, step := range steps {
				signs[t] = column.AtStep(step)
			}
			kernel.AddSigns(z[first:min(first+kernel.SignColumns, len(z))], signs, weights)
		}
		clear(z[o.cols:])
	}
}

// row overwrites dst with the row of the item with the given key.
func (o omega) row(dst []float64, key uint64) {
	random.Signs(dst[:o.cols], o.seed, random.SketchSigns, key, 0)
}
