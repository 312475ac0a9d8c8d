// This file holds the random matrix Ω: signs that are computed where they are needed and never stored.

package sketch

import (
	"math"

	"anchorage/internal/kernel"
)

// omega is a matrix of independent signs with as many rows as there are items. Entry (i, j) is a function of the seed, the
// key of item i and j.
type omega struct {
	seed uint64
	cols int
}

// addRow adds weight times the row of the item with the given key to z.
func (o omega) addRow(z []float64, key uint64, weight float64) {
	bitsOfWeight := math.Float64bits(weight)
	for first := 0; first < o.cols; first += 64 {
		signs := kernel.Mix(key ^ kernel.Mix(kernel.Mix(o.seed)+uint64(first)))
		group := z[first:min(first+64, o.cols)]
		for j := range group {
			group[j] += math.Float64frombits(bitsOfWeight ^ signs<<63)
			signs >>= 1
		}
	}
}

// row overwrites dst with the row of the item with the given key.
func (o omega) row(dst []float64, key uint64) {
	clear(dst)
	o.addRow(dst, key, 1)
}
