// Package matrix holds tall matrices: one row for each of the N items of a vocabulary, a few hundred columns.
//
// A Tall is cut into blocks of BlockRows rows. So it can grow without copying, give its memory back block by block, and be
// worked on, spilled or sent block by block. Within a block rows lie at a distance of Stride values: the columns, padded to a
// whole cache line. The padding is always zero. Memory order is row-major.
//
// Methods that return rows or blocks return slices that alias the matrix. Goroutines may read a matrix together, and write to
// different rows of it. A wrong shape or index is the caller's mistake and panics.
package matrix
