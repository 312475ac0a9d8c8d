// Package collective lets several processes, the ranks of one job, work on one fit: the same program runs in each of them, with the same
// options, and they meet in the operations of this package.
//
// A Comm is one rank's end. It travels in the context (With, From). A nil Comm, which is what From returns where nobody has called With, is the
// only rank of one: every operation returns at once what it was given. So algorithms are written once. They must call the same operations
// in the same order on every rank, from one goroutine at a time.
//
// Rows of tall matrices are divided among the ranks by sections, which depend on the number of rows alone (matrix.Sections): Rows says which
// rows a rank holds. Sums over rows are added in a tree that depends on the number of rows alone too (TreeSum), so they have the same
// bits for any number of ranks.
//
// Messages go through a link, which knows only how to send bytes to another rank and to receive as many as are expected. There are two: one
// between goroutines of one process (Together), for tests, and MPI (build tag mpi). No other package names MPI.
//
// If a rank cannot go on, its job cannot either: the contexts of all ranks end, with a *LostError as their cause.
package collective
