// This file tells how much memory the process has taken: as a whole, and from one moment to another.

package model

import (
	"bytes"
	"errors"
	"os"
	"runtime/debug"
	"strconv"
	"sync"
)

// PeakMemory returns the largest resident size of the process so far, in bytes, or 0 where the system does not tell.
func PeakMemory() int64 {
	memory.Lock()
	defer memory.Unlock()
	memory.note()
	return memory.peak
}

// Garbage is collected when it has grown by this share of what is alive, or by leastGarbage where that is more. What is
// alive are large arrays without pointers, which a collection does not look into: it takes about a millisecond.
const (
	garbageShare = 0.05
	leastGarbage = 32 << 20
	// unknownPercent is what GOGC is where the model says nothing.
	unknownPercent = 50
)

// garbage returns how much garbage may lie around beside so many bytes that are alive.
func garbage(alive int64) int64 { return max(int64(garbageShare*float64(alive)), leastGarbage) }

// settleMemory gives back to the system what is not alive any more and sets the garbage collector for a stage of which the
// model says that it takes so many bytes, 0 where it says nothing. Who sets GOGC keeps the collector as it is.
func settleMemory(modelled int64) {
	debug.FreeOSMemory()
	if os.Getenv("GOGC") != "" {
		return
	}
	percent := int64(unknownPercent)
	if alive := modelled - processBytes; modelled > 0 {
		alive = max(alive-garbage(alive), 1)
		percent = min(max(100*garbage(alive)/alive, 1), 100)
	}
	debug.SetGCPercent(int(percent))
}

// memory follows the largest resident size of the process. The system keeps a single mark of it, which every watch sets
// back as it begins, so what the mark was until then is noted here, for the process and for all watches that go on.
var memory memoryMarks

type memoryMarks struct {
	sync.Mutex
	peak    int64
	watches map[*memoryWatch]bool // that go on
}

// memoryWatch is a span of time over which the largest resident size is looked for.
type memoryWatch struct{ peak int64 }

// note takes the mark over. The caller holds the lock.
func (m *memoryMarks) note() {
	mark := highWaterMark()
	m.peak = max(m.peak, mark)
	for w := range m.watches {
		w.peak = max(w.peak, mark)
	}
}

// watch begins a watch; nil where the mark cannot be set back.
func (m *memoryMarks) watch() *memoryWatch {
	m.Lock()
	defer m.Unlock()
	m.note()
	if resetHighWaterMark() != nil {
		return nil
	}
	w := new(memoryWatch)
	if m.watches == nil {
		m.watches = make(map[*memoryWatch]bool)
	}
	m.watches[w] = true
	return w
}

// end ends a watch and returns the largest resident size since it began, in bytes; 0 where that is not known.
func (m *memoryMarks) end(w *memoryWatch) int64 {
	if w == nil {
		return 0
	}
	m.Lock()
	defer m.Unlock()
	m.note()
	delete(m.watches, w)
	return w.peak
}

// highWaterMark returns the largest resident size since the mark was set back, in bytes, or 0 where the system does not
// tell.
func highWaterMark() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(status) {
		if rest, found := bytes.CutPrefix(line, []byte("VmHWM:")); found {
			kilobytes, err := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(rest), []byte(" kB"))), 10, 64)
			if err == nil {
				return kilobytes << 10
			}
		}
	}
	return 0
}

// resetHighWaterMark sets the mark to the present resident size; see proc_pid_clear_refs(5).
func resetHighWaterMark() error {
	file, err := os.OpenFile("/proc/self/clear_refs", os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString("5")
	return errors.Join(err, file.Close())
}
