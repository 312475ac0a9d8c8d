//go:build !unix

// This file replaces unix.go on systems that report neither processor time nor limits.

package process

func addressSpaceLeft() int64 { return 0 }

// CPUSeconds returns the processor time of the process in seconds: 0, because the system does not report it.
func CPUSeconds() float64 { return 0 }
