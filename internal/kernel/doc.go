// Package kernel holds the numerical work that everything above it shares: tall matrices stored in blocks of rows, the
// products and orthogonalisations of such matrices, and the one way in which work is spread over goroutines.
//
// Shapes are written rows×columns; storage is row-major float64. A Tall matrix has as many rows as there are items in the
// vocabulary and is cut into blocks of matrix.BlockRows rows; small matrices (at most a few thousand rows and columns) are plain
// row-major slices.
//
// Every result is the same, bit for bit, for any number of workers: work is split by output row, or into ranges that
// depend on the shapes alone and are merged in a fixed order. Functions do not modify their inputs, apart from receivers
// and destinations, which come first. A wrong shape is the caller's mistake and panics.
//
// The Go code of this package is the reference. Assembly, where there is any, is chosen at run time and left out by the
// build tag noasm; results may differ between the two in rounding.
package kernel
