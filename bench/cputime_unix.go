// This file asks for the processor time of the process.

//go:build unix

package bench

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time that the process has used; 0 where the system does not tell.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
