// This file asks for the memory and the processor time of a process group, on Linux.

package systems

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// usage is what the processes of a group have taken.
type usage struct {
	group int
	ticks map[int]int64 // processor time of each process, those included that have ended, in ticks of the kernel
}

func watchGroup(group int) *usage { return &usage{group, make(map[int]int64)} }

// ticksPerSecond is USER_HZ, the same on all architectures that Go knows.
const ticksPerSecond = 100

// cpu returns the processor time up to the last look, in seconds.
func (u *usage) cpu() float64 {
	sum := int64(0)
	for _, ticks := range u.ticks {
		sum += ticks
	}
	return float64(sum) / ticksPerSecond
}

// memory looks at the group and returns its resident size in bytes, up to now the largest one if it is a single
// process. Pages that several processes share count once.
func (u *usage) memory() int64 {
	members := u.look()
	if len(members) == 1 {
		return statusBytes(fmt.Sprintf("/proc/%d/status", members[0]), "VmHWM:")
	}
	sum := int64(0)
	for _, pid := range members {
		sum += statusBytes(fmt.Sprintf("/proc/%d/smaps_rollup", pid), "Pss:")
	}
	return sum
}

// look returns the processes of the group, and notes their processor times.
func (u *usage) look() (members []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue
		}
		// pid (name) state parent group … utime stime; the name may hold anything
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) > 12 && fields[2] == strconv.Itoa(u.group) {
			members = append(members, pid)
			user, _ := strconv.ParseInt(fields[11], 10, 64)
			system, _ := strconv.ParseInt(fields[12], 10, 64)
			u.ticks[pid] = user + system
		}
	}
	return members
}

// statusBytes returns a value that a file of the kernel gives in kB; 0 where it has none.
func statusBytes(path, name string) int64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name); ok {
			kilobytes, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			return kilobytes * 1024
		}
	}
	return 0
}
