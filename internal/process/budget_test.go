package process

import (
	"anchorage/internal/long"
	"context"
	"errors"
	"math"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What does not fit is refused, and what fits once garbage is collected is not.
func TestReserve(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	defer LimitMemory(0, true)
	LimitMemory(0, true)
	if err := Reserve(math.MaxInt64 / 2); err != nil {
		t.Fatalf("without a limit: %v", err)
	}
	used := InUse()
	limit := used + 64<<20
	LimitMemory(limit, true)
	if got := MemoryLimit(); got != limit {
		t.Errorf("the limit is %d, want %d", got, limit)
	}
	if err := Reserve(8 << 20); err != nil {
		t.Errorf("8 of 64 MiB: %v", err)
	}
	err := Reserve(128 << 20)
	memory := new(MemoryError)
	if !errors.As(err, &memory) || memory.Limit != limit || memory.More != 128<<20 || !errors.Is(err, syscall.ENOMEM) {
		t.Fatalf("128 of 64 MiB: %v", err)
	}
	if !strings.Contains(err.Error(), "128 MiB more are needed") {
		t.Error(err)
	}
	for range 16 { // garbage of 256 MiB
		garbage := make([]byte, 16<<20)
		garbage[0] = 1
		if err := Reserve(16 << 20); err != nil {
			t.Fatal(err)
		}
	}
	alive := make([]byte, 60<<20)
	if err := Reserve(32 << 20); err == nil {
		t.Errorf("%d bytes are alive, and 32 MiB more fit into 64", len(alive))
	}
	alive[1] = 1
	LimitMemory(limit, false)
	if got := debug.SetMemoryLimit(-1); got != limit-codeBytes {
		t.Errorf("the collector's limit is %d, want %d", got, limit-codeBytes)
	}
	LimitMemory(0, false)
	if got := debug.SetMemoryLimit(-1); got != math.MaxInt64 {
		t.Errorf("the collector's limit is %d without one", got)
	}
}

// What grows beyond the limit without asking ends the context, and garbage does not.
func TestGuard(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	defer LimitMemory(0, true)
	debug.FreeOSMemory() // of other tests
	LimitMemory(max(resident(), InUse())+64<<20, true)
	ctx, stop := Guard(t.Context())
	for range 128 { // garbage of 1 GiB
		garbage := make([]byte, 8<<20)
		garbage[0] = 1
	}
	time.Sleep(4 * guardEvery)
	if err := context.Cause(ctx); err != nil {
		t.Errorf("garbage: %v", err)
	}
	alive := make([]byte, 256<<20)
	<-ctx.Done()
	full := new(MemoryError)
	if err := context.Cause(ctx); !errors.As(err, &full) || strings.Contains(err.Error(), "more are needed") {
		t.Errorf("%d bytes are alive: %v", len(alive), err)
	}
	alive[1] = 1
	stop()
	ended, stop := Guard(t.Context())
	stop()
	if <-ended.Done(); context.Cause(ended) != context.Canceled {
		t.Errorf("after the end: %v", context.Cause(ended))
	}
}

// TestTrim keeps garbage below the limit and gives it back above.
func TestTrim(t *testing.T) {
	long.Test(t, "it measures the heap, which other work changes")
	garbage = make([]byte, 64<<20)
	for i := range garbage {
		garbage[i] = 1
	}
	garbage = nil
	before := InUse()
	if got := Trim(2 * max(before, resident())); got < before/2 {
		t.Errorf("%d bytes of %d are left below the limit", got, before)
	}
	if got := Trim(1); got > before-32<<20 {
		t.Errorf("%d bytes of %d are left above the limit", got, before)
	}
}

// garbage keeps the compiler from leaving out what is allocated.
var garbage []byte
