//go:build !unix

// This file stands in where processor time is not told per process.

package process

// CPUSeconds returns the processor time of the process so far, of all threads together, or 0 where the system does not tell.
func CPUSeconds() float64 { return 0 }
