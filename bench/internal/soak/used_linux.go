// This file asks how much of a disk is used, on Linux.

package soak

import "golang.org/x/sys/unix"

// usedKilobytes returns what is used of the disk at a path.
func usedKilobytes(path string) (int, error) {
	var s unix.Statfs_t
	err := unix.Statfs(path, &s)
	return int((s.Blocks - s.Bfree) * uint64(s.Bsize) >> 10), err
}
