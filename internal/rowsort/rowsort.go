// Package rowsort sorts the entries of a document by item.
package rowsort

import (
	"math/bits"
	"slices"
)

// insertionRow is the greatest number of entries that is sorted by insertion; longer rows are sorted by radix. At every
// length, one of the two is faster than a sort by comparison.
const insertionRow = 56

// Sort sorts a row by increasing items, with their counts. Items must not be negative; the order of equal items is not
// defined. Sort grows scratch as needed and returns it for the next call.
func Sort(items, counts []int32, scratch []uint64) []uint64 {
	if len(items) <= insertionRow {
		insertRow(items, counts)
		return scratch
	}
	if slices.IsSorted(items) {
		return scratch
	}
	n := len(items)
	scratch = slices.Grow(scratch[:0], 2*n)[:2*n]
	pairs := scratch[:n]
	all := int32(0) // every bit that is set in an item
	for i, item := range items {
		pairs[i] = uint64(item)<<32 | uint64(uint32(counts[i]))
		all |= item
	}
	for i, pair := range radixSort(pairs, scratch[n:], bits.Len32(uint32(all))) {
		items[i], counts[i] = int32(pair>>32), int32(uint32(pair))
	}
	return scratch
}

// insertRow sorts a short row.
func insertRow(items, counts []int32) {
	for i := 1; i < len(items); i++ {
		item, count := items[i], counts[i]
		j := i
		for ; j > 0 && items[j-1] > item; j-- {
			items[j], counts[j] = items[j-1], counts[j-1]
		}
		items[j], counts[j] = item, count
	}
}

// radixSort sorts pairs by their upper halves of width bits, lowest byte first. It returns pairs or other, whichever
// holds the result; both have the same length.
func radixSort(pairs, other []uint64, width int) []uint64 {
	other = other[:len(pairs)]
	for shift := 32; shift < 32+width; shift += 8 {
		var place [256]uint32 // of the next pair with each byte
		for _, pair := range pairs {
			place[uint8(pair>>shift)]++
		}
		sum := uint32(0)
		for b, n := range &place {
			place[b] = sum
			sum += n
		}
		for _, pair := range pairs {
			b := uint8(pair >> shift)
			other[place[b]] = pair
			place[b]++
		}
		pairs, other = other, pairs
	}
	return pairs
}
