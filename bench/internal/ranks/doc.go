// Package ranks fits one corpus in one process and over several ranks, and holds the results against each other: their bytes, their figures, what
// ranks send and what memory each takes. It runs a program that was built with MPI, by the launcher that the machine has.
package ranks
