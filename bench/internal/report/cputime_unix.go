// This file asks for the processor time of the Process.

//go:build unix

package report

import (
	"syscall"
	"time"
)

// CPUTime returns the processor time that the Process has used; 0 where the system does not tell.
func CPUTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
