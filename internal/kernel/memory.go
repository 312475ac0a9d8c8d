// This file says how much memory kernels take.

package kernel

import "anchorage/matrix"

// GramBytes returns the memory that Gram takes at most for matrices with the given numbers of rows and columns.
func GramBytes(rows, left, right int) int64 {
	return int64(min(gramRanges, pieces(rows))) * matrix.Bytes[float64](left, right)
}

// EigenBytes returns the memory that the eigenvectors of a symmetric matrix of order n take while they are sought: the matrix,
// the one it is reduced to, and three in which vectors are merged.
func EigenBytes(n int) int64 { return 5 * matrix.Bytes[float64](n, n) }
