package process

import (
	"runtime"
	"testing"
	"testing/fstest"
)

// The least of all limits counts: of the machine, of cgroups of either version and those above them, and of the address
// space.
func TestMemoryRoom(t *testing.T) {
	const (
		machine = "MemTotal:        4096 kB\nMemFree: 1 kB\n"
		v2      = "31 23 0:28 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
		v1      = "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n36 31 0:33 / /sys/fs/cgroup/cpu rw - " +
			"cgroup cgroup rw,cpu\n"
		docker = "35 31 0:32 /docker/ab /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
	)
	for name, test := range map[string]struct {
		files map[string]string
		left  int64
		want  Room
	}{
		"nothing is known": {nil, 0, Room{}},
		"the machine":      {map[string]string{"proc/meminfo": machine}, 0, Room{4 << 20, "machine"}},
		"address space":    {map[string]string{"proc/meminfo": machine}, 1000, Room{1000, "address space"}},
		"version 2": {map[string]string{"proc/meminfo": machine, "proc/self/mountinfo": v2, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "1048576\n"}, 0, Room{1 << 20, "cgroup"}},
		"version 2, no limit": {map[string]string{"proc/meminfo": machine, "proc/self/mountinfo": v2,
			"proc/self/cgroup":           "0::/a\n",
			"sys/fs/cgroup/a/memory.max": "max\n"}, 0, Room{4 << 20, "machine"}},
		"version 2, namespace": {map[string]string{"proc/self/mountinfo": v2, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "77\n"}, 0, Room{77, "cgroup"}},
		"version 1, nested": {map[string]string{"proc/meminfo": machine, "proc/self/mountinfo": v1,
			"proc/self/cgroup": "4:memory:/x/y\n1:cpu:/z\n0::/\n",
			"sys/fs/cgroup/memory/x/y/memory.limit_in_bytes": "2000000\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes":   "1000000\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":     "9223372036854771712\n"}, 0, Room{1_000_000, "cgroup"}},
		"version 1, no limit": {map[string]string{"proc/meminfo": machine, "proc/self/mountinfo": v1,
			"proc/self/cgroup":                           "4:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 0, Room{4 << 20, "machine"}},
		"version 1, in a container": {map[string]string{"proc/self/mountinfo": docker,
			"proc/self/cgroup":                           "4:memory:/docker/ab\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "5000\n"}, 0, Room{5000, "cgroup"}},
		"unreadable": {map[string]string{"proc/meminfo": "MemTotal: many kB\n",
			"proc/self/cgroup": "nonsense\n0::/\n"}, 0, Room{}},
	} {
		t.Run(name, func(t *testing.T) {
			files := fstest.MapFS{}
			for path, text := range test.files {
				files[path] = &fstest.MapFile{Data: []byte(text)}
			}
			if got := memoryRoom(files, test.left); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
	if room := MemoryRoom(); runtime.GOOS == "linux" && room.Bytes < 16<<20 {
		t.Errorf("this process has room for %+v", room)
	}
}
