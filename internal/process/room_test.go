package process

import (
	"runtime"
	"testing"
	"testing/fstest"
)

// The least of all limits counts: of the machine, of the cgroup and those above it, and of the address space.
func TestMemoryRoom(t *testing.T) {
	const machine = "MemTotal:        4096 kB\nMemFree: 1 kB\n"
	for name, test := range map[string]struct {
		files map[string]string
		left  int64
		want  Room
	}{
		"nothing is known": {nil, 0, Room{}},
		"the machine":      {map[string]string{"proc/meminfo": machine}, 0, Room{4 << 20, "machine"}},
		"address space":    {map[string]string{"proc/meminfo": machine}, 1000, Room{1000, "address space"}},
		"a cgroup": {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "4:memory:/x\n0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "1048576\n",
			"sys/fs/cgroup/memory.max": "2097152\n"}, 0, Room{1 << 20, "cgroup"}},
		"no limit": {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/a\n",
			"sys/fs/cgroup/a/memory.max": "max\n"}, 0, Room{4 << 20, "machine"}},
		"in a container": {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "77\n"}, 0,
			Room{77, "cgroup"}},
		"in a container, with the path outside": {map[string]string{"proc/self/cgroup": "0::/system.slice/ab\n",
			"sys/fs/cgroup/memory.max": "77\n"}, 0, Room{77, "cgroup"}},
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
