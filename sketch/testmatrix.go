// This file holds the test matrix of a single pass: scaled signs, and the columns that test the result.

package sketch

import (
	"slices"

	"anchorage/internal/kernel"
	"anchorage/internal/random"
)

// testMatrix is [T Ω], Ω = diag(s)·R. Column j of T is −1 for an item where bit j of random.At(seed, random.SketchTests, key, 0) is
// set, and otherwise 1; R is the omega of the same seed. So no column depends on how many there are.
type testMatrix struct {
	omega
	scale []float64 // s; nil stands for 1 each
}

func (s *Streamed) tests() testMatrix {
	return testMatrix{omega{seed: s.Seed, cols: s.Columns()}, s.Scale}
}

// columns returns the number of columns of [T Ω].
func (o testMatrix) columns() int { return TestColumns + o.cols }

// rows returns an adder of rows, given the items' keys.
func (o testMatrix) rows(key func(item int) uint64) rowAdder {
	var steps, signs []uint64
	var scaled []float64
	return func(z []float64, items []int32, weights []float64) {
		steps, signs = steps[:0], slices.Grow(signs[:0], len(items))[:len(items)]
		scaled = append(scaled[:0], weights...)
		for t, item := range items {
			steps = append(steps, random.Step(key(int(item))))
			if o.scale != nil {
				scaled[t] *= o.scale[item]
			}
		}
		group := func(stage random.Stage, index int, z, weights []float64) {
			column := random.ColumnOf(o.seed, stage, uint64(index))
			for t, step := range steps {
				signs[t] = column.AtStep(step)
			}
			kernel.AddSigns(z, signs, weights)
		}
		group(random.SketchTests, 0, z[:TestColumns], weights)
		own := z[TestColumns:]
		for first := 0; first < o.cols; first += kernel.SignColumns {
			group(random.SketchSigns, first/kernel.SignColumns, own[first:min(first+kernel.SignColumns, len(own))], scaled)
		}
		clear(z[o.columns():])
	}
}

// testRow overwrites dst with the row of an item of the given key. Both precisions have the same values.
func testRow[T float32 | float64](o testMatrix, dst []T, item int, key uint64) {
	random.Signs(dst[:TestColumns], o.seed, random.SketchTests, key, 0)
	own := dst[TestColumns:o.columns()]
	random.Signs(own, o.seed, random.SketchSigns, key, 0)
	if o.scale != nil {
		scale := T(o.scale[item])
		for j := range own {
			own[j] *= scale
		}
	}
}
