// This file finds out how much memory the system lets this process take.

package process

import (
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
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

// MemoryRoom returns the least of the memory of the machine, the limits of the cgroups that the process is in, versions
// 1 and 2, and what is left of its address space.
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

// cgroupLimit returns the least limit of the cgroups of the process and of those that they are in; 0 without one.
func cgroupLimit(system fs.FS) int64 {
	memberships, err := fs.ReadFile(system, "proc/self/cgroup")
	if err != nil {
		return 0
	}
	least := int64(math.MaxInt64)
	for line := range strings.Lines(string(memberships)) {
		// hierarchy:controllers:path; version 2 is hierarchy 0 without controllers.
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(parts) != 3 {
			continue
		}
		kind, file, option := "", "", ""
		switch {
		case parts[0] == "0" && parts[1] == "":
			kind, file = "cgroup2", "memory.max"
		case slices.Contains(strings.Split(parts[1], ","), "memory"):
			kind, file, option = "cgroup", "memory.limit_in_bytes", "memory"
		default:
			continue
		}
		for _, mount := range cgroupMounts(system, kind, option) {
			least = min(least, limitAbove(system, mount, parts[2], file))
		}
	}
	// Version 1 says a number near the greatest for no limit.
	if least > math.MaxInt64/2 {
		return 0
	}
	return least
}

// mount is a place where cgroups are seen: the cgroup at root is in the folder at.
type mount struct{ root, at string }

// cgroupMounts returns where cgroups of a kind are mounted, of version 1 those with an option. A container sees its own
// at a root that the path of the process does not begin with, or begins with although it is mounted as "/".
func cgroupMounts(system fs.FS, kind, option string) (found []mount) {
	mounts, err := fs.ReadFile(system, "proc/self/mountinfo")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(mounts)) {
		// id parent device root mount-point options… - kind source options; see proc_pid_mountinfo(5).
		before, after, separated := strings.Cut(line, " - ")
		place, system := strings.Fields(before), strings.Fields(after)
		if separated && len(place) >= 5 && len(system) >= 3 && system[0] == kind && (option == "" ||
			slices.Contains(strings.Split(system[2], ","), option)) {
			found = append(found, mount{root: place[3], at: strings.TrimPrefix(place[4], "/")})
		}
	}
	return found
}

// limitAbove returns the least limit in a file of the cgroup at a path and of all above it that the mount shows.
func limitAbove(system fs.FS, m mount, cgroup, file string) int64 {
	below := cgroup
	if rest, inside := strings.CutPrefix(cgroup, m.root); inside && m.root != "/" {
		below = rest
	}
	least := int64(math.MaxInt64)
	for below = path.Clean("/" + below); ; below = path.Dir(below) {
		if text, err := fs.ReadFile(system, path.Join(m.at, below, file)); err == nil {
			if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil { // "max" is no number
				least = min(least, n)
			}
		}
		if below == "/" {
			return least
		}
	}
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
