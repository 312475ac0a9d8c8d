// This file holds the random matrix Ω, which is computed where it is needed and never stored.

package sketch

import (
	"slices"

	"anchorage/internal/kernel"
	"anchorage/internal/random"
)

// omega is [T Ω]. Ω = diag(s)·R has independent signs R, one row for each item. Column j of an item is −1 where bit j
// mod 64 of
//
//	random.At(seed, random.SketchSigns, key, j/64)
//
// is set; key is the hash of the item's id. Column j of T is −1 where bit j of random.At(seed, random.SketchTests, key,
// 0) is set. A normal R has random.Normal(seed, random.SketchNormals, key, j) in place of signs. So a row depends
// neither on the item's number nor on the number of columns.
type omega struct {
	seed   uint64
	tests  int       // columns of T: TestColumns, or 0 for none
	cols   int       // L
	scale  []float64 // s; nil means 1 each
	normal bool
}

// tested is [T Ω] of a single pass.
func (s *Streamed) tested() omega { return omega{s.Seed, TestColumns, s.Columns(), s.Scale, s.Normal} }

// product returns the sums of a pass with the rows of items, before the first document.
func (o omega) product(key func(item int) uint64, opts *Options) product {
	return product{rows: func() rowAdder { return o.rows(key) }, workers: opts.Workers, itemWeights: opts.Weights,
		pairPrior: opts.PairPrior}
}

// rows returns an adder of rows, given the items' keys.
func (o omega) rows(key func(item int) uint64) rowAdder {
	var steps, signs []uint64
	var room []float64
	return func(z []float64, items []int32, weights []float64) {
		if o.normal {
			room = slices.Grow(room[:0], o.tests+o.cols)[:o.tests+o.cols]
			for t, item := range items {
				setRow(o, room, int(item), key(int(item)))
				for j, v := range room {
					z[j] += weights[t] * v
				}
			}
			return
		}
		steps, signs = steps[:0], slices.Grow(signs[:0], len(items))[:len(items)]
		for _, item := range items {
			steps = append(steps, random.Step(key(int(item))))
		}
		group := func(stage random.Stage, index int, z, weights []float64) {
			column := random.ColumnOf(o.seed, stage, uint64(index))
			for t, step := range steps {
				signs[t] = column.AtStep(step)
			}
			kernel.AddSigns(z, signs, weights)
		}
		if o.tests > 0 {
			group(random.SketchTests, 0, z[:o.tests], weights)
		}
		if o.scale != nil {
			room = append(room[:0], weights...)
			weights = room
			for t, item := range items {
				weights[t] *= o.scale[item]
			}
		}
		own := z[o.tests:]
		for first := 0; first < o.cols; first += kernel.SignColumns {
			group(random.SketchSigns, first/kernel.SignColumns, own[first:min(first+kernel.SignColumns, len(own))], weights)
		}
		clear(own[o.cols:])
	}
}

// setRow overwrites dst with the row of an item of the given key. Both precisions have the same values.
func setRow[T float32 | float64](o omega, dst []T, item int, key uint64) {
	random.Signs(dst[:o.tests], o.seed, random.SketchTests, key, 0)
	own := dst[o.tests:][:o.cols]
	if o.normal {
		for j := range own {
			own[j] = T(float32(random.Normal(o.seed, random.SketchNormals, key, uint64(j))))
		}
	} else {
		random.Signs(own, o.seed, random.SketchSigns, key, 0)
	}
	if o.scale != nil {
		scale := T(o.scale[item])
		for j := range own {
			own[j] *= scale
		}
	}
}
