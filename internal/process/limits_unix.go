//go:build unix

// This file asks for the limits of the process on Unix.

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

// Descriptors returns how many files the process may have open; 0 if there is no limit.
func Descriptors() int64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil || uint64(limit.Cur) > math.MaxInt64/2 {
		return 0
	}
	return int64(limit.Cur)
}
