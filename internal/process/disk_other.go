//go:build !(linux || darwin || freebsd)

// This file replaces disk_unix.go on other systems.

package process

// FreeDisk returns how many bytes the file system of a folder has room for; 0 if the system does not say.
func FreeDisk(string) int64 { return 0 }
