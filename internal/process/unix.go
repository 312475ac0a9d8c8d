//go:build unix

// This file asks Unix for the processor time and the limits of the process.

package process

import (
	"math"
	"os"
	"syscall"
)

// addressSpaceLeft returns how many more bytes the process may map; 0 if there is no limit.
func addressSpaceLeft() int64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) != nil || limit.Cur > math.MaxInt64/2 {
		return 0
	}
	return max(int64(limit.Cur)-kilobytes(os.DirFS("/"), "proc/self/status", "VmSize:"), 1)
}

// CPUSeconds returns the processor time that all threads of the process have taken so far, in seconds. It is 0 if the
// system does not report it.
func CPUSeconds() float64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}
