//go:build !unix

// This file replaces cpu_unix.go on systems that do not report processor time per process.

package process

// CPUSeconds returns the processor time that all threads of the process have taken so far, in seconds. It is 0 if the
// system does not report it.
func CPUSeconds() float64 { return 0 }
