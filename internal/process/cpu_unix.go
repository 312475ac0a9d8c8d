//go:build unix

// This file measures the processor time of the process on Unix.

package process

import "syscall"

// CPUSeconds returns the processor time that all threads of the process have taken so far, in seconds. It is 0 if the
// system does not report it.
func CPUSeconds() float64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}
