// Package collective lets several processes, the ranks of one job, work on one fit: the same program runs in each of
// them, with the same options, and they meet in the operations of this package.
//
// A Comm is one rank's end. A nil Comm is the only rank of one: every operation returns at once what it was given. All
// ranks must call the same operations in the same order, from one goroutine at a time.
//
// The context of a job has its Comm (With, From). Only what opens, saves or restores asks for it there. Everything else
// gets it as the matrix.Layout of a corpus or of a matrix: Rows says which rows a rank holds, by sections that depend
// only on the number of rows (matrix.Sections), and Of returns the Comm of a layout. Mathematics uses package
// internal/kernel, whose functions take layouts and matrices.
//
// Messages go through a link, which only sends bytes to another rank and receives an expected number of bytes. There
// are two: one between goroutines of one process (Together), for tests, and MPI (build tag mpi). No other package names
// MPI.
//
// If a rank cannot continue, its job cannot either: it ends all processes (Job.Close), and the launcher does so if it
// dies.
package collective
