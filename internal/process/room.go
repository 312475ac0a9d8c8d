// This file finds out how much memory the system lets this process take.

package process

import (
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// Room is the memory that a process may take, in bytes, and what limits it. Bytes is 0 if the system does not say.
type Room struct {
	Bytes   int64
	Limiter Limiter
}

// Limiter is what limits memory.
type Limiter string

// The limiters.
const (
	Machine      Limiter = "machine"
	ControlGroup Limiter = "cgroup"
	AddressSpace Limiter = "address space"
)

// MemoryRoom returns the least of the memory of the machine, the limits of the cgroups (version 2, at /sys/fs/cgroup)
// that the process is in, and what is left of its address space.
func MemoryRoom() Room { return memoryRoom(os.DirFS("/"), addressSpaceLeft()) }

// memoryRoom is MemoryRoom over a file system that begins at "/". left is what is left of the address space; 0 means no
// limit.
func memoryRoom(system fs.FS, left int64) Room {
	var room Room
	consider := func(bytes int64, limiter Limiter) {
		if bytes > 0 && (room.Bytes == 0 || bytes < room.Bytes) {
			room = Room{bytes, limiter}
		}
	}
	consider(kilobytes(system, "proc/meminfo", "MemTotal:"), Machine)
	consider(cgroupLimit(system), ControlGroup)
	consider(left, AddressSpace)
	return room
}

// cgroupLimit returns the least limit of the cgroup of the process and of those above it; 0 without one.
func cgroupLimit(system fs.FS) int64 {
	memberships, err := fs.ReadFile(system, "proc/self/cgroup")
	if err != nil {
		return 0
	}
	least := int64(0)
	for line := range strings.Lines(string(memberships)) {
		cgroup, found := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::") // other lines are of version 1
		if !found {
			continue
		}
		for below := path.Clean("/" + cgroup); ; below = path.Dir(below) {
			if text, err := fs.ReadFile(system, path.Join("sys/fs/cgroup", below, "memory.max")); err == nil {
				n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // "max" is no number
				if err == nil && (least == 0 || n < least) {
					least = n
				}
			}
			if below == "/" {
				break
			}
		}
	}
	return least
}

// kilobytes returns the bytes of a line of a file below /proc that gives them in kB; 0 without one.
func kilobytes(system fs.FS, name, key string) int64 {
	text, err := fs.ReadFile(system, name)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, key); found {
			n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err == nil {
				return n << 10
			}
		}
	}
	return 0
}
