// Package descriptors ends a process that may open so few files that the Go runtime would die with a trace: with a
// sentence on standard error and exit code 12. A program imports it only for that. It needs nothing but syscall, so it
// is initialized before packages that open files when they are initialized.
package descriptors

// Least is the least number of files that a process must be allowed to open: three are open when it begins, and the
// runtime needs two or three to wait for files.
const Least = 10
