//go:build !unix

// This file replaces limits_unix.go on systems without such limits.

package process

func addressSpaceLeft() int64 { return 0 }

// Descriptors returns how many files the process may have open; 0 if there is no limit.
func Descriptors() int64 { return 0 }
