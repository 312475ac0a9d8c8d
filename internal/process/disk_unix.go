//go:build linux || darwin || freebsd

// This file asks how much room a disk has.

package process

import "syscall"

// FreeDisk returns how many bytes the file system of a folder has room for; 0 if the system does not say.
func FreeDisk(folder string) int64 {
	var stat syscall.Statfs_t
	if syscall.Statfs(folder, &stat) != nil {
		return 0
	}
	return int64(stat.Bavail) * int64(stat.Bsize)
}
