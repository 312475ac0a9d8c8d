// Package matrix holds tall matrices: one row for each of the N items of a vocabulary, and up to some hundred columns.
//
// A TallOf is cut into blocks of BlockRows rows. So it can grow without copying, give its memory back block by block,
// and be worked on, spilled or sent block by block. Memory order is row-major. Within a block the rows lie Stride
// values apart: each is padded with zeros to a whole cache line, and the padding stays zero.
//
// Several processes may share a matrix: NewShared gives it a Layout, which says which rows this process holds. It has
// the numbers of rows and blocks of the whole, and the rows that are held keep their numbers. Sections (Section) say
// how rows are divided. Matrices that are made of others have their layout. So the functions that multiply and add rows
// (package internal/kernel) learn from the matrix whether other processes hold rows, and algorithms need not ask.
//
// Methods that return rows or blocks return slices that alias the matrix; they are valid until Grow, Reshape, Narrow,
// Release or Converted. Several goroutines may read a matrix at once, or write to different rows. A wrong shape or
// index is the caller's mistake and panics.
package matrix
