// This file asks Linux for the memory of a process group. Elsewhere it is 0: there programs' own figures count, and no
// limit of memory holds.

package systems

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// groupMemory returns the resident size of a process group in bytes, up to now the largest one if it is a single
// process. Pages that several processes share count once.
func groupMemory(group int) (sum int64) {
	var members []string
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		stat, _ := os.ReadFile(path) // nothing of a process that has ended
		// pid (name) state parent group …; the name may hold anything
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) > 2 && fields[2] == strconv.Itoa(group) {
			members = append(members, filepath.Dir(path))
		}
	}
	if len(members) == 1 {
		return statusBytes(members[0]+"/status", "VmHWM:")
	}
	for _, member := range members {
		sum += statusBytes(member+"/smaps_rollup", "Pss:")
	}
	return sum
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
