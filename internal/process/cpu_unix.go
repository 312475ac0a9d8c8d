//go:build unix

// This file tells how much processor time the process has taken, where the system counts it per process.

package process

import "syscall"

// CPUSeconds returns the processor time of the process so far, of all threads together, or 0 where the system does not tell.
func CPUSeconds() float64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}
