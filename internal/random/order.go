// This file holds random orders.

package random

import (
	"cmp"
	"slices"
)

// Order returns the numbers below n in random order: by At(seed, stage, key(i), index), and equal ones by i. Where keys
// belong to things, the order of the things does not depend on how they are numbered. With a nil key, the numbers are
// used.
func Order(n int, seed uint64, stage Stage, key func(i int) uint64, index uint64) []int {
	column := ColumnOf(seed, stage, index)
	order, values := make([]int, n), make([]uint64, n)
	for i := range order {
		order[i], values[i] = i, column.At(KeyOf(key, i))
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(values[a], values[b]), cmp.Compare(a, b))
	})
	return order
}

// KeyOf returns key(i), or i where key is nil: then items, which have no names, are known by their row numbers.
func KeyOf(key func(i int) uint64, i int) uint64 {
	if key == nil {
		return uint64(i)
	}
	return key(i)
}
