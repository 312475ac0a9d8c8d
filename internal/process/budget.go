// This file keeps the memory of the process within a limit: what grows without a bound known beforehand asks first. It
// also sets the garbage collector for a program that holds a few large blocks.

package process

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// codeBytes is the memory of the process that the Go runtime does not count: code, and tables of the linker.
const codeBytes = 24 << 20

// budget is the limit of the process.
var budget struct {
	bytes atomic.Int64 // 0 for none
	mu    sync.Mutex   // of collections
}

// LimitMemory limits the memory of the process, in bytes; 0 removes the limit. Reserve then refuses what does not fit,
// and the collector works as hard as it takes to stay below. Only a program that owns its process calls it. If
// GOMEMLIMIT is set, keep says so, and the collector keeps its settings.
func LimitMemory(bytes int64, keep bool) {
	budget.bytes.Store(bytes)
	if keep {
		return
	}
	if bytes == 0 {
		debug.SetMemoryLimit(math.MaxInt64)
		return
	}
	debug.SetMemoryLimit(max(bytes-codeBytes, 1<<20))
}

// MemoryLimit returns the limit of the process in bytes; 0 without one.
func MemoryLimit() int64 { return budget.bytes.Load() }

// Reserve returns a *MemoryError if the process cannot take the given number of further bytes within its limit. It
// reserves nothing: the caller allocates at once, and asks for what is large only, since a call takes some
// microseconds. If the answer would be no, garbage is collected first.
func Reserve(bytes int64) error {
	limit := budget.bytes.Load()
	if limit == 0 || InUse()+bytes <= limit {
		return nil
	}
	budget.mu.Lock()
	defer budget.mu.Unlock()
	runtime.GC()
	if used := InUse(); used+bytes > limit {
		return &MemoryError{Limit: limit, Used: used, More: bytes}
	}
	return nil
}

// Guard returns a context that ends, with a *MemoryError as its cause, when the process is found beyond its limit by
// more than a twentieth after a collection. It is for what no Reserve was asked for. stop ends the guard.
func Guard(ctx context.Context) (guarded context.Context, stop func()) {
	guarded, cancel := context.WithCancelCause(ctx)
	go func() {
		timer := time.NewTimer(0)
		defer timer.Stop()
		for {
			select {
			case <-guarded.Done():
				return
			case <-timer.C:
			}
			began := time.Now()
			if err := collectBeyond(budget.bytes.Load()); err != nil {
				cancel(err)
				return
			}
			timer.Reset(max(guardEvery, time.Since(began))) // a collection takes its time
		}
	}()
	return guarded, func() { cancel(nil) }
}

// guardEvery is how often the guard looks. It must notice what is allocated before much of it is used.
const guardEvery = 5 * time.Millisecond

// collectBeyond returns an error if the process has more memory than a limit, which may be 0 for none, and a twentieth.
// If it has more than the limit, it gives back what can be given back first.
func collectBeyond(limit int64) error {
	if limit == 0 {
		return nil
	}
	if used := Trim(limit); used > limit+limit/20 {
		return &MemoryError{Limit: limit, Used: used}
	}
	return nil
}

// Trim gives back what can be given back if the process has more than a number of bytes. It returns what the process
// has then.
func Trim(limit int64) int64 {
	used := max(resident(), InUse())
	if used > limit {
		debug.FreeOSMemory()
		used = max(resident(), InUse())
	}
	return used
}

// resident returns the resident size of the process in bytes; 0 if the system does not report it.
func resident() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// Large is the least number of bytes for which a caller in a loop asks Reserve.
const Large = 1 << 20

// InUse returns the memory of the process in bytes: objects, dead ones that were not collected among them, stacks and
// what the runtime needs, without what it could give back.
func InUse() int64 {
	samples := [...]metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(samples[:])
	return codeBytes + int64(samples[0].Value.Uint64()-samples[1].Value.Uint64()-samples[2].Value.Uint64())
}

// MemoryError reports that the memory of the process would exceed its limit. It is a syscall.ENOMEM.
type MemoryError struct {
	Limit, Used, More int64 // bytes
}

// Error gives the figures.
func (e *MemoryError) Error() string {
	if e.More <= 0 {
		return fmt.Sprintf("out of memory: %d MiB are in use, and the limit is %d MiB", e.Used>>20, e.Limit>>20)
	}
	return fmt.Sprintf("out of memory: %d MiB are in use and %d MiB more are needed, but the limit is %d MiB", e.Used>>20,
		(e.More+1<<20-1)>>20, e.Limit>>20)
}

// Unwrap returns syscall.ENOMEM.
func (e *MemoryError) Unwrap() error { return syscall.ENOMEM }

// initialPercent is the garbage, in percent of live data, at which the collector starts until stages know better.
// Memory goes to a few large blocks that live long: the usual 100 % would double the peak and save nothing.
const initialPercent = 20

// TunesCollector reports whether the program sets the garbage collector. It does not if the environment has GOGC.
func TunesCollector() bool {
	_, set := os.LookupEnv("GOGC")
	return !set
}

// StartCollector sets the garbage collector for the beginning of the program, unless GOGC does.
func StartCollector() {
	if TunesCollector() {
		debug.SetGCPercent(initialPercent)
	}
}

// CollectorPercent returns the present setting of the garbage collector, in percent of live data.
func CollectorPercent() uint64 {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}
