// Package kernel holds the numerical work that the mathematics shares: products and orthogonalisations of tall
// matrices, eigenvalue problems of small ones, and the one way in which work is spread over goroutines.
//
// Shapes are written rows×columns. Tall matrices are those of package matrix. Small matrices, of at most a few thousand
// rows and columns, are plain row-major slices of float64.
//
// Every result is the same, bit for bit, for any number of workers: work is split by output row, or into ranges that
// depend on only the shapes and are merged in a fixed order. Functions change nothing but their receivers and
// destinations, which come first, unless their comment says that they use an argument up. A wrong shape is the caller's
// mistake and panics.
//
// What can take long takes a context. Once that is done, the work ends within a fraction of a second. Functions that
// return an error then return that of the context. What the others leave is incomplete, and their callers must ask the
// context before they use it.
//
// The Go code of this package is the reference. Assembly, where there is any, is chosen when the program starts; the
// build tag noasm leaves it out; results may differ between the two in rounding.
package kernel
