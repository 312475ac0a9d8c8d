// This file holds the random matrix Ω: signs that are computed where they are needed and never stored.

package sketch

import (
	"slices"

	"anchorage/internal/kernel"
)

// omega is a matrix of independent signs with as many rows as there are items. Entry (i, j) is a function of the seed,
// the key of item i and j.
type omega struct {
	seed uint64
	cols int
}

// word returns the signs of columns first to first+63 of the item with the given key: bit j is set where column first+j
// is −1.
func (o omega) word(key uint64, first int) uint64 { return kernel.Mix(key ^ o.salt(first)) }

func (o omega) salt(first int) uint64 { return kernel.Mix(kernel.Mix(o.seed) + uint64(first)) }

// rows returns an adder of rows, of the items whose keys key returns.
func (o omega) rows(key func(item int) uint64) rowAdder {
	var keys, signs []uint64
	return func(z []float64, items []int32, weights []float64) {
		keys, signs = keys[:0], slices.Grow(signs[:0], len(items))[:len(items)]
		for _, item := range items {
			keys = append(keys, key(int(item)))
		}
		for first := 0; first < o.cols; first += kernel.SignColumns {
			salt := o.salt(first)
			for t, key := range keys {
				signs[t] = kernel.Mix(key ^ salt)
			}
			kernel.AddSigns(z[first:min(first+kernel.SignColumns, len(z))], signs, weights)
		}
		clear(z[o.cols:])
	}
}

// row overwrites dst with the row of the item with the given key.
func (o omega) row(dst []float64, key uint64) {
	for first := 0; first < o.cols; first += kernel.SignColumns {
		signs := o.word(key, first)
		group := dst[first:min(first+kernel.SignColumns, o.cols)]
		for j := range group {
			group[j] = 1 - 2*float64(signs&1)
			signs >>= 1
		}
	}
}
