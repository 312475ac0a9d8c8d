// Package process measures what this process has used, its peak memory, overall and over spans of time, and its
// processor time. It finds the limits of what the process may use, keeps memory within one, and asks how much room
// there is on a disk.
package process

import (
	"errors"
	"os"
	"sync"
)

// PeakMemory returns the largest resident size of the process so far, in bytes. It is 0 if the system does not report
// it.
func PeakMemory() int64 {
	memory.Lock()
	defer memory.Unlock()
	memory.note()
	return memory.peak
}

// memory tracks the largest resident size of the process. The system keeps a single high-water mark, and every new
// Watch resets it. So the mark is recorded here first, for the process and for all open watches.
var memory marks

type marks struct {
	sync.Mutex
	peak    int64
	watches map[*Watch]bool // those that have not ended
}

// Watch is a span of time over which the largest resident size is measured.
type Watch struct{ peak int64 }

// note records the current mark. The caller must hold the lock.
func (m *marks) note() {
	mark := highWaterMark()
	m.peak = max(m.peak, mark)
	for w := range m.watches {
		w.peak = max(w.peak, mark)
	}
}

// StartWatch begins a watch. It resets the system's mark, so only a program that owns its process should call it. It
// returns nil if the mark cannot be reset.
func StartWatch() *Watch {
	memory.Lock()
	defer memory.Unlock()
	memory.note()
	if resetHighWaterMark() != nil {
		return nil
	}
	w := new(Watch)
	if memory.watches == nil {
		memory.watches = make(map[*Watch]bool)
	}
	memory.watches[w] = true
	return w
}

// End ends a watch and returns the largest resident size since it began, in bytes. For a nil watch it returns 0.
func (w *Watch) End() int64 {
	if w == nil {
		return 0
	}
	memory.Lock()
	defer memory.Unlock()
	memory.note()
	delete(memory.watches, w)
	return w.peak
}

// highWaterMark returns the largest resident size since the mark was reset, in bytes. It is 0 if the system does not
// report it.
func highWaterMark() int64 { return kilobytes(os.DirFS("/"), "proc/self/status", "VmHWM:") }

// resetHighWaterMark sets the mark to the current resident size; see proc_pid_clear_refs(5).
func resetHighWaterMark() error {
	file, err := os.OpenFile("/proc/self/clear_refs", os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString("5")
	return errors.Join(err, file.Close())
}
