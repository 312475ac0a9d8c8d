// This file says how much memory kernels take.

package kernel

import (
	"math/bits"

	"anchorage/internal/aligned"
	"anchorage/matrix"
)

// GramBytes returns the most memory that Gram takes for matrices with the given numbers of rows and columns.
func GramBytes(rows, left, right int) int64 {
	slots := gramSlots(left, aligned.Columns[float64](right))
	ranges := rangeCount(rows)
	return int64(min(slots, ranges)+bits.Len(uint(ranges))) * matrix.Bytes[float64](left, right)
}

// EigenBytes returns the memory that SymmetricEigen takes for a matrix of order n: the matrix, the tridiagonal one that
// it is reduced to, and three for merging vectors.
func EigenBytes(n int) int64 { return 5 * matrix.Bytes[float64](n, n) }
